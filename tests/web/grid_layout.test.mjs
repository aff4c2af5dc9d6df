import assert from "node:assert/strict"
import { test } from "node:test"
import { cardPlace, gridLayout, nextIndex, visibleRange } from "../../web/util/grid_layout.mjs"

const layout = gridLayout({ width: 670, count: 100_000, least: 150, gap: 10, caption: 40 })

test("as many cards fit side by side as the width allows, and they fill it", () => {
  assert.equal(layout.columns, 4)
  assert.equal(layout.card, 160)
  assert.equal(layout.height, 25_000 * 210 - 10)
})

test("a sidebar as narrow as can be still shows a card", () => {
  assert.equal(gridLayout({ width: 90, count: 5 }).columns, 1)
})

test("only the rows on screen and a few around them are shown", () => {
  const range = visibleRange(layout, { top: 210 * 1000, height: 600, count: 100_000, spare: 1 })
  assert.deepEqual(range, [999 * 4, 1004 * 4 - 1])
})

test("the range ends with the list", () => {
  assert.deepEqual(visibleRange(layout, { top: 0, height: 600, count: 3 }), [0, 2])
  assert.deepEqual(visibleRange(layout, { top: 0, height: 600, count: 0 }), [0, -1])
})

test("cards stand in rows", () => {
  assert.deepEqual(cardPlace(layout, 5), { left: 170, top: 210 })
})

test("keys move the focus within the list", () => {
  const spread = { columns: 4, count: 10, page: 2 }
  assert.equal(nextIndex("ArrowDown", 1, spread), 5)
  assert.equal(nextIndex("ArrowUp", 1, spread), 0)
  assert.equal(nextIndex("End", 1, spread), 9)
  assert.equal(nextIndex("PageDown", 8, spread), 9)
  assert.equal(nextIndex("x", 1, spread), null)
  assert.equal(nextIndex("End", 0, { ...spread, count: 0 }), null)
})
