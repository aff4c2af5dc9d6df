import { attempt } from "../util/attempt.mjs"
import { copyText } from "../util/clipboard.mjs"
import { button, fill, h } from "../util/dom.mjs"
import { hostName } from "../util/job_words.mjs"
import { isVeiled } from "../util/nsfw.mjs"
import { vendorPage } from "../util/vendor_page.mjs"

// Recipes can be narrowed by these; by any other model they are searched.
const FACETS = { checkpoints: "checkpoint", diffusion_models: "checkpoint", loras: "lora" }

/** One model of the library: what it is, its state, its trigger words, and what can be done about it. */
export class ModelRow {
  constructor(context, model) {
    this.context = context
    this.element = h("li", { class: "pantry-model" })
    this.show(model)
  }

  show(model) {
    this.model = model
    const text = h("div", { class: "pantry-model-text" }, this.#head(), this.#line(), this.#words(), this.#newer())
    fill(this.element, this.#picture(), text, this.#actions())
  }

  #picture() {
    const { api, host } = this.context
    const { id, has_preview: has, nsfw_level: level } = this.model
    const look = { class: `pantry-model-picture ${isVeiled(level) ? "is-veiled" : ""}` }
    if (!has) return h("span", look)
    return h("img", { ...look, src: host.url(api.modelPreviewPath(id)), alt: "", loading: "lazy" })
  }

  #head() {
    const { t } = this.context
    const { title, state } = this.model
    const link = vendorPage(this.model)
    const look = { href: link, target: "_blank", rel: "noopener noreferrer", dir: "auto" }
    const name = link ? h("a", look, title) : h("span", { dir: "auto" }, title)
    const mark = h("span", { class: `pantry-state is-${state}`, title: this.#detail() }, t.named("model", state))
    return h("div", { class: "pantry-model-head" }, name, mark)
  }

  #detail() {
    const { t, format } = this.context
    const { detail, host, retry_at: at } = this.model
    const when =
      at && t("item.until", { words: hostName(host ?? ""), host: "", time: format.moment(at, Date.now() / 1000) })
    return [detail, when].filter(Boolean).join(" · ")
  }

  #line() {
    const { version_name: version, base_model: base, size, file_name: file } = this.model
    const parts = [version, base, this.context.format.bytes(size ?? 0), file].filter(Boolean)
    return h("p", { class: "pantry-quiet pantry-path" }, parts.join(" · "))
  }

  #words() {
    const words = this.model.trained_words ?? []
    return (
      words.length > 0 &&
      h(
        "p",
        { class: "pantry-words" },
        words.slice(0, 12).map((word) => this.#word(word)),
      )
    )
  }

  #word(word) {
    const copy = () => this.#copy(word)
    return button(word, copy, { class: "pantry-chip", title: this.context.t("copy"), dir: "auto" })
  }

  #newer() {
    const { t } = this.context
    const newer = this.model.newer_version
    return newer && h("p", { class: "pantry-quiet" }, t("model.newer", { name: newer.name ?? newer.model_version_id }))
  }

  #actions() {
    const { t } = this.context
    const small = { class: "pantry-button is-small" }
    const refresh = button(t("model.refresh"), () => this.#refresh(), small)
    const relink = button(t("model.relink"), () => this.#askLink(), small)
    const uses = button(t("model.uses"), () => this.#showUses(), small)
    this.actions = h("div", { class: "pantry-actions" }, refresh, relink, uses)
    return this.actions
  }

  async #copy(word) {
    if (await copyText(word)) this.context.notice.say(this.context.t("recipe.copied"))
  }

  async #refresh() {
    const answer = await attempt(this.context, () => this.context.api.refreshModel(this.model.id))
    if (answer) this.show(answer)
  }

  #askLink() {
    const { t } = this.context
    const input = h("input", {
      type: "url",
      required: true,
      class: "pantry-input",
      "aria-label": t("model.link_label"),
      placeholder: t("model.link_label"),
    })
    const send = h("button", { type: "submit", class: "pantry-button is-small" }, t("model.link_save"))
    const form = h("form", { class: "pantry-row", onsubmit: (event) => this.#relink(event, input.value) }, input, send)
    fill(this.actions, form)
    input.focus()
  }

  async #relink(event, url) {
    event.preventDefault()
    const answer = await attempt(this.context, () => this.context.api.relinkModel(this.model.id, { url }))
    this.show(answer ?? this.model)
  }

  #showUses() {
    const { type, file_name: file } = this.model
    const name = file
      .split(/[\\/]/)
      .pop()
      .replace(/\.\w+$/, "")
    this.context.router.go(`recipes/${FACETS[type] ?? "q"}/${encodeURIComponent(name)}`)
  }
}
