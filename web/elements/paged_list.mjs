import { attempt } from "../util/attempt.mjs"
import { button, h } from "../util/dom.mjs"
import { fetchFirst } from "../util/pages.mjs"
import { KeyedRows } from "./keyed_rows.mjs"

/**
 * A list that fetches its next page as its end comes into sight. `fetch(cursor, limit)` gives a page of items with ids,
 * `page` is how many are fetched at a time, `row(item)` makes an `li`, `empty()` says that there is nothing.
 */
export class PagedList {
  #turn = 0

  constructor(context, { fetch, page, row, empty, label }) {
    Object.assign(this, { context, fetch, page, empty })
    this.list = h("ul", { class: "pantry-items", "aria-label": label })
    this.rows = new KeyedRows(this.list, row)
    this.nothing = h("p", { class: "pantry-quiet pantry-nothing", hidden: true })
    this.more = button(context.t("list.more"), () => this.#next(), { hidden: true })
    this.element = h("div", { class: "pantry-paged" }, this.list, this.nothing, this.more)
    this.sight = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && this.#next())
  }

  start() {
    this.sight.observe(this.more)
  }

  stop() {
    this.#turn += 1
    this.sight.disconnect()
  }

  /** Show the first page of what is asked for now; an answer to an earlier question is dropped. */
  reload() {
    return this.#show(this.page, { gentle: false })
  }

  /** Ask again for as much as is shown; the reader's place, focus and unfinished typing stay. */
  refresh() {
    return this.#show(Math.max(this.page, this.rows.size), { gentle: true })
  }

  async #show(count, { gentle }) {
    const turn = (this.#turn += 1)
    const found = await attempt(this.context, () => fetchFirst(this.fetch, count))
    if (!found || turn !== this.#turn) return
    this.rows.show(found.items, { gentle })
    this.#goOnAt(found.next_cursor)
  }

  async #next() {
    if (this.busy || this.more.hidden) return
    const turn = this.#turn
    this.busy = true
    const found = await attempt(this.context, () => this.fetch(this.cursor, this.page))
    this.busy = false
    if (!found || turn !== this.#turn) return
    this.rows.append(found.items)
    this.#goOnAt(found.next_cursor)
  }

  #goOnAt(cursor) {
    this.cursor = cursor
    this.more.hidden = !cursor
    this.nothing.hidden = this.rows.size > 0
    this.nothing.textContent = this.nothing.hidden ? "" : this.empty()
    this.#lookAgain()
  }

  // An end that stays in sight is no news to the observer.
  #lookAgain() {
    this.sight.unobserve(this.more)
    this.sight.observe(this.more)
  }
}
