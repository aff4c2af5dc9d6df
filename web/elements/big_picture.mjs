import { button, h } from "../util/dom.mjs"
import { isVeiled, LEVEL_NAMES } from "../util/nsfw.mjs"

/** The picture of one recipe, as large as there is room; a mature one is veiled until its button is pressed. */
export class BigPicture {
  constructor(context, recipe) {
    this.context = context
    this.image = this.#image(recipe)
    this.veil = button("", () => this.#turn(), { class: "pantry-button pantry-veil" })
    this.element = h("div", { class: "pantry-figure" }, this.image, this.veil)
    this.show(recipe)
  }

  /** Veil the picture, or not, as its level says; what was revealed is veiled again only by another level. */
  show({ nsfw_level: level }) {
    if (level === this.level && this.veiled !== undefined) return
    this.level = level
    this.veiled = isVeiled(level)
    this.#draw()
  }

  #image({ id, title }) {
    const { api, host, t } = this.context
    const url = (part) => host.url(api.recipeFilePath(id, part))
    const image = h("img", { class: "pantry-full", src: url("image"), alt: title ?? t("recipe.image") })
    image.addEventListener("error", () => (image.src = url("thumbnail")), { once: true })
    return image
  }

  #turn() {
    this.veiled = !this.veiled
    this.#draw()
  }

  #draw() {
    const { t } = this.context
    this.element.classList.toggle("is-veiled", this.veiled)
    this.veil.hidden = !isVeiled(this.level)
    this.veil.textContent = this.veiled ? t("veil.lift", { level: LEVEL_NAMES[this.level] }) : t("veil.lower")
  }
}
