const CONTROLS = "a[href], button, input, select, textarea"

/**
 * Keeps the rows of a list by the ids of their items: a row whose item has not changed stays the same element, and the
 * focus stays where it is, so that a list may change under its reader.
 */
export class KeyedRows {
  #rows = new Map()

  constructor(list, row) {
    this.list = list
    this.row = row
  }

  get size() {
    return this.#rows.size
  }

  /** Show exactly these items. `gentle` leaves a row alone that somebody is typing into. */
  show(items, { gentle = false } = {}) {
    const giveBack = this.#holdFocus()
    const known = this.#rows
    this.#rows = new Map(items.map((item) => [item.id, this.#rowOf(item, known.get(item.id), gentle)]))
    arrange(
      this.list,
      [...this.#rows.values()].map((row) => row.element),
    )
    giveBack()
  }

  append(items) {
    for (const item of items) {
      if (this.#rows.has(item.id)) continue // the list moved on between two pages
      const row = this.#rowOf(item)
      this.#rows.set(item.id, row)
      this.list.append(row.element)
    }
  }

  #rowOf(item, known, gentle) {
    const text = JSON.stringify(item)
    if (known && (known.text === text || (gentle && known.element.querySelector("form")))) return known
    return { text, element: this.row(item) }
  }

  // Return what gives the focus back: to the same control, or to its successor in the row that took the place.
  #holdFocus() {
    const held = document.activeElement
    const found = [...this.#rows].find(([, row]) => row.element.contains(held))
    if (!found) return () => {}
    const [id, { element }] = found
    const at = [...element.querySelectorAll(CONTROLS)].indexOf(held)
    return () => {
      const heir = held.isConnected ? held : this.#rows.get(id)?.element.querySelectorAll(CONTROLS)[at]
      if (document.activeElement !== heir) heir?.focus({ preventScroll: true })
    }
  }
}

// What is in its place already is not touched: to move an element takes its focus away.
function arrange(list, elements) {
  const wanted = new Set(elements)
  for (const child of [...list.children]) if (!wanted.has(child)) child.remove()
  elements.forEach((element, index) => {
    const there = list.children[index]
    if (there !== element) list.insertBefore(element, there ?? null)
  })
}
