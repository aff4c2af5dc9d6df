import { fill, h } from "../util/dom.mjs"
import { mood, shortName } from "../util/job_words.mjs"

/** Lists earlier imports; a click shows one above. */
export class JobHistory {
  constructor(context) {
    this.context = context
    this.list = h("ul", { class: "pantry-items" })
    this.element = h(
      "details",
      { class: "pantry-card", hidden: true },
      h("summary", {}, context.t("history.title")),
      this.list,
    )
  }

  start() {
    this.abort = new AbortController()
    this.context.jobs.addEventListener("refreshed", () => this.#show(), { signal: this.abort.signal })
    this.context.jobs.addEventListener("change", ({ detail }) => this.#changed(detail), { signal: this.abort.signal })
    this.#show()
  }

  stop() {
    this.abort?.abort()
  }

  #changed({ job, before }) {
    if (job.status !== before?.status) this.#show()
  }

  #show() {
    const jobs = this.context.jobs.all.filter((job) => job.kind === "batch-imports")
    this.element.hidden = jobs.length < 2
    fill(
      this.list,
      jobs.map((job) => this.#row(job)),
    )
  }

  #row(job) {
    const { t, format, router } = this.context
    const open = () => router.go(`import/${job.operation_id}`)
    const when = job.started_at ? format.date(job.started_at) : ""
    const words = job.source ? shortName(job.source) : t("job.untitled")
    const name = h("button", { class: "pantry-item-name", title: job.source, onclick: open }, words)
    const state = [
      t(`mood.${mood(job)}`),
      t("history.recipes", { count: job.success ?? 0, shown: format.number(job.success ?? 0) }),
      when,
    ]
    return h(
      "li",
      { class: "pantry-item" },
      name,
      h("span", { class: "pantry-state" }, state.filter(Boolean).join(" · ")),
    )
  }
}
