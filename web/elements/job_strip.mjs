import { h, write } from "../util/dom.mjs"
import { headline, mood } from "../util/job_words.mjs"
import { LimitNotes } from "./limit_notes.mjs"
import { ProgressBar } from "./progress_bar.mjs"

/** A thin reminder of the running job above every other view; a click opens the import view. */
export class JobStrip {
  constructor(context) {
    this.context = context
    this.words = h("span", { class: "pantry-strip-words" })
    this.bar = new ProgressBar(context.t("job.progress"))
    this.bar.element.ariaHidden = "true"
    this.limits = new LimitNotes(context)
    const open = () => context.router.go("import")
    this.element = h("button", { type: "button", class: "pantry-strip", hidden: true, onclick: open })
    this.element.append(this.words, this.bar.element, this.limits.element)
  }

  start() {
    this.abort = new AbortController()
    this.context.jobs.addEventListener("change", () => this.#show(), { signal: this.abort.signal })
    this.#show()
  }

  stop() {
    this.abort?.abort()
    this.limits.stop()
  }

  /** Hide it where the job is on screen anyway. */
  hide(hidden) {
    this.hidden = hidden
    this.#show()
  }

  #show() {
    const [job] = this.context.jobs.active
    this.element.hidden = this.hidden || !job
    this.limits.show({ kind: job?.kind, limits: this.element.hidden ? [] : job.limits })
    if (!job) return
    const words = `${headline(job, this.context)} · ${this.context.format.percent(job.progress_percent ?? 0)}`
    write(this.words, words)
    this.element.dataset.mood = mood(job)
    this.bar.show(job, words)
  }
}
