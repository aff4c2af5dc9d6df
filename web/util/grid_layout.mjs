// Says where the cards of a grid are. Pure arithmetic in CSS pixels.

const NARROW = 420

/** Lay out cards of at least `least` pixels, `gap` apart, in `width`; `caption` is the height below each picture. */
export function gridLayout({ width, count, least = width < NARROW ? 120 : 160, gap = 10, caption = 46 }) {
  const columns = Math.max(1, Math.floor((width + gap) / (least + gap)))
  const card = Math.max(1, Math.floor((width - gap * (columns - 1)) / columns))
  const row = card + caption + gap
  return { columns, card, row, gap, height: Math.max(0, Math.ceil(count / columns) * row - gap) }
}

/** The first and last index (both included) that a window of `height` at `top` shows, with `spare` rows around. */
export function visibleRange({ columns, row }, { top, height, count, spare = 2 }) {
  const first = Math.max(0, Math.floor(top / row) - spare) * columns
  const last = Math.min(count, (Math.ceil((top + height) / row) + spare) * columns) - 1
  return [first, last]
}

/** The place of one card. */
export function cardPlace({ columns, card, row, gap }, index) {
  return { left: (index % columns) * (card + gap), top: Math.floor(index / columns) * row }
}

/** Where a key takes the focus: an index within the list, or null where the key means nothing here. */
export function nextIndex(key, index, { columns, count, page }) {
  const steps = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    PageDown: columns * page,
    PageUp: -columns * page,
    Home: -count,
    End: count,
  }
  if (!(key in steps) || !count) return null
  return Math.min(count - 1, Math.max(0, index + steps[key]))
}
