import assert from "node:assert/strict"
import { test } from "node:test"
import { countsUpTo, isVeiled } from "../../web/util/nsfw.mjs"

test("pictures from level R up are veiled, and what nobody has rated is not", () => {
  assert.deepEqual([null, undefined, 1, 2, 4, 8, 16].map(isVeiled), [false, false, false, false, true, true, true])
})

test("each level is offered with all that it would leave", () => {
  const counted = [
    { value: 1, count: 5 },
    { value: 16, count: 2 },
    { value: 4, count: 1 },
  ]
  const offered = countsUpTo(counted).map(({ value, count }) => [value, count])
  assert.deepEqual(offered, [
    [1, 5],
    [2, 5],
    [4, 6],
    [8, 6],
  ])
})
