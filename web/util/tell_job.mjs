/** Tell a job one of its verbs. Trying now means that each vendor that holds it lets one request of ours through. */
export async function tellJob(api, job, verb) {
  if (verb === "retry") for (const { host } of job.limits ?? []) await api.tryHost(host)
  return api.tellJob(job.kind, job.operation_id, verb)
}
