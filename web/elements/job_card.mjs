import { button, fill, h, write } from "../util/dom.mjs"
import { headline, mood, putOff, shortName, verbs, wordOf } from "../util/job_words.mjs"
import { LimitNotes } from "./limit_notes.mjs"
import { ProgressBar } from "./progress_bar.mjs"

const COUNTS = ["success", "later", "skipped", "failed"]

/** Shows one job: what it does, how far it is, whom it waits for, and what can be done about it. */
export class JobCard {
  #verbs = ""

  constructor(context, { tell, open = null }) {
    this.context = context
    this.tell = tell
    this.title = h(open ? "button" : "h3", { class: "pantry-job-title", onclick: open ?? undefined })
    this.headline = h("p", { class: "pantry-job-headline" })
    this.tally = h("p", { class: "pantry-job-tally" })
    this.counts = h("ul", { class: "pantry-counts" })
    this.detail = h("p", { class: "pantry-job-detail" })
    this.message = h("p", { class: "pantry-job-message" })
    this.actions = h("div", { class: "pantry-actions" })
    this.bar = new ProgressBar(context.t("job.progress"))
    this.limits = new LimitNotes(context)
    this.element = this.#lay()
  }

  show(job) {
    this.job = job
    this.element.dataset.mood = mood(job)
    this.#writeWords(job)
    this.bar.show(job, this.#spoken(job))
    this.limits.show({ kind: job.kind, limits: job.limits ?? [] })
    this.#showCounts(job)
    this.#showVerbs(job)
  }

  stop() {
    this.limits.stop()
  }

  #lay() {
    const head = h("div", { class: "pantry-job-head" }, this.title, this.actions)
    const line = h("div", { class: "pantry-job-line" }, this.headline, this.tally)
    const parts = [head, line, this.bar.element, this.limits.element, this.counts, this.detail, this.message]
    return h("article", { class: "pantry-job pantry-card" }, parts)
  }

  #writeWords(job) {
    const { t } = this.context
    write(this.title, job.source ? shortName(job.source) : t("job.untitled"))
    this.title.title = job.source ?? ""
    // Where a sentence says for whom we wait, the headline need not say it again.
    write(this.headline, mood(job) === "waiting" && job.limits?.length ? t("mood.held") : headline(job, this.context))
    write(this.tally, this.#tally(job))
    // What needs no vendor goes on while one makes us wait.
    write(this.detail, job.status === "running" ? this.#pace(job) : "")
    write(this.message, job.message ?? "")
    this.message.hidden = !job.message
  }

  #spoken(job) {
    return `${headline(job, this.context)}, ${this.#tally(job)}`
  }

  #tally({ completed = 0, total = 0 }) {
    const { t, format } = this.context
    return t("job.tally", { done: format.number(completed), total: format.number(total) })
  }

  #pace(job) {
    const { t, format } = this.context
    const words = []
    if (job.items_per_second) words.push(t("job.rate", { rate: format.decimal(job.items_per_second) }))
    if (job.eta_seconds) words.push(t("job.eta", { left: format.duration(job.eta_seconds) }))
    // The name comes last: where there is little room, it is what may be cut off.
    return [...words, job.current_item].filter(Boolean).join(" · ")
  }

  #showCounts(job) {
    const later = putOff(job)
    const values = { success: job.success, later, skipped: (job.skipped ?? 0) - later, failed: job.failed }
    const shown = COUNTS.filter((name) => values[name] > 0 || name === "success")
    fill(
      this.counts,
      shown.map((name) => this.#count(name, values[name] ?? 0, job)),
    )
  }

  #count(name, value, job) {
    const words = this.context.t(wordOf(`count.${name}`, job), { count: value, shown: this.context.format.number(value) })
    return h("li", { class: `pantry-count is-${name}` }, words)
  }

  // Buttons are only rebuilt when they change, so that focus stays where it is.
  #showVerbs(job) {
    const wanted = verbs(job)
    if (wanted.join() === this.#verbs) return
    this.#verbs = wanted.join()
    fill(
      this.actions,
      wanted.map((verb) => button(this.context.t(`verb.${verb}`), () => this.tell(this.job, verb))),
    )
  }
}
