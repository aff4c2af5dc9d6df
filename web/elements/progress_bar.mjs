import { fill, h, setVariable } from "../util/dom.mjs"
import { mood, shares } from "../util/job_words.mjs"

const PARTS = ["success", "later", "skipped", "failed"]

/** Draws how far a job is: one bar, four colours. The words beside it are the card's. */
export class ProgressBar {
  constructor(label) {
    this.parts = new Map(PARTS.map((part) => [part, h("span", { class: `pantry-bar-part is-${part}` })]))
    this.element = h("div", { class: "pantry-bar", role: "progressbar", "aria-label": label, "aria-valuemin": 0 })
    this.element.setAttribute("aria-valuemax", 100)
    fill(this.element, [...this.parts.values()])
  }

  /** Show `job`; `text` is what a screen reader says instead of the percentage. */
  show(job, text) {
    const widths = shares(job)
    for (const [part, element] of this.parts) setVariable(element, "--share", `${widths[part]}%`)
    this.element.dataset.mood = mood(job)
    this.element.setAttribute("aria-valuenow", Math.floor(job.progress_percent ?? 0))
    this.element.setAttribute("aria-valuetext", text)
  }
}
