import { KeyField } from "../elements/key_field.mjs"
import { SettingsStore } from "../state/settings_store.mjs"
import { attempt } from "../util/attempt.mjs"
import { h, write } from "../util/dom.mjs"
import { isList, SECTIONS, SETTINGS } from "../util/settings_table.mjs"

const TYPES = { bool: "checkbox", float: "number", int: "number", optional_float: "number" }

/** Every setting with its help; a change is saved as its field is left. */
export class SettingsView {
  constructor(context) {
    this.context = context
    this.store = new SettingsStore(context.api, { between: "\n" })
    this.fields = new Map()
    this.where = h("p", { class: "pantry-quiet pantry-path" })
    const sections = SECTIONS.map((section) => this.#section(section))
    this.element = h(
      "div",
      { class: "pantry-view pantry-settings" },
      h("h2", {}, context.t("nav.settings")),
      sections,
      this.where,
    )
  }

  start() {
    this.abort = new AbortController()
    this.store.addEventListener("change", () => this.#show(), { signal: this.abort.signal })
    this.context.host.events.addEventListener("connected", () => this.#load(), { signal: this.abort.signal })
    this.#load()
    this.#sayWhere()
  }

  stop() {
    this.abort.abort()
  }

  // The folder is told only to this machine.
  async #sayWhere() {
    const { version, data_dir: folder } = await this.context.api.about().catch(() => ({}))
    const words = folder && this.context.t("settings.data", { folder })
    write(this.where, [version && `Pantry ${version}`, words].filter(Boolean).join(" · "))
  }

  #load() {
    return attempt(this.context, () => this.store.load())
  }

  #section(section) {
    const rows = SETTINGS.filter((one) => one.section === section).map((one) => this.#row(one))
    return h("section", { class: "pantry-card" }, h("h3", {}, this.context.t(`section.${section}`)), rows)
  }

  #row(setting) {
    const { t } = this.context
    const id = `pantry-setting-${setting.name}`
    const label = h("label", { for: id, class: "pantry-label" }, t(`setting.${setting.name}.label`))
    const hints = [t(`setting.${setting.name}.help`), isList(setting) && t(`settings.${listHint(setting)}`)]
    const help = h("p", { id: `${id}-help`, class: "pantry-quiet" }, hints.filter(Boolean).join(" "))
    const field = setting.kind === "secret" ? this.#key(id) : this.#field(setting, id)
    return h("div", { class: `pantry-setting is-${setting.kind}` }, label, field, help)
  }

  #key(id) {
    const field = new KeyField(this.context, this.store)
    field.input.id = id
    return field.element
  }

  #field(setting, id) {
    const field = isList(setting) ? this.#lines(id) : this.#line(setting, id)
    field.addEventListener("change", () => this.#save(setting, field))
    this.fields.set(setting.name, field)
    return field
  }

  // One entry a line.
  #lines(id) {
    const look = { id, class: "pantry-input", rows: 2, disabled: true, "aria-describedby": `${id}-help` }
    return h("textarea", { ...look, spellcheck: "false" })
  }

  #line(setting, id) {
    const type = TYPES[setting.kind] ?? "text"
    const limits =
      type === "number" ? { min: setting.min, max: setting.max, step: setting.kind === "int" ? 1 : "any" } : {}
    const attributes = { id, type, disabled: true, "aria-describedby": `${id}-help`, ...limits }
    return h("input", { class: type === "checkbox" ? "pantry-switch" : "pantry-input", ...attributes })
  }

  #save(setting, field) {
    const value = field.type === "checkbox" ? field.checked : field.value
    attempt(this.context, () => this.store.setField(setting.name, value))
  }

  #show() {
    for (const [name, field] of this.fields) {
      field.disabled = !this.store.loaded
      if (field.type === "checkbox") field.checked = Boolean(this.store.field(name))
      else if (document.activeElement !== field) field.value = this.store.field(name) ?? ""
    }
  }
}

function listHint({ kind }) {
  return kind === "folders" ? "folder_line" : "one_a_line"
}
