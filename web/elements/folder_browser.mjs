import { attempt } from "../util/attempt.mjs"
import { fill, h } from "../util/dom.mjs"

/** Walks through the server's folders, as far as it lets us; the open folder is the chosen one. */
export class FolderBrowser {
  constructor(context, { chosen }) {
    this.context = context
    this.chosen = chosen
    this.list = h("ul", { class: "pantry-folders", "aria-label": context.t("folders.label") })
    this.element = h("div", { class: "pantry-folder-browser", hidden: true }, this.list)
  }

  /** Open or close; return whether it is open now. */
  toggle(path) {
    this.element.hidden = !this.element.hidden
    if (!this.element.hidden) this.#open(path || null)
    return !this.element.hidden
  }

  async #open(path) {
    const answer = await attempt(this.context, () => this.#ask(path))
    if (answer) this.#show(answer)
  }

  // A path that was typed may not exist (yet): then the roots are shown.
  async #ask(path) {
    try {
      return await this.context.api.folders(path)
    } catch (error) {
      if (path) return this.context.api.folders(null)
      throw error
    }
  }

  #show({ path, parent, roots = [], folders = [] }) {
    const rows = path ? folders : roots
    const up = path && h("li", {}, this.#row("..", parent, this.context.t("folders.up")))
    const empty = !rows.length && h("li", { class: "pantry-quiet" }, this.context.t("folders.none"))
    fill(
      this.list,
      up,
      rows.map((row) => h("li", {}, this.#row(row.name, row.path))),
      empty,
    )
    if (path) this.chosen(path)
  }

  #row(name, path, label) {
    const open = () => this.#open(path)
    return h(
      "button",
      { type: "button", class: "pantry-folder", onclick: open, "aria-label": label, title: path },
      name,
    )
  }
}
