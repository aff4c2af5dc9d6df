// A job that is under way goes on by itself as soon as its vendor answers: nothing of it can be run again.
const UNDER_WAY = new Set(["pending", "running", "waiting"])

/**
 * Tell a job one of its verbs, and show what the server says of it, unless an event has said something newer by then.
 * Trying now means that each vendor that holds it lets one request of ours through; with a `reason` only what ended
 * for that is run again.
 */
export async function tellJob({ api, jobs }, job, verb, { reason } = {}) {
  if (verb === "retry") for (const { host } of job.limits ?? []) await api.tryHost(host)
  const askedAt = jobs.now()
  const tries = verb === "retry" && UNDER_WAY.has(job.status)
  const { kind, operation_id: id } = job
  const snapshot = await (tries ? api.job(kind, id) : api.tellJob(kind, id, verb, reason && { reason }))
  if (snapshot?.status) jobs.applyFetched([{ kind, ...snapshot }], askedAt)
}
