import { attempt } from "../util/attempt.mjs"
import { button, h } from "../util/dom.mjs"
import { LEVEL_NAMES, LEVELS } from "../util/nsfw.mjs"
import { splitWords } from "../util/words.mjs"

const STARS = [1, 2, 3, 4, 5]

/** What a person adds to a recipe: title, favourite, rating, maturity, tags and notes; saved as each is left. */
export class RecipeNotes {
  constructor(context, recipe, { saved }) {
    this.context = context
    this.saved = saved
    this.recipe = recipe
    const { t } = context
    this.title = this.#input("title", recipe.title ?? "", { class: "pantry-input pantry-title-input" })
    this.tags = this.#input("tags", (recipe.tags ?? []).join(", "), { placeholder: t("import.tags_hint") })
    this.notes = h(
      "textarea",
      { class: "pantry-input", rows: 2, "aria-label": t("field.notes"), placeholder: t("field.notes"), dir: "auto" },
      recipe.notes ?? "",
    )
    this.notes.addEventListener("change", () => this.#save({ notes: this.notes.value }))
    this.heart = button("♥", () => this.#toggleHeart(), {
      class: "pantry-icon-button pantry-star",
      "aria-label": t("recipe.favourite"),
    })
    this.stars = h(
      "div",
      { class: "pantry-stars", role: "radiogroup", "aria-label": t("field.rating") },
      STARS.map((value) => this.#star(value)),
    )
    this.element = h(
      "section",
      { class: "pantry-notes" },
      h("div", { class: "pantry-row" }, this.title, this.heart),
      h("div", { class: "pantry-row" }, this.stars, this.#maturity()),
      this.tags,
      this.notes,
    )
    this.#show()
  }

  #input(name, value, attributes) {
    const { t } = this.context
    const input = h("input", {
      type: "text",
      class: "pantry-input",
      "aria-label": t(`field.${name}`),
      dir: "auto",
      ...attributes,
    })
    input.value = value
    input.addEventListener("change", () =>
      this.#save({ [name]: name === "tags" ? splitWords(input.value) : input.value }),
    )
    return input
  }

  #maturity() {
    const { t } = this.context
    const unknown = h("option", { value: "" }, t("nsfw.unknown"))
    const options = LEVELS.map((level) => h("option", { value: level }, LEVEL_NAMES[level]))
    const save = () => this.#save({ nsfw_level: Number(select.value) || null })
    const look = { class: "pantry-input pantry-choice", "aria-label": t("field.nsfw_level"), onchange: save }
    const select = h("select", look, unknown, options)
    select.value = this.recipe.nsfw_level ?? ""
    return select
  }

  #star(value) {
    const words = this.context.t("rating.stars", { count: value, shown: value })
    return button("★", () => this.#rate(value), {
      class: "pantry-icon-button pantry-star",
      role: "radio",
      "aria-label": words,
      "data-value": value,
    })
  }

  #show() {
    const { favourite, rating } = this.recipe
    this.heart.setAttribute("aria-pressed", String(Boolean(favourite)))
    for (const star of this.stars.children) {
      const value = Number(star.dataset.value)
      star.setAttribute("aria-checked", String(value === rating))
      star.classList.toggle("is-lit", value <= (rating ?? 0))
    }
  }

  #toggleHeart() {
    this.#save({ favourite: !this.recipe.favourite })
  }

  // A click on the star that is set takes the rating away.
  #rate(value) {
    this.#save({ rating: this.recipe.rating === value ? 0 : value })
  }

  async #save(changes) {
    const { api } = this.context
    const saved = await attempt(this.context, () => api.changeRecipe(this.recipe.id, changes))
    if (saved) Object.assign(this.recipe, saved)
    this.#show()
    this.saved()
  }
}
