import { attempt } from "../util/attempt.mjs"
import { button, h, write } from "../util/dom.mjs"
import { Soon } from "../util/soon.mjs"

const SETTLE = 1500

/** Says how many model files still have to be hashed in the background, and pauses that; nothing where all is done. */
export class HashingLine {
  constructor(context) {
    this.context = context
    this.words = h("span", { class: "pantry-quiet", role: "status" })
    this.button = button("", () => this.#turn(), { class: "pantry-button is-small" })
    this.element = h("div", { class: "pantry-row pantry-hashing", hidden: true }, this.words, this.button)
    this.soon = new Soon(() => this.load(), SETTLE)
  }

  /** Ask for the state now. */
  async load() {
    this.#show(await this.context.api.hashing().catch(() => null))
  }

  /** Ask before long: files are hashed many a second. */
  loadSoon() {
    this.soon.ask()
  }

  stop() {
    this.soon.stop()
  }

  async #turn() {
    const { api } = this.context
    const verb = this.state.paused ? "resume" : "pause"
    this.#show((await attempt(this.context, () => api.tellHashing(verb))) ?? this.state)
  }

  #show(state) {
    const { t, format } = this.context
    this.state = state
    this.element.hidden = !state || (!state.left && !state.paused)
    if (this.element.hidden) return
    const { left, paused } = state
    write(this.words, t(paused ? "hashing.paused" : "hashing.left", { count: left, shown: format.number(left) }))
    write(this.button, t(paused ? "hashing.resume" : "hashing.pause"))
  }
}
