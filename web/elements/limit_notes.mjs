import { fill, h, write } from "../util/dom.mjs"
import { hostName, secondsLeft, wordOf } from "../util/job_words.mjs"

const TICK = 1000

/** Says, per vendor, that it asked us to wait, until when, and how many images that holds. Ticks while one is shown. */
export class LimitNotes {
  constructor({ t, format, jobs }) {
    this.t = t
    this.format = format
    this.now = jobs.now
    this.element = h("span", { class: "pantry-limits" })
    this.notes = []
  }

  show({ kind, limits }) {
    this.kind = kind
    this.notes = limits.map((limit) => ({ limit, element: h("span", { class: "pantry-limit" }) }))
    fill(
      this.element,
      this.notes.map((note) => note.element),
    )
    this.#tick()
    this.#keepTicking()
  }

  stop() {
    clearInterval(this.timer)
    this.timer = undefined
  }

  /** The sentence of one limit. */
  sentence(limit) {
    const left = secondsLeft(limit, this.now())
    const key = wordOf(left > 0 ? "limit.waiting" : "limit.over", this)
    const nowSeconds = Date.now() / 1000
    return this.t(key, {
      host: hostName(limit.host),
      count: limit.waiting_items ?? 0,
      shown: this.format.number(limit.waiting_items ?? 0),
      time: this.format.moment(nowSeconds + left, nowSeconds),
      left: this.format.duration(left),
    })
  }

  #tick() {
    for (const { limit, element } of this.notes) write(element, this.sentence(limit))
  }

  #keepTicking() {
    this.stop()
    if (this.notes.length) this.timer = setInterval(() => this.#tick(), TICK)
  }
}
