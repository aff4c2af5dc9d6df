import assert from "node:assert/strict"
import { test } from "node:test"
import { RecipeFeed } from "../../web/state/recipe_feed.mjs"

/** A server of `count` recipes that remembers what it was asked. */
function serverOf(count, { counts = true } = {}) {
  const asked = []
  const recipes = async ({ offset, cursor, limit, q }) => {
    asked.push({ offset, cursor, q })
    const start = offset ?? Number(cursor ?? 0)
    const items = Array.from({ length: Math.max(0, Math.min(limit, count - start)) }, (_, step) => ({
      id: start + step,
    }))
    const next = start + items.length < count ? String(start + items.length) : null
    return { items, next_cursor: next, ...(counts ? { total: count } : {}) }
  }
  return { asked, recipes }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test("the list is as long as the server says, though one page is here", async () => {
  const feed = new RecipeFeed(serverOf(100_000))
  await feed.open({})
  assert.equal(feed.length, 100_000)
  assert.equal(feed.at(99).id, 99)
  assert.equal(feed.at(100), null)
})

test("a jump fetches the pages that are on screen and no other", async () => {
  const server = serverOf(100_000)
  const feed = new RecipeFeed(server)
  await feed.open({})
  feed.need(50_000, 50_020)
  await settled()
  assert.equal(feed.at(50_010).id, 50_010)
  assert.deepEqual(
    server.asked.slice(1).map((one) => one.offset),
    [50_000],
  )
})

test("a page is asked for once", async () => {
  const server = serverOf(1000)
  const feed = new RecipeFeed(server)
  await feed.open({})
  feed.need(100, 199)
  feed.need(110, 199)
  await settled()
  assert.equal(server.asked.length, 2)
})

test("a server that does not count is read page after page", async () => {
  const feed = new RecipeFeed(serverOf(250, { counts: false }))
  await feed.open({})
  assert.equal(feed.length, 200)
  feed.need(100, 199)
  await settled()
  feed.need(200, 299)
  await settled()
  assert.equal(feed.length, 250)
  assert.equal(feed.at(249).id, 249)
})

test("an answer to an earlier search is dropped", async () => {
  const waiting = []
  const feed = new RecipeFeed({ recipes: ({ q }) => new Promise((resolve) => waiting.push([q, resolve])) })
  const first = feed.open({ q: "old" })
  const second = feed.open({ q: "new" })
  waiting[1][1]({ items: [{ id: "new" }], next_cursor: null, total: 1 })
  waiting[0][1]({ items: [{ id: "old" }], next_cursor: null, total: 1 })
  await Promise.all([first, second])
  assert.equal(feed.at(0).id, "new")
})

test("a range gives the ids that are here", async () => {
  const feed = new RecipeFeed(serverOf(5))
  await feed.open({})
  assert.deepEqual(feed.idsBetween(3, 1), [1, 2, 3])
})

test("a reload keeps what is shown until its page comes", async () => {
  const server = serverOf(300)
  const feed = new RecipeFeed(server)
  await feed.open({})
  feed.need(100, 199)
  await settled()
  await feed.reload()
  assert.equal(feed.at(150).id, 150)
  feed.need(100, 199)
  await settled()
  assert.deepEqual(
    server.asked.map((one) => one.offset),
    [undefined, 100, undefined, 100],
  )
})
