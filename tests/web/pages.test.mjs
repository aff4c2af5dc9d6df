import assert from "node:assert/strict"
import { test } from "node:test"
import { fetchFirst } from "../../web/util/pages.mjs"

/** A list of `count` numbers that remembers the limits it was asked with. */
function listOf(count) {
  const limits = []
  const fetch = async (cursor, limit) => {
    limits.push(limit)
    const start = Number(cursor ?? 0)
    const items = Array.from({ length: Math.min(limit, count - start) }, (_, step) => start + step)
    return { items, next_cursor: start + limit < count ? String(start + limit) : null }
  }
  return { fetch, limits }
}

test("as much as was shown is fetched in as few pages as can be, and where it goes on is kept", async () => {
  const list = listOf(2000)
  const { items, next_cursor: next } = await fetchFirst(list.fetch, 1130)
  assert.deepEqual([items.length, items[1129], next], [1130, 1129, "1130"])
  assert.deepEqual(list.limits, [500, 500, 130])
})

test("a list that has become shorter ends the asking", async () => {
  const list = listOf(70)
  assert.deepEqual((await fetchFirst(list.fetch, 120)).items.length, 70)
  assert.deepEqual(list.limits, [120])
})
