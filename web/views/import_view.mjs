import { ImportForm } from "../elements/import_form.mjs"
import { JobCard } from "../elements/job_card.mjs"
import { JobHistory } from "../elements/job_history.mjs"
import { JobResults } from "../elements/job_results.mjs"
import { JobStack } from "../elements/job_stack.mjs"
import { attempt } from "../util/attempt.mjs"
import { fill, h } from "../util/dom.mjs"
import { tellJob } from "../util/tell_job.mjs"

const KIND = "batch-imports"

/** Where pictures come in: the form, the job that is chosen, its results, and earlier jobs. */
export class ImportView {
  constructor(context) {
    this.context = context
    this.form = new ImportForm(context, { started: (id) => this.#started(id) })
    this.history = new JobHistory(context)
    this.place = h("div", { class: "pantry-stack" })
    this.others = new JobStack(context, { kind: KIND, tell: (job, verb) => this.#tell(job, verb) })
    this.element = h(
      "div",
      { class: "pantry-view pantry-import" },
      this.form.element,
      this.place,
      this.others.element,
      this.history.element,
    )
  }

  start() {
    this.abort = new AbortController()
    const signal = this.abort.signal
    this.context.jobs.addEventListener("change", ({ detail }) => this.#changed(detail.job), { signal })
    this.context.jobs.addEventListener("refreshed", () => this.#update(), { signal })
    this.form.start?.()
    this.history.start()
  }

  show(id = null) {
    this.chosen = id
    this.#update()
  }

  stop() {
    this.abort.abort()
    this.form.stop?.()
    this.history.stop()
    this.others.stop()
    this.#dropCard()
  }

  // The job in the address, else the one that is active, else the latest.
  get #job() {
    const { jobs } = this.context
    const imports = (list) => list.filter((job) => job.kind === KIND)
    return jobs.get(this.chosen) ?? imports(jobs.active)[0] ?? imports(jobs.all)[0] ?? null
  }

  // The answer only has the id; the snapshot is asked for, as the first event may have come and gone.
  async #started(id) {
    this.context.router.go(`import/${id}`)
    await this.context.watch.refresh()
    this.card?.element.scrollIntoView({ block: "nearest" }) // in a narrow sidebar the form alone fills the height
  }

  #changed(job) {
    if (job.kind !== KIND) return
    if (job.operation_id === this.shownId) this.#display(job)
    else this.#update()
    this.others.show(this.shownId)
  }

  #update() {
    const job = this.#job
    if (!job) return this.#dropCard()
    if (job.operation_id !== this.shownId) this.#putCard(job)
    this.#display(job)
    this.others.show(this.shownId)
  }

  #putCard(job) {
    this.#dropCard()
    this.shownId = job.operation_id
    this.card = new JobCard(this.context, { tell: (one, verb) => this.#tell(one, verb) })
    this.results = new JobResults(this.context, KIND, job.operation_id, {
      retry: (one, reason) => this.#tell(one, "retry", { reason }),
    })
    fill(this.place, this.card.element, this.results.element)
  }

  #dropCard() {
    this.card?.stop()
    this.results?.stop()
    this.card = this.results = this.shownId = undefined
    fill(this.place)
  }

  #display(job) {
    this.card.show(job)
    this.results.show(job)
  }

  #tell(job, verb, terms) {
    return attempt(this.context, () => tellJob(this.context, job, verb, terms))
  }
}
