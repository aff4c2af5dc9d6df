import { h } from "../util/dom.mjs"
import { JobCard } from "./job_card.mjs"

/** The other jobs that are under way: while one waits for a vendor, the next may begin. A title opens its job. */
export class JobStack {
  #cards = new Map()

  constructor(context, { kind, tell }) {
    this.context = context
    this.kind = kind
    this.tell = tell
    this.element = h("div", { class: "pantry-stack" })
  }

  /** Show every active job but the one that has the stage. */
  show(exceptId) {
    const jobs = this.context.jobs.active.filter((job) => job.kind === this.kind && job.operation_id !== exceptId)
    const wanted = new Set(jobs.map((job) => job.operation_id))
    for (const [id, card] of this.#cards) if (!wanted.has(id)) this.#drop(id, card)
    for (const job of jobs) this.#card(job.operation_id).show(job)
  }

  stop() {
    for (const [id, card] of this.#cards) this.#drop(id, card)
  }

  #card(id) {
    return this.#cards.get(id) ?? this.#add(id)
  }

  #add(id) {
    const card = new JobCard(this.context, { tell: this.tell, open: () => this.context.router.go(`import/${id}`) })
    this.#cards.set(id, card)
    this.element.append(card.element)
    return card
  }

  #drop(id, card) {
    card.stop()
    card.element.remove()
    this.#cards.delete(id)
  }
}
