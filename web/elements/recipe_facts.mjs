import { h } from "../util/dom.mjs"
import { originOf } from "../util/origins.mjs"

const FIELDS = [
  "seed",
  "steps",
  "cfg_scale",
  "guidance",
  "sampler",
  "scheduler",
  "size",
  "clip_skip",
  "denoise",
  "base_model",
]
const HIRES = ["upscale", "size", "steps", "upscaler", "denoise", "sampler", "scheduler", "cfg_scale", "checkpoint"]

/** The numbers of a recipe. Where an image has several carriers, each says which one it came from. */
export class RecipeFacts {
  constructor({ t }, recipe) {
    this.t = t
    this.recipe = recipe
    const parts = [this.#list(FIELDS, recipe), this.#hires(recipe), this.#notes(recipe)]
    this.element = h("section", {}, parts)
  }

  // The fields of a second pass have one origin together.
  #list(names, values, origin = (name) => originOf(this.recipe, name)) {
    const said = { ...values, size: sizeOf(values) }
    const rows = names.filter((name) => isSaid(said[name])).map((name) => this.#row(name, said[name], origin(name)))
    return rows.length > 0 && h("dl", { class: "pantry-facts" }, rows)
  }

  #row(name, value, origin) {
    const from = origin && h("small", { class: "pantry-quiet" }, origin)
    return h("div", {}, h("dt", {}, this.t(`field.${name}`)), h("dd", { dir: "auto" }, String(value), from))
  }

  #hires({ hires }) {
    const list = hires && this.#list(HIRES, hires, () => originOf(this.recipe, "hires"))
    return list && [h("h3", { class: "pantry-facts-title" }, this.t("field.hires")), list]
  }

  // What the reader saw but could not decide.
  #notes({ reader_notes: notes = [] }) {
    return notes.map((note) => h("p", { class: "pantry-quiet", dir: "auto" }, note))
  }
}

function sizeOf({ width, height }) {
  return width && height ? `${width} × ${height}` : null
}

function isSaid(value) {
  return value !== null && value !== undefined && value !== "" && typeof value !== "object"
}
