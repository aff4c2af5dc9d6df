import { attempt } from "../util/attempt.mjs"
import { button, fill, h } from "../util/dom.mjs"
import { hostName } from "../util/job_words.mjs"

const PAGE = 100
const FILTERS = {
  all: {},
  success: { status: "SUCCESS" },
  skipped: { status: "SKIPPED" },
  failed: { status: "FAILED" },
}

/** Lists a job's images by what became of them, a page at a time. */
export class JobResults {
  constructor(context, kind, id) {
    this.context = context
    this.kind = kind
    this.id = id
    this.filter = "all"
    this.tabs = h("div", { class: "pantry-filters", role: "group", "aria-label": context.t("results.filter") })
    this.list = h("ul", { class: "pantry-items" })
    this.more = button(context.t("results.more"), () => this.#load(), { hidden: true })
    this.element = this.#lay()
  }

  /** Offer the filters that have something to show; reload when the counts have changed and the list is open. */
  show(job) {
    this.job = job
    this.#showTabs()
    if (this.element.open && this.cursor === null && !this.loading) this.#reload()
  }

  stop() {
    this.stopped = true
  }

  #lay() {
    const { t, api, host } = this.context
    const link = (format) => h("a", { class: "pantry-link", href: host.url(api.reportPath(this.kind, this.id, format)), download: true }, format.toUpperCase())
    const exports = h("p", { class: "pantry-quiet" }, t("results.report"), " ", link("csv"), " ", link("json"))
    const parts = [h("summary", {}, t("results.title")), this.tabs, this.list, this.more, exports]
    return h("details", { class: "pantry-card pantry-results", ontoggle: () => this.#toggled() }, parts)
  }

  #toggled() {
    if (this.element.open) this.#reload()
  }

  #showTabs() {
    const counts = { all: this.job.total, success: this.job.success, skipped: this.job.skipped, failed: this.job.failed }
    const key = JSON.stringify([counts, this.filter])
    if (key === this.tabsKey) return
    this.tabsKey = key
    fill(this.tabs, Object.keys(FILTERS).map((name) => this.#tab(name, counts[name] ?? 0)))
  }

  #tab(name, count) {
    const label = `${this.context.t(`results.${name}`)} ${this.context.format.number(count)}`
    return button(label, () => this.#choose(name), { class: "pantry-chip", "aria-pressed": String(name === this.filter) })
  }

  #choose(name) {
    this.filter = name
    this.#showTabs()
    this.#reload()
  }

  async #reload() {
    this.cursor = undefined
    await this.#load()
  }

  async #load() {
    const { api } = this.context
    const fresh = this.cursor === undefined
    const query = { ...FILTERS[this.filter], limit: PAGE, cursor: this.cursor }
    this.loading = true
    const page = await attempt(this.context, () => api.jobItems(this.kind, this.id, query))
    this.loading = false
    if (page && !this.stopped) this.#append(page, fresh)
  }

  #append({ items, next_cursor: next }, fresh) {
    const rows = items.map((item) => this.#row(item))
    fill(this.list, fresh ? [] : [...this.list.children], rows)
    if (!rows.length && fresh) fill(this.list, h("li", { class: "pantry-quiet" }, this.context.t("results.none")))
    this.cursor = next ?? null
    this.more.hidden = !next
  }

  #row(item) {
    const { router } = this.context
    const open = item.recipe_id && (() => router.go(`recipe/${item.recipe_id}`))
    const name = h(open ? "button" : "span", { class: "pantry-item-name", title: item.source, onclick: open || undefined }, item.name ?? item.source)
    const what = h("span", { class: `pantry-state is-${stateOf(item)}` }, this.#state(item))
    return h("li", { class: "pantry-item" }, name, what)
  }

  #state(item) {
    const { t, format } = this.context
    const words = t(`item.${stateOf(item)}`)
    const at = item.retry_at && format.moment(item.retry_at, Date.now() / 1000)
    if (at) return t("item.until", { words, host: hostName(item.host ?? ""), time: at })
    return item.status === "FAILED" && item.detail ? `${words}: ${item.detail}` : words
  }
}

/** The state of an item as one word: its reason where it was skipped, else its status. */
export function stateOf({ status, reason }) {
  return (status === "SKIPPED" && reason ? reason : status).toLowerCase()
}

