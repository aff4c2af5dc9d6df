import { button, h } from "../util/dom.mjs"

const SENDERS = [
  [
    "all",
    (canvas, recipe) => canvas.prompts(recipe) + canvas.settings(recipe) + canvas.loras(recipe) + canvas.recipe(recipe),
  ],
  ["prompts", (canvas, recipe) => canvas.prompts(recipe)],
  ["settings", (canvas, recipe) => canvas.settings(recipe)],
  ["loras", (canvas, recipe) => canvas.loras(recipe)],
  ["add_loras", (canvas, recipe) => canvas.loras(recipe, { append: true })],
]

/** Sends parts of a recipe to the nodes of the open workflow that take them; says how many fields that changed. */
export class CanvasMenu {
  constructor(context, recipe) {
    const { t, format, host, notice } = context
    const send = (name, sender) => {
      const count = sender(host.canvas, recipe)
      notice.say(t(count ? "canvas.changed" : "canvas.nothing", { count, shown: format.number(count) }))
    }
    const buttons = SENDERS.map(([name, sender]) =>
      button(t(`canvas.${name}`), () => send(name, sender), { class: "pantry-button is-small" }),
    )
    const label = t("canvas.title")
    const group = h("div", { class: "pantry-actions", role: "group", "aria-label": label }, buttons)
    this.element = h("details", { class: "pantry-options" }, h("summary", {}, label), group)
  }
}
