// Holds what is known of each job, from snapshots and events, and tells who listens. Knows no DOM and no network.

import { dispatch } from "../util/dispatch.mjs"

export const ACTIVE = new Set(["pending", "running", "paused", "waiting"])

/** Keeps jobs by id. `now()` is in milliseconds and only grows; countdowns are measured against it. */
export class JobStore extends EventTarget {
  #jobs = new Map()

  constructor(now = () => performance.now()) {
    super()
    this.now = now
  }

  /** Take an event or a snapshot; the newest word counts. */
  apply(snapshot) {
    const known = this.#jobs.get(snapshot.operation_id)
    const job = { ...known, ...snapshot, limits: this.#stamp(snapshot.limits ?? []), received: this.now() }
    this.#jobs.set(job.operation_id, job)
    dispatch(this, "change", { detail: { job, before: known ?? null } })
  }

  /** Take fetched snapshots; one that was asked for before the last event of its job is stale. */
  applyFetched(snapshots, askedAt) {
    for (const snapshot of snapshots) {
      const known = this.#jobs.get(snapshot.operation_id)
      if (!known || known.received <= askedAt) this.apply(snapshot)
    }
  }

  get(id) {
    return this.#jobs.get(id) ?? null
  }

  /** All jobs, newest first. */
  get all() {
    return [...this.#jobs.values()].sort((one, other) => (other.started_at ?? 0) - (one.started_at ?? 0))
  }

  get active() {
    return this.all.filter((job) => ACTIVE.has(job.status))
  }

  // The server's clock and ours may differ: only how long is left crosses, and becomes a deadline here.
  #stamp(limits) {
    return limits.map((limit) => ({ ...limit, deadline: this.now() + (limit.remaining_seconds ?? 0) * 1000 }))
  }
}
