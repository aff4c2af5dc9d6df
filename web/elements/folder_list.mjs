import { button, h } from "../util/dom.mjs"
import { FolderRow } from "./folder_row.mjs"

/** The folders of an import: one, and as many more as are asked for. */
export class FolderList {
  #count = 0

  constructor(context, { changed }) {
    this.context = context
    this.changed = changed
    this.rows = []
    this.place = h("div", { class: "pantry-folder-rows" })
    this.more = button(context.t("import.add_folder"), () => this.#add().input.focus(), {
      class: "pantry-button is-small",
    })
    const label = h("label", { for: "pantry-folder", class: "pantry-label" }, context.t("import.folder"))
    this.element = h("div", { class: "pantry-folder-list" }, label, this.place, this.more)
    this.#add()
  }

  /** What is typed or chosen, row by row. */
  get paths() {
    return this.rows.map((row) => row.path)
  }

  /** Let the browser say that a folder must be named, or not. */
  require(needed) {
    this.rows[0].input.required = needed
  }

  #add() {
    this.#count += 1
    const first = this.#count === 1
    const row = new FolderRow(this.context, {
      id: first ? "pantry-folder" : null,
      label: first ? null : this.context.t("import.folder_number", { shown: this.#count }),
      changed: this.changed,
      remove: first ? null : () => this.#remove(row),
    })
    this.rows.push(row)
    this.place.append(row.element)
    return row
  }

  #remove(row) {
    this.rows = this.rows.filter((one) => one !== row)
    row.element.remove()
    this.more.focus()
    this.changed()
  }
}
