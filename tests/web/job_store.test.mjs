import assert from "node:assert/strict"
import { test } from "node:test"
import { JobStore } from "../../web/state/job_store.mjs"

function storeAt(time = { now: 0 }) {
  return { time, store: new JobStore(() => time.now) }
}

test("an event changes the job and tells what it was before", () => {
  const { store } = storeAt()
  const heard = []
  store.addEventListener("change", ({ detail }) => heard.push([detail.before?.completed, detail.job.completed]))
  store.apply({ operation_id: "a", completed: 1 })
  store.apply({ operation_id: "a", completed: 2 })
  assert.deepEqual(heard, [
    [undefined, 1],
    [1, 2],
  ])
})

test("a snapshot that was asked for before the last event is stale", () => {
  const { store, time } = storeAt()
  store.apply({ operation_id: "a", completed: 1 })
  const askedAt = (time.now = 10)
  time.now = 20
  store.apply({ operation_id: "a", completed: 5 })
  store.applyFetched([{ operation_id: "a", completed: 3 }], askedAt)
  assert.equal(store.get("a").completed, 5)
})

test("a snapshot after a lost connection replaces what was known", () => {
  const { store, time } = storeAt()
  store.apply({ operation_id: "a", completed: 1, status: "running" })
  time.now = 50
  store.applyFetched([{ operation_id: "a", completed: 9, status: "completed" }], 40)
  assert.equal(store.get("a").status, "completed")
})

test("how long is left crosses the wire, not the server's clock", () => {
  const { store } = storeAt({ now: 1000 })
  store.apply({ operation_id: "a", limits: [{ host: "civitai.red", remaining_seconds: 30, retry_at: 5 }] })
  assert.equal(store.get("a").limits[0].deadline, 31_000)
})

test("the newest job comes first, and only unfinished ones are active", () => {
  const { store } = storeAt()
  store.apply({ operation_id: "old", started_at: 1, status: "running" })
  store.apply({ operation_id: "new", started_at: 2, status: "completed" })
  assert.deepEqual(
    store.all.map((job) => job.operation_id),
    ["new", "old"],
  )
  assert.deepEqual(
    store.active.map((job) => job.operation_id),
    ["old"],
  )
})
