// Decides what is said about a job. Pure: takes a snapshot, gives keys and values for the translator.

const SPELLED = [
  [/(^|\.)civitai\.(com|red|green)$/, "CivitAI"],
  [/(^|\.)civarchive\.com$/, "CivArchive"],
]

/** Name a host as people know it. */
export function hostName(host) {
  return SPELLED.find(([pattern]) => pattern.test(host))?.[1] ?? host
}

/** The look of a job: running, waiting (calm), paused, done, cancelled or failed. */
export function mood(job) {
  if (job.status === "completed") return "done"
  if (job.status === "cancelled" || job.status === "failed" || job.status === "paused") return job.status
  return job.status === "waiting" || job.rate_limited ? "waiting" : "running"
}

/** Say in a few words what the job is doing; `t` and `format` are the reader's language. */
export function headline(job, { t, format }) {
  const state = mood(job)
  const hosts = (job.limits ?? []).map((limit) => hostName(limit.host))
  if (state === "waiting" && hosts.length) return t("mood.waiting_for", { host: format.list([...new Set(hosts)]) })
  return state === "running" && job.status === "running" ? t(`phase.${job.phase ?? "reading"}`) : t(`mood.${state}`)
}

/** The sentence of that name for what the job counts: pictures, or models where it is a sync. */
export function wordOf(name, job) {
  return job.kind === "metadata-syncs" ? `${name}_models` : name
}

/** How many seconds a limit still lasts at `now` (milliseconds of the store's clock). */
export function secondsLeft(limit, now) {
  return Math.max(0, (limit.deadline - now) / 1000)
}

/** What a click can do to the job now. */
export function verbs(job) {
  if (job.status === "paused") return ["resume", "cancel"]
  if (job.status === "cancelled" || job.status === "failed") return ["resume"]
  const held = job.status === "waiting" || (job.status === "running" && job.limits?.length)
  if (held) return ["retry", "pause", "cancel"]
  if (job.status === "pending" || job.status === "running") return ["pause", "cancel"]
  return putOff(job) || job.failed ? ["retry"] : []
}

// Skipped for want of a vendor: these can be finished later.
const PUT_OFF = ["rate_limited", "unreachable", "unauthorised"]

/** How many images were put off and can be finished later. */
export function putOff({ skipped_reasons: reasons = {} }) {
  return PUT_OFF.reduce((sum, reason) => sum + (reasons[reason] ?? 0), 0)
}

/** How many of the listed images (all, those of one state, or of one reason) can be run again. */
export function runnable(job, { name, reason }) {
  if (reason) return name === "failed" || PUT_OFF.includes(reason) ? (job[`${name}_reasons`]?.[reason] ?? 0) : 0
  const counts = { skipped: putOff(job), failed: job.failed ?? 0, success: 0 }
  return counts[name] ?? counts.skipped + counts.failed
}

/** The shares of the bar in percent: done, put off, skipped, failed. */
export function shares(job) {
  const share = (count) => (job.total ? (100 * count) / job.total : 0)
  const later = putOff(job)
  return {
    success: share(job.success ?? 0),
    later: share(later),
    skipped: share(Math.max(0, (job.skipped ?? 0) - later)),
    failed: share(job.failed ?? 0),
  }
}

/** The last part of a path, as the name of what was imported. */
export function shortName(source) {
  return source.split(/[\\/]/).filter(Boolean).pop() ?? source
}
