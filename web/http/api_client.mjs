// Names every request that the face makes. `fetcher(path, options)` is the host's fetch; paths begin with /pantry/api.

import { ApiResponse } from "./api_response.mjs"

const ROOT = "/pantry/api"
// While the host starts, Pantry answers "not ready" for a moment; milliseconds between the tries.
const WAITS = [300, 700, 1500, 3000, 5000]

export class ApiClient {
  constructor(fetcher, sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))) {
    this.fetcher = fetcher
    this.sleep = sleep
  }

  // Jobs; `kind` is "batch-imports" or "metadata-syncs", which speak alike.

  startJob(kind, request) {
    return this.#post(`/${kind}`, request)
  }

  jobs(kind, query = {}) {
    return this.#get(`/${kind}`, query)
  }

  job(kind, id) {
    return this.#get(`/${kind}/${encodeURIComponent(id)}`)
  }

  jobItems(kind, id, query = {}) {
    return this.#get(`/${kind}/${encodeURIComponent(id)}/items`, query)
  }

  /** Tell a job one of its verbs: pause, resume, cancel, retry; a retry may name the one reason that is meant. */
  tellJob(kind, id, verb, body = undefined) {
    return this.#post(`/${kind}/${encodeURIComponent(id)}/${verb}`, body)
  }

  reportPath(kind, id, format) {
    return `${ROOT}/${kind}/${encodeURIComponent(id)}/report?format=${format}`
  }

  previewImport(request) {
    return this.#post("/batch-imports/preview", request)
  }

  folders(path) {
    return this.#get("/folders", { path })
  }

  upload(files) {
    const body = new FormData()
    for (const file of files) body.append("file", file, file.name)
    return this.#send("/uploads", { method: "POST", body, headers: { "X-Pantry": "1" } })
  }

  // Recipes

  recipes(query = {}) {
    return this.#get("/recipes", query)
  }

  facets(query = {}) {
    return this.#get("/recipes/facets", query)
  }

  recipe(id) {
    return this.#get(recipePath(id))
  }

  changeRecipe(id, changes) {
    return this.#send(recipePath(id), jsonRequest("PATCH", changes))
  }

  removeRecipe(id) {
    return this.#send(recipePath(id), { method: "DELETE" })
  }

  changeRecipes(request) {
    return this.#post("/recipes/bulk", request)
  }

  recipeFilePath(id, part) {
    return `${ROOT}${recipePath(id)}/${part}`
  }

  workflow(id) {
    return this.#get(`${recipePath(id)}/workflow`)
  }

  // Models, settings, network

  models(query = {}) {
    return this.#get("/models", query)
  }

  scanModels() {
    return this.#post("/models/scan")
  }

  /** How far the hashing in the background is: {paused, left}. */
  hashing() {
    return this.#get("/models/hashing")
  }

  /** Pause hashing, or resume it. */
  tellHashing(verb) {
    return this.#post(`/models/hashing/${verb}`)
  }

  refreshModel(id) {
    return this.#post(`/models/${encodeURIComponent(id)}/refresh`)
  }

  relinkModel(id, link) {
    return this.#post(`/models/${encodeURIComponent(id)}/relink`, link)
  }

  modelPreviewPath(id) {
    return `${ROOT}/models/${encodeURIComponent(id)}/preview`
  }

  settings() {
    return this.#get("/settings")
  }

  changeSettings(changes) {
    return this.#send("/settings", jsonRequest("PATCH", changes))
  }

  testKey() {
    return this.#post("/settings/test-key")
  }

  network() {
    return this.#get("/network")
  }

  /** Which Pantry this is, where its data lives, and what is wrong with any of it. */
  about() {
    return this.#get("/about")
  }

  /** Let one request through to a host that was left alone. */
  tryHost(host) {
    return this.#post(`/network/${encodeURIComponent(host)}/try`)
  }

  #get(path, query = {}) {
    return this.#send(path + queryString(query), { method: "GET" })
  }

  #post(path, body) {
    return this.#send(path, body === undefined ? { method: "POST" } : jsonRequest("POST", body))
  }

  async #send(path, options) {
    for (const wait of WAITS) {
      try {
        return await this.#sendOnce(path, options)
      } catch (error) {
        if (error.code !== "not_ready") throw error
        await this.sleep(wait)
      }
    }
    return this.#sendOnce(path, options)
  }

  async #sendOnce(path, options) {
    return new ApiResponse(await this.fetcher(ROOT + path, options)).unwrap()
  }
}

function recipePath(id) {
  return `/recipes/${encodeURIComponent(id)}`
}

function jsonRequest(method, body) {
  return { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }
}

/** Write a query; empty values are left out, lists repeat their name. */
export function queryString(query) {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
  const text = new URLSearchParams(pairs.filter(([, value]) => value !== null && value !== undefined && value !== ""))
  return String(text) && `?${text}`
}
