import { button, h } from "../util/dom.mjs"
import { FolderBrowser } from "./folder_browser.mjs"

/** One folder of an import: typed, or found by walking through the server's folders. */
export class FolderRow {
  constructor(context, { id, label, changed, remove = null }) {
    const { t } = context
    const look = { type: "text", id, class: "pantry-input", placeholder: t("import.folder_hint") }
    this.input = h("input", { ...look, "aria-label": label, spellcheck: "false", autocomplete: "off" })
    this.browser = new FolderBrowser(context, { chosen: (path) => this.#choose(path) })
    this.browse = button(t("import.browse"), () => this.#toggle(), { "aria-expanded": "false" })
    this.changed = changed
    const cross = { class: "pantry-icon-button", "aria-label": t("import.remove_folder", { label }) }
    const row = h("div", { class: "pantry-row" }, this.input, this.browse, remove && button("×", remove, cross))
    this.element = h("div", { class: "pantry-folder-row" }, row, this.browser.element)
  }

  get path() {
    return this.input.value.trim()
  }

  #toggle() {
    this.browse.setAttribute("aria-expanded", String(this.browser.toggle(this.path)))
  }

  #choose(path) {
    this.input.value = path
    this.changed()
  }
}
