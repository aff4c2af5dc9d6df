import { attempt } from "../util/attempt.mjs"
import { button, fill, h, write } from "../util/dom.mjs"
import { hostName } from "../util/job_words.mjs"

const EVERY = 2000
const TICK = 1000
const NUMBERS = ["sent", "refused", "saved", "waiting"]

/** What the gate knows of each vendor: whether it lets us in, how fast we go, and what was saved. */
export class NetworkView {
  constructor(context) {
    this.context = context
    const { t } = context
    // In a low sidebar the list scrolls, also when there is no button in it for the keyboard to stop at.
    this.list = h("div", { class: "pantry-hosts", role: "group", "aria-label": t("network.title"), tabindex: 0 })
    const intro = h("p", { class: "pantry-quiet" }, t("network.hint"))
    this.element = h("div", { class: "pantry-view" }, h("h2", {}, t("network.title")), intro, this.list)
  }

  start() {
    this.timers = [setInterval(() => this.#load(), EVERY), setInterval(() => this.#tick(), TICK)]
    this.#load()
  }

  stop() {
    this.timers.forEach(clearInterval)
  }

  async #load() {
    if (document.hidden) return
    const answer = await attempt(this.context, () => this.context.api.network())
    if (answer) this.#show(answer.items)
  }

  #show(hosts) {
    this.received = performance.now()
    this.rows = hosts.map((host) => ({ host, window: h("p", { class: "pantry-window" }) }))
    const empty = h("p", { class: "pantry-empty" }, this.context.t("network.none"))
    fill(this.list, hosts.length ? this.rows.map((row) => this.#card(row)) : empty)
    this.#tick()
  }

  #card({ host, window }) {
    const { t } = this.context
    const numbers = NUMBERS.map((name) => this.#fact(t(`network.${name}`), host[name] ?? 0))
    const head = h(
      "div",
      { class: "pantry-model-head" },
      h("h3", {}, hostName(host.host)),
      h("span", { class: "pantry-quiet" }, host.host),
    )
    const card = { class: "pantry-card pantry-host", "data-open": String(host.window_open) }
    return h(
      "article",
      card,
      head,
      window,
      this.#tryButton(host),
      h("dl", { class: "pantry-facts" }, this.#pace(host), numbers),
    )
  }

  // One request for one click: a person may ask what the gate by itself never would.
  #tryButton({ host, window_open: open }) {
    if (open) return null
    return button(this.context.t("network.try"), () => this.#try(host), { class: "pantry-button is-small" })
  }

  async #try(host) {
    const answer = await attempt(this.context, () => this.context.api.tryHost(host))
    if (answer) this.#show(answer.items)
  }

  #pace({ pace_per_second: pace }) {
    const { t, format } = this.context
    return this.#fact(t("network.pace"), pace ? t("network.per_minute", { rate: format.decimal(pace * 60) }) : "–")
  }

  #fact(name, value) {
    const said = typeof value === "number" ? this.context.format.number(value) : value
    return h("div", {}, h("dt", {}, name), h("dd", {}, said))
  }

  #tick() {
    for (const { host, window } of this.rows ?? []) write(window, this.#window(host))
  }

  #window(host) {
    const { t, format } = this.context
    const left = (host.remaining_seconds ?? 0) - (performance.now() - this.received) / 1000
    if (host.window_open || left <= 0) return t("network.open")
    const now = Date.now() / 1000
    return t("network.closed", { time: format.moment(now + left, now), left: format.duration(left) })
  }
}
