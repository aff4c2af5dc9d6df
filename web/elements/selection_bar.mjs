import { attempt } from "../util/attempt.mjs"
import { button, h, write } from "../util/dom.mjs"
import { fetchAll, saveAs } from "../util/export.mjs"
import { splitWords } from "../util/words.mjs"

/** What can be done with the chosen recipes: tag, mark, delete (with undo). */
export class SelectionBar {
  constructor(context, selection, { done }) {
    this.context = context
    this.selection = selection
    this.done = done
    const { t } = context
    this.count = h("span", { role: "status" })
    this.tags = h("input", {
      type: "text",
      class: "pantry-input",
      "aria-label": t("select.tags"),
      placeholder: t("select.tags"),
    })
    const add = h("button", { class: "pantry-button" }, t("select.add_tags"))
    const remove = button(t("select.remove_tags"), () => this.#tag("remove_tags"))
    const form = h("form", { class: "pantry-row", onsubmit: (event) => this.#submitted(event) }, this.tags, add, remove)
    const actions = [
      button(t("select.favourite"), () => this.#change({ action: "favourite", favourite: true })),
      button(t("select.export"), () => this.#export()),
      button(t("select.delete"), () => this.#remove()),
      button(t("select.clear"), () => selection.clear()),
    ]
    this.element = h("div", { class: "pantry-selection", hidden: true }, this.count, form, actions)
  }

  start() {
    this.abort = new AbortController()
    this.selection.addEventListener("change", () => this.#show(), { signal: this.abort.signal })
  }

  stop() {
    this.abort?.abort()
  }

  #show() {
    const { t, format } = this.context
    const { size } = this.selection
    this.element.hidden = size === 0
    write(this.count, t("select.count", { count: size, shown: format.number(size) }))
  }

  #submitted(event) {
    event.preventDefault()
    this.#tag("add_tags")
  }

  async #tag(action) {
    const tags = splitWords(this.tags.value)
    if (!tags.length) this.tags.focus()
    else if (await this.#change({ action, tags })) this.tags.value = ""
  }

  async #export() {
    const { api } = this.context
    const recipes = await attempt(this.context, () => fetchAll(this.selection.ids, (id) => api.recipe(id)))
    if (recipes) saveAs("recipes.json", JSON.stringify({ recipes }, null, 2))
  }

  async #change(request, ids = this.selection.ids) {
    const { api } = this.context
    const answer = await attempt(this.context, () => api.changeRecipes({ ids, ...request }))
    if (answer) this.done()
    return answer
  }

  async #remove() {
    const { ids } = this.selection
    if (!(await this.#change({ action: "delete" }, ids))) return
    this.selection.clear()
    this.#offerUndo(ids)
  }

  #offerUndo(ids) {
    const { t, format, notice } = this.context
    const act = () => this.#change({ action: "restore" }, ids)
    const words = t("select.deleted", { count: ids.length, shown: format.number(ids.length) })
    notice.say(words, { action: t("undo"), act })
  }
}
