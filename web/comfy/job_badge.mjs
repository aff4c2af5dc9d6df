import { mood, wordOf } from "../util/job_words.mjs"

/** Shows a running job on the sidebar's icon, and says in a toast when one is done or has to wait. */
export class JobBadge {
  constructor(context, { setBadge, panelIsOpen }) {
    this.context = context
    this.setBadge = setBadge
    this.panelIsOpen = panelIsOpen
  }

  start() {
    this.context.jobs.addEventListener("change", ({ detail }) => this.#changed(detail))
  }

  #changed({ job, before }) {
    const [active] = this.context.jobs.active
    this.setBadge(active ? `${Math.floor(active.progress_percent ?? 0)}%` : null)
    if (before && mood(before) !== mood(job) && !this.panelIsOpen()) this.#say(job)
  }

  #say(job) {
    const { t, format, host } = this.context
    const severity = { done: "success", waiting: "info", failed: "error" }[mood(job)]
    const words = t(wordOf("count.success", job), { count: job.success ?? 0, shown: format.number(job.success ?? 0) })
    if (severity) host.say(severity, t(`mood.${mood(job)}`), words)
  }
}
