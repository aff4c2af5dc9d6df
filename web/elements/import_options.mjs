import { h } from "../util/dom.mjs"

const OPTIONS = ["recursive", "skip_duplicates", "skip_no_metadata"]
const TEXTS = ["include", "exclude", "tags"]

/** How an import treats what it finds: what is taken, what is left out, which tags it gets. */
export class ImportOptions {
  constructor({ t }) {
    this.t = t
    this.boxes = new Map(OPTIONS.map((name) => [name, h("input", { type: "checkbox", checked: true })]))
    this.texts = new Map(TEXTS.map((name) => [name, this.#text(name)]))
    const checks = [...this.boxes].map(([name, box]) => h("label", { class: "pantry-check" }, box, t(`import.${name}`)))
    const fields = [...this.texts].map(([name, field]) => this.#field(name, field))
    this.element = h(
      "details",
      { class: "pantry-options" },
      h("summary", {}, t("import.options")),
      checks,
      h("div", { class: "pantry-pair" }, fields),
    )
  }

  /** What stands in the fields, as `importRequest` takes it. */
  get values() {
    const options = Object.fromEntries([...this.boxes].map(([name, box]) => [name, box.checked]))
    return { options, ...Object.fromEntries([...this.texts].map(([name, field]) => [name, field.value])) }
  }

  /** Take the settings as what holds where nobody says otherwise. */
  begin(settings) {
    for (const [name, box] of this.boxes) if (typeof settings[name] === "boolean") box.checked = settings[name]
  }

  #text(name) {
    const look = { type: "text", id: `pantry-${name}`, class: "pantry-input", spellcheck: "false", autocomplete: "off" }
    return h("input", { ...look, placeholder: this.t(`import.${name}_hint`) })
  }

  #field(name, field) {
    return h("div", {}, h("label", { for: field.id, class: "pantry-label" }, this.t(`import.${name}`)), field)
  }
}
