import { dispatch } from "../util/dispatch.mjs"

const KINDS = new Map([
  ["pantry.batch_import", "batch-imports"],
  ["pantry.metadata_sync", "metadata-syncs"],
])

/** Feeds the store: events as they come, and the server's snapshots at the start and after every lost connection. */
export class JobWatch {
  constructor({ api, host, jobs }) {
    this.api = api
    this.host = host
    this.jobs = jobs
  }

  start() {
    if (this.abort) return
    this.abort = new AbortController()
    for (const [event, kind] of KINDS) this.#listen(event, ({ detail }) => this.jobs.apply({ kind, ...detail }))
    this.#listen("connected", () => this.refresh())
    this.refresh()
  }

  stop() {
    this.abort?.abort()
    this.abort = undefined
  }

  /** Ask for the latest jobs of every kind; what cannot be had is told once as "trouble". */
  async refresh() {
    await Promise.all([...KINDS.values()].map((kind) => this.#refreshKind(kind)))
    dispatch(this.jobs, "refreshed")
  }

  async #refreshKind(kind) {
    const askedAt = this.jobs.now()
    try {
      const { items } = await this.api.jobs(kind, { limit: 50 })
      this.jobs.applyFetched(
        items.map((job) => ({ kind, ...job })),
        askedAt,
      )
    } catch (error) {
      dispatch(this.jobs, "trouble", { detail: error })
    }
  }

  #listen(event, handler) {
    this.host.events.addEventListener(event, handler, { signal: this.abort.signal })
  }
}
