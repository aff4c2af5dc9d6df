import { h, setVariable } from "../util/dom.mjs"
import { isVeiled, LEVEL_NAMES } from "../util/nsfw.mjs"

/** One recipe in the grid: its picture, its name and its checkpoint. */
export class RecipeCard {
  // Asked again on every frame of a scroll: what has not changed costs nothing.
  shown = undefined

  constructor(context, index) {
    this.context = context
    this.index = index
    this.image = h("img", { class: "pantry-thumb", alt: "", decoding: "async", draggable: "false" })
    this.title = h("span", { class: "pantry-card-title" })
    this.line = h("span", { class: "pantry-card-line" })
    this.marks = h("span", { class: "pantry-marks" })
    const tick = h("span", { class: "pantry-tick", "aria-hidden": "true" })
    const picture = h("span", { class: "pantry-picture" }, this.image, this.marks, tick)
    const attributes = { class: "pantry-recipe", role: "option", tabindex: -1, draggable: "true", "data-index": index }
    this.element = h("div", attributes, picture, this.title, this.line)
  }

  place({ left, top }, width) {
    const where = `${left} ${top} ${width}`
    if (where === this.where) return
    this.where = where
    setVariable(this.element, "transform", `translate(${left}px, ${top}px)`)
    setVariable(this.element, "width", `${width}px`)
  }

  /** Show the recipe, or an empty frame while it is on its way. */
  show(recipe, { selected, count }) {
    if (recipe === this.shown && selected === this.selected && count === this.count) return
    Object.assign(this, { shown: recipe, selected, count })
    this.element.classList.toggle("is-coming", !recipe)
    this.element.setAttribute("aria-selected", String(selected))
    this.element.setAttribute("aria-setsize", count)
    this.element.setAttribute("aria-posinset", this.index + 1)
    if (recipe) this.#fill(recipe)
  }

  /** Let the tab key stop here, or not. */
  canFocus(can) {
    const tabIndex = can ? 0 : -1
    if (this.element.tabIndex !== tabIndex) this.element.tabIndex = tabIndex
  }

  /** Fetch the picture; the grid calls this once scrolling has come to rest. */
  load() {
    if (this.recipe && !this.image.hasAttribute("src")) this.image.src = this.#thumbnail
  }

  get #thumbnail() {
    const { host, api } = this.context
    return host.url(api.recipeFilePath(this.recipe.id, "thumbnail"))
  }

  #fill(recipe) {
    if (this.recipe && this.recipe.id !== recipe.id) this.image.removeAttribute("src")
    this.recipe = recipe
    this.title.textContent = recipe.title ?? ""
    this.line.textContent = modelLine(recipe)
    this.image.classList.toggle("is-veiled", isVeiled(recipe.nsfw_level))
    this.#fillMarks(recipe)
  }

  #fillMarks({ favourite, missing, nsfw_level: level }) {
    const { t, format } = this.context
    const lack = missing > 0 && t("recipe.missing", { count: missing, shown: format.number(missing) })
    const marks = [
      isVeiled(level) && mark(LEVEL_NAMES[level], t("field.nsfw_level")),
      favourite && mark("♥", t("recipe.favourite"), "is-favourite"),
      lack && mark(format.number(missing), lack, "is-missing"),
    ]
    this.marks.replaceChildren(...marks.filter(Boolean))
  }
}

// The card's name is read from what is in it: a number alone would say nothing.
function mark(text, words, look = "") {
  const said = text === words ? words : `${words}: ${text}`
  return h("span", { class: `pantry-mark ${look}`, title: words, role: "img", "aria-label": said }, text)
}

/** Say in one line what the picture was made with. */
export function modelLine({ checkpoint, loras = [] }) {
  const name = checkpoint?.vendor_name ?? checkpoint?.name ?? ""
  return [name, loras.length ? `+${loras.length} LoRA` : ""].filter(Boolean).join(" ")
}
