import assert from "node:assert/strict"
import { test } from "node:test"

import { JobStore } from "../../web/state/job_store.mjs"
import { tellJob } from "../../web/util/tell_job.mjs"

const JOB = { operation_id: "a", kind: "batch-imports", status: "completed", limits: [{ host: "civitai.red" }] }

function context(now, answer) {
  const jobs = new JobStore(() => now.value)
  const told = []
  const api = {
    tryHost: async (host) => told.push(`try ${host}`),
    tellJob: async (kind, id, verb) => (told.push(`${kind} ${id} ${verb}`), answer(jobs)),
  }
  return { api, jobs, told }
}

test("what the server answers is shown, and trying now asks each vendor that holds the job", async () => {
  const { api, jobs, told } = context({ value: 1 }, () => ({ operation_id: "a", status: "pending" }))
  await tellJob({ api, jobs }, JOB, "retry")
  assert.deepEqual(told, ["try civitai.red", "batch-imports a retry"])
  assert.equal(jobs.get("a").status, "pending")
})

test("an answer that events have overtaken is stale", async () => {
  const now = { value: 1 }
  const { api, jobs } = context(now, (store) => {
    now.value = 2
    store.apply({ operation_id: "a", status: "completed" })
    return { operation_id: "a", status: "pending" }
  })
  await tellJob({ api, jobs }, JOB, "retry")
  assert.equal(jobs.get("a").status, "completed")
})
