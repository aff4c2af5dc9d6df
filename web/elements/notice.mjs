import { button, fill, h } from "../util/dom.mjs"
import { troubleWords } from "../util/trouble.mjs"

const STAYS = 8000

/** Says one short thing at the bottom of the panel, with at most one thing to do about it. Never modal. */
export class Notice {
  constructor({ t }) {
    this.t = t
    this.element = h("div", { class: "pantry-notice", role: "status", hidden: true })
  }

  say(text, { action = null, act = null, trouble = false } = {}) {
    clearTimeout(this.timer)
    this.element.classList.toggle("is-trouble", trouble)
    fill(this.element, h("span", {}, text), action && button(action, () => this.#act(act)), this.#closeButton())
    this.element.hidden = false
    if (!trouble) this.timer = setTimeout(() => this.hide(), STAYS)
  }

  /** Say what went wrong; it stays until it is closed. */
  trouble(error) {
    this.say(troubleWords(error, this.t), { trouble: true })
  }

  hide() {
    this.element.hidden = true
  }

  #act(act) {
    this.hide()
    act()
  }

  #closeButton() {
    return button("×", () => this.hide(), { class: "pantry-icon-button", "aria-label": this.t("close") })
  }
}
