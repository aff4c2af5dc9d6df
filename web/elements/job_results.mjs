import { button, fill, h, write } from "../util/dom.mjs"
import { hostName, runnable } from "../util/job_words.mjs"
import { PagedList } from "./paged_list.mjs"

const PAGE = 100
const AT_REST = new Set(["completed", "cancelled", "failed", "paused"])
const STATES = { success: "SUCCESS", skipped: "SKIPPED", failed: "FAILED" }

/** Lists a job's items by what became of them: by state, and by reason where there are several. */
export class JobResults {
  constructor(context, kind, id, { retry }) {
    Object.assign(this, { context, kind, id, retry, filter: { name: "all" } })
    this.tabs = h("div", { class: "pantry-filters", role: "group", "aria-label": context.t("results.filter") })
    const fetch = (cursor, limit) => context.api.jobItems(kind, id, { ...this.#query, limit, cursor })
    const words = { empty: () => context.t("results.none"), label: context.t("results.title") }
    this.list = new PagedList(context, { fetch, page: PAGE, row: (item) => this.#row(item), ...words })
    this.element = this.#lay()
    this.list.start()
  }

  /** Offer the filters that have something to show; what is listed follows the job once it is over. */
  show(job) {
    const ended = this.job && this.job.status !== job.status
    this.job = job
    this.#showTabs()
    this.#showAgain()
    if (ended && this.element.open) this.list.refresh()
  }

  stop() {
    this.list.stop()
  }

  get #query() {
    const { name, reason } = this.filter
    return { status: STATES[name], reason }
  }

  #lay() {
    const { t } = this.context
    const exports = h(
      "p",
      { class: "pantry-quiet" },
      t("results.report"),
      " ",
      this.#export("csv"),
      " ",
      this.#export("json"),
    )
    this.again = button("", () => this.retry(this.job, this.filter.reason), { class: "pantry-button is-small" })
    const parts = [h("summary", {}, t("results.title")), this.tabs, this.again, this.list.element, exports]
    const toggled = () => this.element.open && this.list.reload()
    return h("details", { class: "pantry-card pantry-results", ontoggle: toggled }, parts)
  }

  #export(format) {
    const { api, host } = this.context
    return h("a", { href: host.url(api.reportPath(this.kind, this.id, format)), download: true }, format.toUpperCase())
  }

  #showTabs() {
    const filters = filtersOf(this.job)
    const key = JSON.stringify([filters, this.filter])
    if (key === this.tabsKey) return
    this.tabsKey = key
    fill(
      this.tabs,
      filters.map((filter) => this.#tab(filter)),
    )
  }

  // What is listed can be run again as far as a vendor or a failure held it up.
  #showAgain() {
    const { name, reason } = this.filter
    const count = AT_REST.has(this.job.status) ? runnable(this.job, this.filter) : 0
    // Without a reason the server runs everything again, which is what is listed only where all is, or nothing else.
    const others = reason ? 0 : runnable(this.job, { name: "all" }) - count
    this.again.hidden = !count || (name !== "all" && others > 0)
    const { t, format } = this.context
    write(this.again, t("results.again", { count, shown: format.number(count) }))
  }

  #tab({ name, reason, count }) {
    const { t, format } = this.context
    const words = reason ? t.named("item", reason) : t(`results.${name}`)
    const pressed = name === this.filter.name && reason === this.filter.reason
    const look = { class: "pantry-chip", "aria-pressed": String(pressed) }
    return button(`${words} ${format.number(count)}`, () => this.#choose({ name, reason }), look)
  }

  #choose(filter) {
    this.filter = filter
    this.#showTabs()
    this.#showAgain()
    this.list.reload()
  }

  #row(item) {
    const { router } = this.context
    const open = item.recipe_id && (() => router.go(`recipe/${item.recipe_id}`))
    const look = { class: "pantry-item-name", title: item.source, onclick: open || undefined }
    const name = h(open ? "button" : "span", look, item.name ?? item.source)
    const state = h("span", { class: `pantry-state is-${stateOf(item)}` }, this.#state(item))
    // Where the state says until when, or that all is well, it needs no more words.
    const said = item.retry_at || item.reason === "duplicate" ? null : item.detail
    const why = said && h("p", { class: "pantry-quiet pantry-item-detail" }, said)
    return h("li", { class: "pantry-item" }, name, state, why)
  }

  #state(item) {
    const { t, format } = this.context
    const words = t.named("item", stateOf(item))
    if (!item.retry_at) return words
    const time = format.moment(item.retry_at, Date.now() / 1000)
    return t("item.until", { words, host: hostName(item.host ?? ""), time })
  }
}

/** The filters that make sense for a job: by state, then by reason. */
export function filtersOf(job) {
  const states = ["success", "skipped", "failed"].map((name) => ({ name, count: job[name] ?? 0 }))
  const reasons = ["skipped", "failed"].flatMap((name) =>
    Object.entries(job[`${name}_reasons`] ?? {}).map(([reason, count]) => ({ name, reason, count })),
  )
  return [{ name: "all", count: job.total ?? 0 }, ...states, ...reasons].filter(
    (one) => one.name === "all" || one.count,
  )
}

/** The state of an item as one word: its reason where there is one, else its status. */
export function stateOf({ status, reason }) {
  return (status !== "SUCCESS" && reason ? reason : status).toLowerCase()
}
