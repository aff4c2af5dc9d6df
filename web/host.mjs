// ComfyUI as Pantry sees it. The only file that imports ComfyUI; the rest of web/ works without it.

import { Canvas } from "./comfy/canvas.mjs"

const { app } = await import("../../scripts/app.js")
const { api } = await import("../../scripts/api.js")

const EVENTS = ["pantry.batch_import", "pantry.metadata_sync", "pantry.recipes_changed", "pantry.models_changed"]

/** Answers what the face needs of its surroundings; `StandaloneHost` answers the same without ComfyUI. */
export class ComfyHost {
  constructor() {
    this.events = new EventTarget()
    for (const name of EVENTS) api.addEventListener(name, ({ detail }) => this.#pass(name, detail))
    api.addEventListener("reconnected", () => this.#pass("connected"))
    api.addEventListener("reconnecting", () => this.#pass("disconnected"))
  }

  kind = "comfyui"
  canvas = new Canvas(app)

  /** Newer front ends give up after a minute without an answer; Pantry's answers come sooner than that. */
  fetch(path, options) {
    return api.fetchApi(path, options)
  }

  url(path) {
    return api.apiURL(path)
  }

  /** Where the page of its own is, for a window beside ComfyUI. */
  get pageUrl() {
    return api.fileURL("/pantry")
  }

  get languages() {
    return [this.settings?.get("Comfy.Locale"), ...navigator.languages].filter(Boolean)
  }

  get settings() {
    return app.extensionManager?.setting
  }

  /** Say something in a toast; `add` is the one way that every front end knows. */
  say(severity, summary, detail = "") {
    app.extensionManager?.toast?.add({ severity, summary, detail, life: 6000 })
  }

  /** Put a workflow onto the canvas. */
  loadWorkflow(workflow) {
    return app.loadGraphData(workflow)
  }

  #pass(name, detail) {
    this.events.dispatchEvent(new CustomEvent(name, { detail }))
  }
}

export { app }
