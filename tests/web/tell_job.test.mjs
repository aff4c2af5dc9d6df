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
    job: async (kind, id) => (told.push(`look at ${kind} ${id}`), answer(jobs)),
    tellJob: async (kind, id, verb, body) => (told.push([kind, id, verb, body?.reason].join(" ").trim()), answer(jobs)),
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

test("what is under way cannot be run again: trying now asks its vendors, and looks", async () => {
  const { api, jobs, told } = context({ value: 1 }, () => ({ operation_id: "a", status: "running" }))
  for (const status of ["running", "waiting"]) await tellJob({ api, jobs }, { ...JOB, status }, "retry")
  assert.deepEqual(told, Array(2).fill(["try civitai.red", "look at batch-imports a"]).flat())
})

test("one reason can be run again alone", async () => {
  const { api, jobs, told } = context({ value: 1 }, () => ({ operation_id: "a", status: "pending" }))
  await tellJob({ api, jobs }, { ...JOB, limits: [] }, "retry", { reason: "unreadable" })
  assert.deepEqual(told, ["batch-imports a retry unreadable"])
})
