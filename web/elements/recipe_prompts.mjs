import { copyText } from "../util/clipboard.mjs"
import { button, h } from "../util/dom.mjs"
import { originOf } from "../util/origins.mjs"

const PROMPTS = ["prompt", "negative_prompt"]

/** The texts that a picture was made from, those of a second pass too, each with a button that copies it. */
export class RecipePrompts {
  constructor(context, recipe) {
    this.context = context
    const own = PROMPTS.map((name) => [`field.${name}`, recipe[name], originOf(recipe, name)])
    const second = PROMPTS.map((name) => [`field.hires_${name}`, recipe.hires?.[name], originOf(recipe, "hires")])
    this.elements = [...own, ...second].filter(([, text]) => text).map((one) => this.#block(...one))
  }

  #block(key, text, origin) {
    const { t } = this.context
    const copy = button(t("copy"), () => this.#copy(text), { class: "pantry-button is-small" })
    const from = origin && h("small", { class: "pantry-quiet" }, origin)
    const head = h("div", { class: "pantry-block-head" }, h("h3", {}, t(key)), from, copy)
    return h("section", {}, head, h("p", { class: "pantry-prompt", dir: "auto", tabindex: 0 }, text))
  }

  async #copy(text) {
    if (await copyText(text)) this.context.notice.say(this.context.t("recipe.copied"))
  }
}
