import { h, write } from "../util/dom.mjs"
import { FacetBar } from "./facet_bar.mjs"

const TYPING = 200
const SORTS = ["newest", "oldest", "title", "rating", "missing"]

/** Asks what to look for: words, facets and order. Tells `changed` with the filters that are set. */
export class RecipeToolbar {
  constructor(context, { changed }) {
    this.context = context
    this.changed = changed
    const { t } = context
    this.facets = new FacetBar(context, { changed: () => this.#tell(), words: () => this.search.value.trim() })
    const words = { "aria-label": t("recipes.search"), placeholder: t("recipes.search") }
    this.search = h("input", { type: "search", class: "pantry-input", ...words, oninput: () => this.#typed() })
    this.sort = this.#sortField()
    this.count = h("p", { class: "pantry-quiet pantry-count-line", role: "status" })
    const line = h("div", { class: "pantry-toolbar-line" }, this.count, this.facets.chips)
    const parts = [this.search, this.sort, this.facets.element, line]
    this.element = h("div", { class: "pantry-toolbar", role: "search" }, parts)
  }

  get filters() {
    return { q: this.search.value.trim(), sort: this.sort.value, ...this.facets.filters }
  }

  /** Whether anything is left out at the moment. */
  get filtered() {
    return Boolean(this.search.value.trim()) || this.facets.active
  }

  clear() {
    this.search.value = ""
    this.facets.set({})
    this.#tell()
  }

  /** Look for exactly this: what another view asks for. */
  set(chosen, words = "") {
    this.search.value = words
    this.facets.set(chosen)
    this.#tell()
  }

  showCount(count) {
    write(this.count, this.context.t("recipes.count", { count, shown: this.context.format.number(count) }))
  }

  stop() {
    clearTimeout(this.typing)
  }

  #sortField() {
    const { t } = this.context
    const options = SORTS.map((name) => h("option", { value: name }, t(`sort.${name}`)))
    const look = { class: "pantry-input", "aria-label": t("recipes.sort"), onchange: () => this.#tell() }
    return h("select", look, options)
  }

  #typed() {
    clearTimeout(this.typing)
    this.typing = setTimeout(() => this.#search(), TYPING)
  }

  #search() {
    this.facets.refresh()
    this.#tell()
  }

  #tell() {
    this.changed(this.filters)
  }
}
