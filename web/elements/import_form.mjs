import { attempt } from "../util/attempt.mjs"
import { button, h, write } from "../util/dom.mjs"
import { splitWords } from "../util/words.mjs"
import { FolderBrowser } from "./folder_browser.mjs"

const OPTIONS = [
  ["recursive", true],
  ["skip_duplicates", true],
  ["skip_no_metadata", true],
]

/** Asks for a folder or files, and what to do with them; starts an import. */
export class ImportForm {
  constructor(context, { started }) {
    this.context = context
    this.started = started
    this.folder = this.#folderField()
    this.tags = h("input", {
      type: "text",
      id: "pantry-tags",
      class: "pantry-input",
      placeholder: context.t("import.tags_hint"),
    })
    this.options = new Map(OPTIONS.map(([name, checked]) => [name, h("input", { type: "checkbox", checked })]))
    this.preview = h("p", { class: "pantry-quiet", role: "status" })
    this.browser = new FolderBrowser(context, { chosen: (path) => this.#choose(path) })
    this.submit = h("button", { type: "submit", class: "pantry-button is-primary" }, context.t("import.start"))
    this.element = this.#lay()
  }

  /** What the server is asked for. */
  get request() {
    const options = Object.fromEntries([...this.options].map(([name, box]) => [name, box.checked]))
    return { directory: this.folder.value.trim(), tags: splitWords(this.tags.value), ...options }
  }

  #folderField() {
    const placeholder = this.context.t("import.folder_hint")
    const attributes = { type: "text", id: "pantry-folder", class: "pantry-input", required: true, placeholder }
    return h("input", { ...attributes, spellcheck: "false", autocomplete: "off", onchange: () => this.#count() })
  }

  #lay() {
    const { t } = this.context
    const browse = button(t("import.browse"), () => this.#browse(), { "aria-expanded": "false" })
    this.browseButton = browse
    const row = h("div", { class: "pantry-row" }, this.folder, browse, this.#fileButton(), this.submit)
    const label = h("label", { for: "pantry-folder", class: "pantry-label" }, t("import.folder"))
    const parts = [h("h2", {}, t("import.title")), label, row, this.browser.element, this.preview, this.#optionBlock()]
    const form = h("form", { class: "pantry-card pantry-import-form", onsubmit: (event) => this.#start(event) }, parts)
    return this.#takeDrops(form)
  }

  // What dropping does, for those who do not use a mouse.
  #fileButton() {
    const { t } = this.context
    const chosen = (event) => this.#upload([...event.target.files])
    const input = h("input", {
      type: "file",
      multiple: true,
      hidden: true,
      accept: "image/*,video/*",
      onchange: chosen,
    })
    return [input, button(t("import.files"), () => input.click())]
  }

  #optionBlock() {
    const { t } = this.context
    const boxes = [...this.options].map(([name, box]) =>
      h("label", { class: "pantry-check" }, box, t(`import.${name}`)),
    )
    const tags = [h("label", { for: "pantry-tags", class: "pantry-label" }, t("import.tags")), this.tags]
    return h("details", { class: "pantry-options" }, h("summary", {}, t("import.options")), boxes, tags)
  }

  #takeDrops(form) {
    form.addEventListener("dragover", (event) => this.#hover(event, form))
    form.addEventListener("dragleave", () => form.classList.remove("is-hovered"))
    form.addEventListener("drop", (event) => this.#dropped(event, form))
    return form
  }

  #hover(event, form) {
    event.preventDefault()
    event.stopPropagation()
    form.classList.add("is-hovered")
  }

  #dropped(event, form) {
    event.preventDefault()
    event.stopPropagation()
    form.classList.remove("is-hovered")
    this.#upload([...event.dataTransfer.files])
  }

  async #upload(files) {
    if (!files.length) return
    const { api } = this.context
    const uploaded = await attempt(this.context, () => api.upload(files))
    if (uploaded) await this.#send({ ...this.request, directory: undefined, files: uploaded.files })
  }

  #browse() {
    const open = this.browser.toggle(this.folder.value.trim())
    this.browseButton.setAttribute("aria-expanded", String(open))
  }

  #choose(path) {
    this.folder.value = path
    this.#count()
  }

  // The answer may take a while in a large folder; a later question makes it void.
  async #count() {
    const { directory, recursive } = this.request
    const turn = (this.turn = (this.turn ?? 0) + 1)
    write(this.preview, directory ? this.context.t("import.counting") : "")
    if (!directory) return
    const words = await this.#countWords({ directory, recursive })
    if (turn === this.turn) write(this.preview, words)
  }

  async #countWords(request) {
    try {
      return this.#sayCount(await this.context.api.previewImport(request))
    } catch (error) {
      return error.message
    }
  }

  #sayCount({ images, known = 0, requests = 0, seconds = 0, truncated = false }) {
    const { t, format } = this.context
    const key = truncated ? "import.preview_many" : "import.preview"
    const files = t(key, { count: images, shown: format.number(images), known: format.number(known) })
    const left = format.duration(seconds)
    const questions =
      requests > 0 && t("import.preview_requests", { count: requests, shown: format.number(requests), left })
    return [files, questions].filter(Boolean).join("; ")
  }

  async #start(event) {
    event.preventDefault()
    await this.#send(this.request)
  }

  async #send(request) {
    this.submit.disabled = true
    const answer = await attempt(this.context, () => this.context.api.startJob("batch-imports", request))
    this.submit.disabled = false
    if (answer) this.started(answer.operation_id)
  }
}
