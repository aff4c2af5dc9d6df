import { fill, h } from "../util/dom.mjs"
import { namesSomething } from "../util/import_request.mjs"
import { troubleWords } from "../util/trouble.mjs"
import { previewFacts, previewNotes } from "../util/preview_words.mjs"

/** Says beforehand what an import would do: its numbers, and what nobody can know yet. */
export class DryRun {
  #turn = 0

  constructor(context) {
    this.context = context
    this.element = h("div", { class: "pantry-dry-run", role: "status" })
  }

  /** Count for `request`. The answer may take a while in a large folder; a later question makes it void. */
  async show(request) {
    const turn = (this.#turn += 1)
    this.#wait(namesSomething(request))
    if (!namesSomething(request)) return fill(this.element)
    const parts = await this.#ask(request)
    if (turn !== this.#turn) return undefined
    this.#wait(false)
    return fill(this.element, parts)
  }

  // Older numbers stay meanwhile, paler: were they taken away, what is above could move under the pointer that starts.
  #wait(counting) {
    this.element.classList.toggle("is-counting", counting)
    if (counting && !this.element.children.length) this.#say(this.context.t("import.counting"))
  }

  async #ask(request) {
    try {
      return this.#parts(await this.context.api.previewImport(request))
    } catch (error) {
      return [h("p", { class: "pantry-quiet" }, troubleWords(error, this.context.t))]
    }
  }

  #parts(preview) {
    const { t } = this.context
    const facts = previewFacts(preview, this.context).map(({ name, text }) =>
      h("div", {}, h("dt", {}, t(`preview.${name}`)), h("dd", {}, text)),
    )
    const notes = previewNotes(preview, this.context).map((note) => h("p", { class: "pantry-quiet" }, note))
    return [h("dl", { class: "pantry-facts" }, facts), notes]
  }

  #say(text) {
    fill(this.element, h("p", { class: "pantry-quiet" }, text))
  }
}
