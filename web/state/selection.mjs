import { dispatch } from "../util/dispatch.mjs"

/** Remembers which recipes are chosen, by id. */
export class Selection extends EventTarget {
  #ids = new Set()

  get size() {
    return this.#ids.size
  }

  get ids() {
    return [...this.#ids]
  }

  has(id) {
    return this.#ids.has(id)
  }

  toggle(id) {
    if (!this.#ids.delete(id)) this.#ids.add(id)
    dispatch(this, "change")
  }

  add(ids) {
    for (const id of ids) this.#ids.add(id)
    dispatch(this, "change")
  }

  clear() {
    if (!this.size) return
    this.#ids.clear()
    dispatch(this, "change")
  }
}
