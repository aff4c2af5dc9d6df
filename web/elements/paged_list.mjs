import { attempt } from "../util/attempt.mjs"
import { button, fill, h } from "../util/dom.mjs"

/** A list that fetches its next page as its end comes into sight. `fetch(cursor)` gives a page, `row(item)` an `li`. */
export class PagedList {
  #turn = 0

  constructor(context, { fetch, row, empty, label }) {
    Object.assign(this, { context, fetch, row, empty })
    this.list = h("ul", { class: "pantry-items", "aria-label": label })
    this.more = button(context.t("list.more"), () => this.#next(), { hidden: true })
    this.element = h("div", { class: "pantry-paged" }, this.list, this.more)
    this.sight = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && this.#next())
  }

  start() {
    this.sight.observe(this.more)
  }

  stop() {
    this.#turn += 1
    this.sight.disconnect()
  }

  /**
   * Show the first page; an answer to an earlier question is dropped, and a row that somebody is typing into is not
   * replaced under their hands.
   */
  async reload() {
    const turn = (this.#turn += 1)
    const page = await attempt(this.context, () => this.fetch(null))
    if (!page || turn !== this.#turn || this.list.querySelector("form")) return
    fill(this.list)
    this.#append(page)
    if (!page.items.length) fill(this.list, h("li", { class: "pantry-quiet" }, this.empty()))
  }

  async #next() {
    if (this.busy || this.more.hidden) return
    const turn = this.#turn
    this.busy = true
    const page = await attempt(this.context, () => this.fetch(this.cursor))
    this.busy = false
    if (page && turn === this.#turn) this.#append(page)
  }

  #append({ items, next_cursor: next }) {
    this.list.append(...items.map((item) => this.row(item)))
    this.cursor = next
    this.more.hidden = !next
  }
}
