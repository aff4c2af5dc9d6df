import { dispatch } from "../util/dispatch.mjs"
import { SETTINGS, fromField, toField } from "../util/settings_table.mjs"

const BY_NAME = new Map(SETTINGS.map((setting) => [setting.name, setting]))

/** Holds the server's settings, which are the truth; a change counts once the server has taken it. */
export class SettingsStore extends EventTarget {
  #values = null

  constructor(api, { between } = {}) {
    super()
    this.api = api
    this.between = between
  }

  get loaded() {
    return this.#values !== null
  }

  value(name) {
    return this.#values?.[name]
  }

  /** The value as a field shows it. */
  field(name) {
    return toField(BY_NAME.get(name), this.value(name), this.between)
  }

  async load() {
    this.#take(await this.api.settings())
  }

  /** Set what a field holds, unless that is what the server has: an echo is no change. */
  async setField(name, field) {
    if (!this.loaded || sameField(this.field(name), field)) return
    await this.change({ [name]: fromField(BY_NAME.get(name), field) })
  }

  /** Ask the server for changes; whatever it answers, its word is shown. */
  async change(changes) {
    try {
      this.#take(await this.api.changeSettings(changes))
    } catch (error) {
      dispatch(this, "change")
      throw error
    }
  }

  #take(values) {
    this.#values = values
    dispatch(this, "change")
  }
}

function sameField(one, other) {
  return one === other || String(one ?? "") === String(other ?? "")
}
