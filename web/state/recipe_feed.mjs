// Holds the list of recipes that is on screen, page by page as the grid asks for it. Knows no DOM.

import { dispatch } from "../util/dispatch.mjs"

const PAGE = 100

/**
 * A list of `length` recipes of which some are here. Where the server counts (`total`) any page can be fetched,
 * so the grid may jump; where it does not, pages follow each other by cursor.
 */
export class RecipeFeed extends EventTarget {
  #pages = new Map()
  #stale = new Map()
  #asked = new Set()
  #cursor = null
  #turn = 0

  constructor(api) {
    super()
    this.api = api
    this.filters = {}
    this.length = 0
    this.loaded = false
  }

  /** Start over under other filters; answers to earlier questions are dropped. */
  async open(filters) {
    this.filters = filters
    this.#stale.clear()
    await this.#begin()
    dispatch(this, "opened")
  }

  /** Fetch the same list anew; what was here is shown until its page comes. */
  async reload() {
    this.#stale = new Map(this.#pages)
    await this.#begin()
  }

  at(index) {
    const page = Math.floor(index / PAGE)
    return (this.#pages.get(page) ?? this.#stale.get(page))?.[index % PAGE] ?? null
  }

  /** Make sure that these indexes come, as far as the server has them. */
  need(first, last) {
    const pages = Math.ceil(this.length / PAGE)
    const until = Math.min(pages - 1, Math.floor(last / PAGE))
    for (let page = Math.floor(first / PAGE); page <= until; page += 1) this.#ask(page)
  }

  /** The ids between two indexes, both included, as far as they are here. */
  idsBetween(one, other) {
    const [first, last] = [Math.min(one, other), Math.max(one, other)]
    return Array.from({ length: last - first + 1 }, (_, step) => this.at(first + step)?.id).filter(Boolean)
  }

  async #begin() {
    this.#turn += 1
    this.#asked.clear()
    await this.#fetch(0, this.#turn)
  }

  #ask(page) {
    if (this.#pages.has(page) || this.#asked.has(page) || (!this.counted && page !== this.#pages.size)) return
    this.#asked.add(page)
    this.#fetch(page, this.#turn).catch((error) => dispatch(this, "trouble", { detail: error }))
  }

  async #fetch(page, turn) {
    const place = this.counted && page > 0 ? { offset: page * PAGE } : { cursor: page > 0 ? this.#cursor : null }
    const answer = await this.api.recipes({ ...this.filters, limit: PAGE, ...place })
    if (turn === this.#turn) this.#take(page, answer)
  }

  #take(page, { items, next_cursor: next, total }) {
    if (page === 0) this.#pages.clear()
    this.#pages.set(page, items)
    this.#cursor = next
    this.counted = Number.isInteger(total)
    this.length = this.counted ? total : page * PAGE + items.length + (next ? PAGE : 0)
    this.loaded = true
    dispatch(this, "change")
  }
}
