/**
 * Tell a job one of its verbs, and show what the server says of it, unless an event has said something newer by then.
 * Trying now means that each vendor that holds it lets one request of ours through.
 */
export async function tellJob({ api, jobs }, job, verb) {
  if (verb === "retry") for (const { host } of job.limits ?? []) await api.tryHost(host)
  const askedAt = jobs.now()
  const snapshot = await api.tellJob(job.kind, job.operation_id, verb)
  if (snapshot?.status) jobs.applyFetched([{ kind: job.kind, ...snapshot }], askedAt)
}
