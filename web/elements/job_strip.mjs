import { h, write } from "../util/dom.mjs"
import { headline, mood } from "../util/job_words.mjs"
import { ProgressBar } from "./progress_bar.mjs"

/** A thin reminder of the running job above every other view; a click opens the import view. */
export class JobStrip {
  constructor(context) {
    this.context = context
    this.words = h("span", { class: "pantry-strip-words" })
    this.bar = new ProgressBar(context.t("job.progress"))
    this.bar.element.ariaHidden = "true"
    const open = () => context.router.go("import")
    this.element = h("button", { type: "button", class: "pantry-strip", hidden: true, onclick: open }, this.words, this.bar.element)
  }

  start() {
    this.abort = new AbortController()
    this.context.jobs.addEventListener("change", () => this.#show(), { signal: this.abort.signal })
    this.#show()
  }

  stop() {
    this.abort?.abort()
  }

  /** Hide it where the job is on screen anyway. */
  hide(hidden) {
    this.hidden = hidden
    this.#show()
  }

  #show() {
    const [job] = this.context.jobs.active
    this.element.hidden = this.hidden || !job
    if (!job) return
    const { t, format } = this.context
    const words = `${headline(job, this.context)} · ${format.percent(job.progress_percent ?? 0)}`
    write(this.words, words)
    this.element.dataset.mood = mood(job)
    this.bar.show(job, words)
  }
}
