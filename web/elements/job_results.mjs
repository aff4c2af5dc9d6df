import { button, fill, h } from "../util/dom.mjs"
import { hostName } from "../util/job_words.mjs"
import { PagedList } from "./paged_list.mjs"

const PAGE = 100
const STATES = { success: "SUCCESS", skipped: "SKIPPED", failed: "FAILED" }

/** Lists a job's items by what became of them: by state, and by reason where there are several. */
export class JobResults {
  constructor(context, kind, id) {
    Object.assign(this, { context, kind, id, filter: { name: "all" } })
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
    const parts = [h("summary", {}, t("results.title")), this.tabs, this.list.element, exports]
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
    this.list.reload()
  }

  #row(item) {
    const { router } = this.context
    const open = item.recipe_id && (() => router.go(`recipe/${item.recipe_id}`))
    const look = { class: "pantry-item-name", title: item.source, onclick: open || undefined }
    const name = h(open ? "button" : "span", look, item.name ?? item.source)
    return h(
      "li",
      { class: "pantry-item" },
      name,
      h("span", { class: `pantry-state is-${stateOf(item)}` }, this.#state(item)),
    )
  }

  #state(item) {
    const { t, format } = this.context
    const words = t.named("item", stateOf(item))
    if (item.retry_at)
      return t("item.until", {
        words,
        host: hostName(item.host ?? ""),
        time: format.moment(item.retry_at, Date.now() / 1000),
      })
    return item.status === "FAILED" && item.detail ? `${words}: ${item.detail}` : words
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

/** The state of an item as one word: its reason where it was skipped, else its status. */
export function stateOf({ status, reason }) {
  return (status === "SKIPPED" && reason ? reason : status).toLowerCase()
}
