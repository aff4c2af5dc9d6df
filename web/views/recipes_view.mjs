import { RecipeGrid } from "../elements/recipe_grid.mjs"
import { RecipeToolbar } from "../elements/recipe_toolbar.mjs"
import { SelectionBar } from "../elements/selection_bar.mjs"
import { RecipeFeed } from "../state/recipe_feed.mjs"
import { Selection } from "../state/selection.mjs"
import { attempt } from "../util/attempt.mjs"
import { button, fill, h } from "../util/dom.mjs"
import { Soon } from "../util/soon.mjs"

// An import changes recipes many times a second; the list follows at a pace that can be read.
const SETTLE = 400

/** The recipes: search, filters, the grid, and what can be done with several at once. */
export class RecipesView {
  constructor(context) {
    this.context = context
    this.feed = new RecipeFeed(context.api)
    this.selection = new Selection()
    this.toolbar = new RecipeToolbar(context, { changed: (filters) => this.#open(filters) })
    this.bar = new SelectionBar(context, this.selection, { done: () => this.#reload() })
    this.grid = new RecipeGrid(context, this.feed, this.selection)
    this.soon = new Soon(() => this.#reload(), SETTLE)
    this.empty = h("div", { class: "pantry-empty", hidden: true })
    const parts = [this.toolbar.element, this.bar.element, this.grid.element, this.empty]
    this.element = h("div", { class: "pantry-view pantry-recipes" }, parts)
  }

  start() {
    this.abort = new AbortController()
    this.#listen(this.grid, "open", ({ detail }) => this.#show(detail.index))
    this.#listen(this.grid, "select", ({ detail }) => this.#select(detail))
    this.#listen(this.feed, "change", () => this.#showCount())
    this.#listen(this.feed, "trouble", ({ detail }) => this.context.notice.trouble(detail))
    this.#listen(this.context.host.events, "pantry.recipes_changed", () => this.soon.ask())
    this.#listen(this.context.host.events, "connected", () => this.soon.ask())
    this.grid.start()
    this.bar.start()
    this.feed.loaded ? this.#reload() : this.#open(this.toolbar.filters)
  }

  /** Show the recipes that use one model, where another view asks for that: "recipes/lora/name", "recipes/q/name". */
  show(facet, value) {
    if (!value) return
    if (facet === "q") this.toolbar.set({}, value)
    else this.toolbar.set({ [facet]: facet === "lora" ? [value] : value })
  }

  /** Choose nothing, by the Escape key. */
  escape() {
    this.selection.clear()
  }

  /** Give the focus back to the card that was opened. */
  focus() {
    this.grid.focus()
  }

  stop() {
    this.abort.abort()
    this.soon.stop()
    this.grid.stop()
    this.bar.stop()
    this.toolbar.stop()
  }

  async #open(filters) {
    await attempt(this.context, () => this.feed.open(filters))
  }

  async #reload() {
    await attempt(this.context, () => this.feed.reload())
  }

  #show(index) {
    const recipe = this.feed.at(index)
    if (!recipe) return
    const { chosen, router } = this.context
    chosen ? chosen(recipe) : router.go(`recipe/${recipe.id}`)
  }

  // A range begins where the last choice was, or where the focus came from.
  #select({ index, range, from }) {
    const recipe = this.feed.at(index)
    if (!this.selection.size) this.anchor = from
    if (range && this.anchor !== undefined) this.selection.add(this.feed.idsBetween(this.anchor, index))
    else if (recipe) this.selection.toggle(recipe.id)
    this.anchor = index
  }

  #showCount() {
    const { length, loaded } = this.feed
    this.toolbar.showCount(length)
    this.empty.hidden = !loaded || length > 0
    this.grid.element.hidden = loaded && length === 0
    if (!this.empty.hidden) fill(this.empty, this.#emptyWords())
  }

  #emptyWords() {
    const { t, router } = this.context
    if (this.toolbar.filtered) {
      return [h("h2", {}, t("recipes.none_found")), button(t("recipes.clear"), () => this.toolbar.clear())]
    }
    const go = button(t("recipes.go_import"), () => router.go("import"), { class: "pantry-button is-primary" })
    return [h("h2", {}, t("recipes.empty")), h("p", { class: "pantry-quiet" }, t("recipes.empty_hint")), go]
  }

  #listen(target, event, handler) {
    target.addEventListener(event, handler, { signal: this.abort.signal })
  }
}
