import { attempt } from "../util/attempt.mjs"
import { button, h, write } from "../util/dom.mjs"

// Where CivitAI did not say, the server says why.
const KEY_WORDS = new Map([
  [true, "key.works"],
  [false, "key.refused"],
])

/** The API key: goes in, never comes out; only whether one is set and how it ends is shown. */
export class KeyField {
  constructor(context, settings) {
    this.context = context
    this.settings = settings
    const { t } = context
    this.input = h("input", {
      type: "password",
      class: "pantry-input",
      autocomplete: "off",
      "aria-label": t("setting.civitai_api_key.label"),
      placeholder: t("key.placeholder"),
    })
    this.state = h("p", { class: "pantry-quiet", role: "status" })
    const save = h("button", { type: "submit", class: "pantry-button" }, t("key.save"))
    const actions = [save, button(t("key.test"), () => this.#test()), button(t("key.clear"), () => this.#send(""))]
    const row = h("div", { class: "pantry-row" }, this.input, actions)
    this.element = h("form", { class: "pantry-key", onsubmit: (event) => this.#save(event) }, row, this.state)
    settings.addEventListener("change", () => this.show())
    this.show()
  }

  show() {
    const { t } = this.context
    const { set, hint } = this.settings.value("civitai_api_key") ?? {}
    write(this.state, set ? t("key.set", { hint: hint ?? "…" }) : t("key.unset"))
  }

  #save(event) {
    event.preventDefault()
    const key = this.input.value.trim()
    this.input.value = ""
    if (key) this.#send(key)
  }

  async #send(key) {
    await attempt(this.context, () => this.settings.change({ civitai_api_key: key }))
  }

  async #test() {
    const { api, t } = this.context
    write(this.state, t("key.testing"))
    const answer = await attempt(this.context, () => api.testKey())
    if (answer) write(this.state, KEY_WORDS.has(answer.ok) ? t(KEY_WORDS.get(answer.ok)) : answer.message)
    else this.show()
  }
}
