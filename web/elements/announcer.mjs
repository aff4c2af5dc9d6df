import { h } from "../util/dom.mjs"
import { headline, mood } from "../util/job_words.mjs"

const STEP = 25

/** Tells screen readers what changed about a job, sparingly: a new mood, or another quarter done. */
export class Announcer {
  constructor({ t, format }) {
    this.t = t
    this.format = format
    this.element = h("p", { class: "pantry-unseen", role: "status", "aria-live": "polite" })
  }

  jobChanged({ job, before }) {
    if (before && mood(job) === mood(before) && quarter(job) === quarter(before)) return
    this.say(`${headline(job, this)}, ${this.format.percent(quarter(job) * STEP)}`)
  }

  say(text) {
    this.element.textContent = text
  }
}

function quarter(job) {
  return Math.floor((job.progress_percent ?? 0) / STEP)
}
