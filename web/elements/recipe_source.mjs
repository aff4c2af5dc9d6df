import { h } from "../util/dom.mjs"

/** Where a recipe comes from: the program, the part of the file that was read, the file, and when that was. */
export class RecipeSource {
  constructor({ t, format }, { source = {}, created_at: at }) {
    const carriers = source.carriers ?? []
    const from = carriers.length > 0 && t("source.carriers", { count: carriers.length, list: format.list(carriers) })
    const when = at && t("source.taken", { when: format.date(at) })
    const words = [source.generator, from, source.path, when].filter(Boolean)
    const lines = words.map((word) => h("p", { class: "pantry-quiet pantry-path" }, word))
    this.element = h("section", {}, h("h3", {}, t("field.source")), lines)
  }
}
