// Makes every setting a native one of ComfyUI's panel. The panel is a remote control: settings.json is the truth.

import { KeyField } from "../elements/key_field.mjs"
import { SETTINGS, toField } from "../util/settings_table.mjs"

const TYPES = { bool: "boolean", float: "number", int: "number" }
// Inside ComfyUI its own model folders are used.
const SHOWN = SETTINGS.filter((setting) => setting.kind !== "folders")

/** Ties the panel and the store together, both ways. */
export class SettingsPanel {
  constructor(context, store) {
    this.context = context
    this.store = store
  }

  /** What `registerExtension` takes; fields show in the order of the table. */
  get declarations() {
    return SHOWN.map((setting, index) => this.#declare(setting, SHOWN.length - index))
  }

  /** Show the server's values, now and whenever they change. */
  async start() {
    this.store.addEventListener("change", () => this.#show())
    this.context.host.events.addEventListener("connected", () => this.#load())
    window.addEventListener("focus", () => this.#load())
    await this.#load()
  }

  #declare(setting, sortOrder) {
    const { t } = this.context
    const label = t(`setting.${setting.name}.label`)
    const category = ["Pantry", t(`section.${setting.section}`), label]
    const tooltip = t(`setting.${setting.name}.help`)
    const common = { id: settingId(setting.name), name: label, category, tooltip, sortOrder }
    return { ...common, ...this.#control(setting) }
  }

  #control(setting) {
    if (setting.kind === "secret") return { type: () => this.#keyField(), defaultValue: "" }
    const limits = { min: setting.min, max: setting.max, step: setting.kind === "int" ? 1 : 0.05, showButtons: false }
    const attrs = TYPES[setting.kind] === "number" ? { attrs: limits } : {}
    const onChange = (field) => this.#changed(setting, field)
    return { type: TYPES[setting.kind] ?? "text", defaultValue: toField(setting, setting.value), onChange, ...attrs }
  }

  // The key is never a value of ComfyUI's: its settings can be read by every script of the page.
  #keyField() {
    const field = new KeyField(this.context, this.store).element
    field.classList.add("pantry", "is-embedded")
    field.addEventListener("keydown", (event) => event.key !== "Escape" && event.stopPropagation())
    return field
  }

  // ComfyUI calls this at registration and for every change, also ours; the store knows an echo.
  async #changed(setting, field) {
    try {
      await this.store.setField(setting.name, field)
    } catch (error) {
      this.context.host.say("error", error.message)
    }
  }

  async #load() {
    try {
      await this.store.load()
    } catch (error) {
      console.warn("Pantry's settings could not be read:", error.message)
    }
  }

  async #show() {
    if (!this.store.loaded) return
    for (const { name, kind } of SHOWN) if (kind !== "secret") await this.#showOne(name)
  }

  async #showOne(name) {
    const { settings } = this.context.host
    const field = this.store.field(name)
    if (field !== undefined && settings.get(settingId(name)) !== field) await settings.set(settingId(name), field)
  }
}

export function settingId(name) {
  return `Pantry.${name}`
}
