import { fill, h } from "../util/dom.mjs"
import { RecipesView } from "../views/recipes_view.mjs"
import { Announcer } from "./announcer.mjs"
import { JobStrip } from "./job_strip.mjs"
import { Notice } from "./notice.mjs"
import { Problems } from "./problems.mjs"

const TABS = ["recipes", "import", "models", "network", "settings"]
const IDLE = 1000
// The recipes come first; every other view is fetched when it is opened, or when there is time.
const VIEWS = {
  recipes: async () => RecipesView,
  recipe: async () => (await import("../views/recipe_view.mjs")).RecipeView,
  import: async () => (await import("../views/import_view.mjs")).ImportView,
  models: async () => (await import("../views/models_view.mjs")).ModelsView,
  network: async () => (await import("../views/network_view.mjs")).NetworkView,
  settings: async () => (await import("../views/settings_view.mjs")).SettingsView,
}

/** The frame around the views: tabs, the strip of the running job, and the one open view. */
export class Shell {
  constructor(context) {
    this.context = context
    context.notice = new Notice(context)
    this.views = new Map()
    this.places = new Map()
    this.announcer = new Announcer(context)
    this.problems = new Problems(context)
    this.strip = new JobStrip(context)
    this.tabs = new Map(TABS.map((name) => [name, this.#tab(name)]))
    this.outlet = h("main", { class: "pantry-outlet", tabindex: -1 })
    this.offline = h("p", { class: "pantry-offline", role: "status", hidden: true }, context.t("offline"))
    this.element = this.#lay()
  }

  /** Open the view that the address names; what stands around it comes after. */
  async start() {
    if (this.abort) return
    this.abort = new AbortController()
    const { router, jobs, host } = this.context
    this.#listen(router, "change", () => this.#open())
    this.#listen(jobs, "change", ({ detail }) => this.announcer.jobChanged(detail))
    this.#listen(jobs, "trouble", ({ detail }) => this.context.notice.trouble(detail))
    this.#listen(host.events, "disconnected", () => (this.offline.hidden = false))
    this.#listen(host.events, "connected", () => (this.offline.hidden = true))
    await this.#open()
    if (!this.abort) return
    this.strip.start()
    this.problems.start()
    this.idle = setTimeout(() => Object.values(VIEWS).forEach((fetch) => fetch().catch(() => {})), IDLE)
  }

  stop() {
    this.abort?.abort()
    this.abort = undefined
    clearTimeout(this.idle)
    this.strip.stop()
    this.#close()
  }

  #lay() {
    const { t, host } = this.context
    const nav = h("nav", { class: "pantry-tabs", "aria-label": t("nav.label") }, [...this.tabs.values()])
    const head = h("header", { class: "pantry-head" }, h("h1", { class: "pantry-brand" }, "Pantry"), nav)
    const parts = [
      head,
      this.offline,
      this.problems.element,
      this.strip.element,
      this.outlet,
      this.context.notice.element,
      this.announcer.element,
    ]
    const shell = h(
      "div",
      { class: "pantry", "data-host": host.kind, onkeydown: (event) => this.#pressed(event) },
      parts,
    )
    return h("div", { class: "pantry-root" }, shell)
  }

  #tab(name) {
    const label = this.context.t(`nav.${name}`)
    return h("button", { type: "button", class: "pantry-tab", onclick: () => this.context.router.go(name) }, label)
  }

  async #open() {
    const { path, parts } = this.context.router
    const [name = "", ...rest] = parts
    this.#markTab(name)
    const wanted = await this.#viewOf(name in VIEWS ? name : "recipes").catch((error) => this.#lost(error))
    if (!wanted || !this.abort || path !== this.context.router.path) return
    if (this.view !== wanted) this.#change(wanted)
    this.view.show?.(...rest)
  }

  // Some browsers do not ask again for a module that they once could not get.
  #lost(error) {
    console.warn("Pantry's view could not be fetched:", error.message)
    this.context.notice.trouble({ message: this.context.t("view.lost") })
  }

  // Views are kept: coming back finds the list where it was left.
  async #viewOf(name) {
    const View = this.views.has(name) ? null : await VIEWS[name]()
    if (!this.views.has(name)) this.views.set(name, new View(this.context))
    return this.views.get(name)
  }

  #change(view) {
    const held = this.outlet.contains(document.activeElement)
    this.#close()
    this.view = view
    fill(this.outlet, view.element)
    view.start?.()
    this.outlet.scrollTop = this.places.get(view) ?? 0
    if (held) this.#focusView(view)
  }

  // The element that had the focus is gone; without this the next key would go to the page.
  #focusView(view) {
    this.outlet.focus({ preventScroll: true })
    view.focus?.()
  }

  // ComfyUI's hot keys act on every key that reaches the document.
  #pressed(event) {
    event.stopPropagation()
    if (event.key === "Escape") this.view?.escape?.()
  }

  #close() {
    this.places.set(this.view, this.outlet.scrollTop)
    this.view?.stop?.()
    this.view = undefined
  }

  #markTab(name) {
    const current = name === "recipe" || !VIEWS[name] ? "recipes" : name
    for (const [tab, element] of this.tabs) element.setAttribute("aria-current", tab === current ? "page" : "false")
    this.strip.hide(current === "import")
  }

  #listen(target, event, handler) {
    target.addEventListener(event, handler, { signal: this.abort.signal })
  }
}
