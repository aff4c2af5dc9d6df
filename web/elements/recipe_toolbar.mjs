import { h, write } from "../util/dom.mjs"

const TYPING = 200
const SORTS = ["newest", "oldest", "title", "rating", "missing"]

/** Asks what to look for: words, facets and order. Tells `changed` with the filters that are set. */
export class RecipeToolbar {
  constructor(context, { changed }) {
    this.context = context
    this.changed = changed
    this.facets = {}
    const { t } = context
    this.search = h("input", { type: "search", class: "pantry-input", "aria-label": t("recipes.search"), placeholder: t("recipes.search"), oninput: () => this.#typed() })
    this.sort = h("select", { class: "pantry-input", "aria-label": t("recipes.sort"), onchange: () => this.#tell() }, SORTS.map((name) => h("option", { value: name }, t(`sort.${name}`))))
    this.count = h("p", { class: "pantry-quiet pantry-count-line", role: "status" })
    this.element = h("div", { class: "pantry-toolbar", role: "search" }, this.search, this.sort, this.count)
  }

  get filters() {
    return { q: this.search.value.trim(), sort: this.sort.value, ...this.facets }
  }

  /** Whether anything is left out at the moment. */
  get filtered() {
    return Boolean(this.search.value.trim()) || Object.values(this.facets).some(Boolean)
  }

  clear() {
    this.search.value = ""
    this.facets = {}
    this.#tell()
  }

  showCount(count) {
    write(this.count, this.context.t("recipes.count", { count, shown: this.context.format.number(count) }))
  }

  stop() {
    clearTimeout(this.typing)
  }

  #typed() {
    clearTimeout(this.typing)
    this.typing = setTimeout(() => this.#tell(), TYPING)
  }

  #tell() {
    this.changed(this.filters)
  }
}
