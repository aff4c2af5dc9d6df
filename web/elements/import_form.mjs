import { attempt } from "../util/attempt.mjs"
import { button, h } from "../util/dom.mjs"
import { ACCEPT, droppedFiles, wantedFiles } from "../util/dropped_files.mjs"
import { forFiles, importRequest, splitLines } from "../util/import_request.mjs"
import { DryRun } from "./dry_run.mjs"
import { FolderList } from "./folder_list.mjs"
import { ImportOptions } from "./import_options.mjs"
import { UploadLine } from "./upload_line.mjs"

/** Asks for folders, addresses or files, and what to do with them; says what would come of it; starts an import. */
export class ImportForm {
  constructor(context, { started }) {
    this.context = context
    this.started = started
    this.folders = new FolderList(context, { changed: () => this.#changed() })
    this.addresses = this.#addressField()
    this.options = new ImportOptions(context)
    this.dryRun = new DryRun(context)
    this.upload = new UploadLine(context, { sent: (files) => this.#send(forFiles(this.request, files)) })
    this.submit = h("button", { type: "submit", class: "pantry-button is-primary" }, context.t("import.start"))
    this.element = this.#lay()
    this.folders.require(true)
  }

  /** Begin as the settings say, once: what somebody turns afterwards stays. */
  async start() {
    this.begun ??= this.context.api.settings().then(
      (settings) => this.options.begin(settings),
      () => {},
    )
    await this.begun
  }

  /** What the server is asked for. */
  get request() {
    const { folders, addresses, options } = this
    return importRequest({ folders: folders.paths, addresses: addresses.value, ...options.values })
  }

  #addressField() {
    const look = { id: "pantry-addresses", class: "pantry-input", rows: 3, spellcheck: "false", autocomplete: "off" }
    return h("textarea", {
      ...look,
      placeholder: "https://civitai.com/images/…",
      "aria-describedby": "pantry-url-help",
    })
  }

  #lay() {
    const { t } = this.context
    const actions = h("div", { class: "pantry-actions" }, this.submit, this.#fileButtons())
    const fields = [this.folders.element, this.#addressBlock(), this.options.element]
    // The numbers come below the button: it must not move away while it is being pressed.
    const parts = [h("h2", {}, t("import.title")), fields, actions, this.upload.element, this.dryRun.element]
    const listen = { onsubmit: (event) => this.#start(event), onchange: (event) => this.#changed(event) }
    return this.#takeDrops(h("form", { class: "pantry-card pantry-import-form", ...listen }, parts))
  }

  #addressBlock() {
    const { t } = this.context
    const label = h("label", { for: "pantry-addresses", class: "pantry-label" }, t("import.addresses_label"))
    const help = h("p", { id: "pantry-url-help", class: "pantry-quiet" }, t("import.addresses_help"))
    const summary = h("summary", {}, t("import.addresses"))
    return h("details", { class: "pantry-options" }, summary, label, this.addresses, help)
  }

  // What dropping does, for those who do not use a mouse.
  #fileButtons() {
    const { t } = this.context
    const input = h("input", { type: "file", multiple: true, hidden: true, accept: ACCEPT })
    input.addEventListener("change", () => this.#take(input))
    return [
      input,
      button(t("import.files"), () => input.click()),
      button(t("import.send_folder"), () => this.#pickFolder()),
    ]
  }

  #pickFolder() {
    const input = h("input", { type: "file", webkitdirectory: true })
    input.addEventListener("change", () => this.#take(input))
    input.click()
  }

  // Emptied, so that the same files can be chosen again.
  #take(input) {
    this.upload.send(wantedFiles(input.files))
    input.value = ""
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

  async #dropped(event, form) {
    event.preventDefault()
    event.stopPropagation()
    form.classList.remove("is-hovered")
    const files = await attempt(this.context, () => droppedFiles(event.dataTransfer))
    if (files) this.upload.send(files)
  }

  #changed(event) {
    if (event?.target.type === "file") return
    this.folders.require(!splitLines(this.addresses.value).length)
    this.dryRun.show(this.request)
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
