import { dispatch } from "../util/dispatch.mjs"
import { h, setVariable } from "../util/dom.mjs"
import { cardPlace, gridLayout, nextIndex, visibleRange } from "../util/grid_layout.mjs"
import { RecipeCard } from "./recipe_card.mjs"

const REST = 70

/**
 * Shows a feed of any length with as many cards as fit on screen. Sends "open" and "select" with the index.
 * The scroller is the grid's own element, so that a long list moves nothing else.
 */
export class RecipeGrid extends EventTarget {
  #cards = new Map()
  #focused = 0

  constructor(context, feed, selection) {
    super()
    this.context = context
    this.feed = feed
    this.selection = selection
    this.sheet = h("div", {
      class: "pantry-sheet",
      role: "listbox",
      "aria-multiselectable": "true",
      "aria-label": context.t("recipes.label"),
    })
    this.element = h("div", { class: "pantry-grid" }, this.sheet)
  }

  start() {
    this.abort = new AbortController()
    const signal = this.abort.signal
    this.element.addEventListener("scroll", () => this.#scrolled(), { passive: true, signal })
    this.sheet.addEventListener("click", (event) => this.#clicked(event), { signal })
    this.sheet.addEventListener("keydown", (event) => this.#pressed(event), { signal })
    this.sheet.addEventListener("dragstart", (event) => this.#dragged(event), { signal })
    this.feed.addEventListener("change", () => this.#soon(), { signal })
    this.feed.addEventListener("opened", () => this.#toTop(), { signal })
    this.selection.addEventListener("change", () => this.#soon(), { signal })
    this.observer = new ResizeObserver(() => this.#soon())
    this.observer.observe(this.element)
    this.#draw()
    this.element.scrollTop = this.left ?? 0
  }

  /** Stop, and remember the place for the next start. */
  stop() {
    this.left = this.element.scrollTop
    this.abort?.abort()
    this.observer?.disconnect()
    clearTimeout(this.rest)
    cancelAnimationFrame(this.frame)
  }

  focus() {
    this.#cards.get(this.#focused)?.element.focus({ preventScroll: true })
  }

  #toTop() {
    this.element.scrollTop = 0
    this.#focused = 0
    this.#soon()
  }

  #scrolled() {
    this.scrolledAt = performance.now()
    this.#soon()
  }

  #soon() {
    cancelAnimationFrame(this.frame)
    this.frame = requestAnimationFrame(() => this.#draw())
  }

  #draw() {
    const count = this.feed.length
    this.layout = gridLayout({ width: this.sheet.clientWidth, count })
    setVariable(this.sheet, "height", `${this.layout.height}px`)
    const { scrollTop, clientHeight } = this.element
    const [first, last] = visibleRange(this.layout, { top: scrollTop, height: clientHeight, count })
    this.#focused = Math.min(this.#focused, Math.max(0, count - 1))
    this.#keepOnly(first, last)
    for (let index = first; index <= last; index += 1) this.#drawCard(index)
    this.feed.need(first, last)
    this.#loadWhenAtRest()
  }

  // The focused card stays even out of sight: a focus that falls to the page would lose the reader's place.
  #keepOnly(first, last) {
    for (const [index, card] of this.#cards) {
      const held = index === this.#focused && card.element === document.activeElement && index < this.feed.length
      if ((index < first || index > last) && !held) this.#drop(index, card)
    }
  }

  #drop(index, card) {
    card.element.remove()
    this.#cards.delete(index)
  }

  #drawCard(index) {
    const recipe = this.feed.at(index)
    const card = this.#cards.get(index) ?? this.#addCard(index)
    card.place(cardPlace(this.layout, index), this.layout.card)
    card.show(recipe, { selected: this.selection.has(recipe?.id), count: this.feed.length })
    card.canFocus(index === this.#focused)
  }

  #addCard(index) {
    const card = new RecipeCard(this.context, index)
    this.#cards.set(index, card)
    this.sheet.append(card.element)
    return card
  }

  // While the list flies past, pictures that nobody could see are not asked for.
  #loadWhenAtRest() {
    clearTimeout(this.rest)
    const left = (this.scrolledAt ?? -REST) + REST - performance.now()
    if (left > 0) this.rest = setTimeout(() => this.#load(), left)
    else this.#load()
  }

  #load() {
    for (const card of this.#cards.values()) card.load()
  }

  #clicked(event) {
    const card = event.target.closest(".pantry-recipe")
    if (!card) return
    const index = Number(card.dataset.index)
    this.#focused = index
    const selecting = event.ctrlKey || event.metaKey || event.shiftKey || event.target.closest(".pantry-tick")
    dispatch(this, selecting || this.selection.size ? "select" : "open", { detail: { index, range: event.shiftKey } })
  }

  // ComfyUI's canvas takes the address of an image and loads the workflow inside it.
  #dragged(event) {
    const recipe = this.feed.at(Number(event.target.closest(".pantry-recipe")?.dataset.index))
    const { api, host } = this.context
    if (recipe)
      event.dataTransfer.setData(
        "text/uri-list",
        new URL(host.url(api.recipeFilePath(recipe.id, "image")), location.href).href,
      )
  }

  #pressed(event) {
    const name = { Enter: "open", " ": "select" }[event.key]
    if (name) return this.#act(event, name)
    const page = Math.max(1, Math.floor(this.element.clientHeight / (this.layout?.row ?? 1)))
    const spread = { columns: this.layout?.columns ?? 1, count: this.feed.length, page }
    const index = nextIndex(event.key, this.#focused, spread)
    if (index === null) return undefined
    event.preventDefault()
    const from = this.#focused
    this.#moveTo(index)
    if (event.shiftKey) dispatch(this, "select", { detail: { index, range: true, from } })
    return undefined
  }

  #act(event, name) {
    event.preventDefault()
    dispatch(this, name, { detail: { index: this.#focused, range: event.shiftKey } })
  }

  #moveTo(index) {
    this.#focused = index
    this.#scrollTo(index)
    this.#draw()
    this.focus()
  }

  #scrollTo(index) {
    const { top } = cardPlace(this.layout, index)
    const { scrollTop, clientHeight } = this.element
    if (top < scrollTop) this.element.scrollTop = top
    else if (top + this.layout.row > scrollTop + clientHeight)
      this.element.scrollTop = top + this.layout.row - clientHeight
  }
}
