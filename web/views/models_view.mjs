import { HashingLine } from "../elements/hashing_line.mjs"
import { JobCard } from "../elements/job_card.mjs"
import { ModelRow } from "../elements/model_row.mjs"
import { PagedList } from "../elements/paged_list.mjs"
import { attempt } from "../util/attempt.mjs"
import { button, fill, h } from "../util/dom.mjs"
import { Soon } from "../util/soon.mjs"
import { tellJob } from "../util/tell_job.mjs"

const KIND = "metadata-syncs"
const PAGE = 60
const TYPING = 250
// A scan or a sync changes models many times a second; the list follows at a pace that can be read.
const SETTLE = 700
const TYPES = [
  "checkpoints",
  "loras",
  "diffusion_models",
  "embeddings",
  "vae",
  "controlnet",
  "upscale_models",
  "text_encoders",
]
const STATES = ["unknown", "synced", "archived_copy", "absent", "waiting", "offline"]

/** The model library: every file with what is known of it, and the sync that fills in the rest. */
export class ModelsView {
  constructor(context) {
    this.context = context
    const { t, api } = context
    const fetch = (cursor, limit) => api.models({ ...this.#filters, limit, cursor })
    const row = (model) => new ModelRow(context, model).element
    const words = { empty: () => this.#emptyWords(), label: t("nav.models") }
    this.list = new PagedList(context, { fetch, page: PAGE, row, ...words })
    this.hashing = new HashingLine(context)
    this.soon = new Soon(() => this.list.refresh(), SETTLE)
    this.place = h("div", { class: "pantry-stack" })
    const parts = [this.#toolbar(), this.hashing.element, this.place, this.list.element]
    this.element = h("div", { class: "pantry-view" }, parts)
  }

  start() {
    this.abort = new AbortController()
    this.#listen(this.context.jobs, "change", ({ detail }) => this.#jobChanged(detail))
    this.#listen(this.context.jobs, "refreshed", () => this.#showJob())
    this.#listen(this.context.host.events, "pantry.models_changed", () => this.#changed())
    this.#listen(this.context.host.events, "connected", () => this.#changed())
    this.list.start()
    this.list.refresh()
    this.hashing.load()
    this.#showJob()
  }

  stop() {
    this.abort.abort()
    clearTimeout(this.typing)
    this.soon.stop()
    this.hashing.stop()
    this.list.stop()
    this.card?.stop()
  }

  get #filters() {
    return { q: this.search.value.trim(), type: this.type.value, state: this.state.value }
  }

  #toolbar() {
    const { t } = this.context
    this.search = h("input", {
      type: "search",
      class: "pantry-input",
      "aria-label": t("models.search"),
      placeholder: t("models.search"),
      oninput: () => this.#typed(),
    })
    this.type = this.#choice("models.type", TYPES, "type")
    this.state = this.#choice("models.state", STATES, "model")
    const scan = button(t("models.scan"), () => this.#scan())
    const sync = button(t("models.sync"), () => this.#sync(), { class: "pantry-button is-primary" })
    return h("div", { class: "pantry-row", role: "search" }, this.search, this.type, this.state, scan, sync)
  }

  #choice(label, values, words) {
    const { t } = this.context
    const options = values.map((value) => h("option", { value }, t(`${words}.${value}`)))
    const any = h("option", { value: "" }, t(label))
    return h(
      "select",
      { class: "pantry-input pantry-choice", "aria-label": t(label), onchange: () => this.list.reload() },
      any,
      options,
    )
  }

  #typed() {
    clearTimeout(this.typing)
    this.typing = setTimeout(() => this.list.reload(), TYPING)
  }

  #changed() {
    this.soon.ask()
    this.hashing.loadSoon()
  }

  #emptyWords() {
    const { q, type, state } = this.#filters
    return this.context.t(q || type || state ? "recipes.none_found" : "models.none")
  }

  async #scan() {
    const { api, t, notice, format } = this.context
    const found = await attempt(this.context, () => api.scanModels())
    if (!found) return
    notice.say(t("models.scanned", { count: found.added, shown: format.number(found.added) }))
    this.list.refresh()
    this.hashing.load()
  }

  async #sync() {
    const { api, watch } = this.context
    if (await attempt(this.context, () => api.startJob(KIND, {}))) await watch.refresh()
  }

  // The latest sync is shown while it runs, and after it as long as something waits to be finished.
  #showJob() {
    const job = this.context.jobs.all.find((one) => one.kind === KIND)
    if (!job) return
    this.card ??= this.#putCard()
    this.card.show({ ...job, source: job.source || this.context.t("models.sync") })
  }

  #putCard() {
    const card = new JobCard(this.context, { tell: (job, verb) => this.#tell(job, verb) })
    fill(this.place, card.element)
    return card
  }

  #jobChanged({ job, before }) {
    if (job.kind !== KIND) return
    this.#showJob()
    if (before && job.status !== before.status) this.soon.ask()
  }

  #tell(job, verb) {
    return attempt(this.context, () => tellJob(this.context, job, verb))
  }

  #listen(target, event, handler) {
    target.addEventListener(event, handler, { signal: this.abort.signal })
  }
}
