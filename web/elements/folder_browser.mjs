import { attempt } from "../util/attempt.mjs"
import { button, fill, h } from "../util/dom.mjs"

/** Walks through the server's folders, as far as it lets us; the open folder is the chosen one. */
export class FolderBrowser {
  constructor(context, { chosen }) {
    this.context = context
    this.chosen = chosen
    this.list = h("ul", { class: "pantry-folders", "aria-label": context.t("folders.label") })
    this.foot = h("div", { class: "pantry-folder-foot" })
    this.element = h("div", { class: "pantry-folder-browser", hidden: true }, this.list, this.foot)
  }

  /** Open or close; return whether it is open now. */
  toggle(path) {
    this.element.hidden = !this.element.hidden
    if (!this.element.hidden) this.#open(path || null)
    return !this.element.hidden
  }

  async #open(path) {
    const answer = await attempt(this.context, () => this.#ask(path))
    if (answer) this.#show(answer, await this.#machine())
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

  // Who sits at the server's own machine may go anywhere on it.
  async #machine() {
    this.about ??= await this.context.api.about().catch(() => ({}))
    return this.about
  }

  #show({ path, parent, roots = [], folders = [], images = 0 }, { local, data_dir: data }) {
    const { t } = this.context
    const held = this.list.contains(document.activeElement)
    const rows = path ? folders : [...roots, ...(local ? this.#anywhere(data) : [])]
    const ways = path && [this.#row(t("folders.places"), null), parent && this.#row("..", parent, t("folders.up"))]
    const empty = !rows.length && h("li", { class: "pantry-quiet" }, t("folders.none"))
    fill(
      this.list,
      ways,
      rows.map((row) => this.#row(row.name, row.path)),
      empty,
    )
    fill(this.foot, path && this.#footOf(path, images, local && !roots.some((root) => root.path === path)))
    if (held) this.list.querySelector("button")?.focus()
    if (path) this.chosen(path)
  }

  #anywhere(data) {
    const { t } = this.context
    const root = /^[a-z]:/i.test(data ?? "") ? data.slice(0, 2) + "\\" : "/"
    return [
      { name: t("folders.home"), path: "~" },
      { name: t("folders.machine"), path: root },
    ]
  }

  #footOf(path, images, canRemember) {
    const { t, format } = this.context
    const said = h(
      "span",
      { class: "pantry-quiet" },
      t("folders.images", { count: images, shown: format.number(images) }),
    )
    const look = { class: "pantry-button is-small", title: t("folders.remember_help") }
    return [said, canRemember && button(t("folders.remember"), () => this.#remember(path), look)]
  }

  /** Make the folder one of the places, here and for other machines. */
  async #remember(path) {
    const { api } = this.context
    const add = async () => {
      const { import_folders: known = [] } = await api.settings()
      return api.changeSettings({ import_folders: [...new Set([...known, path])] })
    }
    if (await attempt(this.context, add)) await this.#open(path)
  }

  #row(name, path, label) {
    const look = { type: "button", class: "pantry-folder", "aria-label": label, title: path }
    return h("li", {}, h("button", { ...look, onclick: () => this.#open(path) }, name))
  }
}
