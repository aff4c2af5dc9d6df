import assert from "node:assert/strict"
import { test } from "node:test"
import { firstPortion, Upload } from "../../web/state/upload.mjs"

const many = (count, size = 1) => Array.from({ length: count }, (_, index) => ({ name: `${index}.png`, size }))

/** A server that keeps what it is sent; `judge(files, call)` may throw instead. */
function server(judge = () => {}) {
  const portions = []
  const upload = async (files) => {
    judge(files, portions.length)
    portions.push(files.length)
    return { files: files.map((one) => `/up/${one.name}`) }
  }
  return { upload, portions }
}

const refuse = (status, message = "no image") => Object.assign(new Error(message), { status })

test("three hundred files go in portions, told one by one, and every path is kept in order", async () => {
  const api = server()
  const upload = new Upload(api, many(300))
  const seen = []
  upload.addEventListener("change", () => seen.push(upload.sent))
  await upload.run()
  assert.deepEqual(api.portions, [...Array(7).fill(40), 20])
  assert.deepEqual(seen, [40, 80, 120, 160, 200, 240, 280, 300])
  assert.deepEqual([upload.paths.length, upload.paths[299]], [300, "/up/299.png"])
})

test("a portion holds no more than a request should; a single large file goes alone", () => {
  const size = 30 * 2 ** 20
  assert.equal(firstPortion(many(10, size)).length, 2)
  assert.equal(firstPortion(many(3, 5 * size)).length, 1)
})

test("after a failure the rest is sent, and nothing twice", async () => {
  let broken = true
  const api = server((_files, call) => {
    if (call === 1 && broken) throw new TypeError("Failed to fetch")
  })
  const upload = new Upload(api, many(100))
  await assert.rejects(upload.run(), /fetch/)
  assert.equal(upload.sent, 40)
  broken = false
  await upload.run()
  assert.equal(new Set(upload.paths).size, 100)
  assert.equal(upload.paths.length, 100)
})

test("a file that the server refuses is found and set aside; all others arrive", async () => {
  const api = server((files) => {
    if (files.some((one) => one.name === "57.png")) throw refuse(422)
  })
  const upload = new Upload(api, many(100))
  await upload.run()
  assert.deepEqual(upload.refused, [{ name: "57.png", message: "no image" }])
  assert.equal(new Set(upload.paths).size, 99)
})

test("a server in trouble is no refusal", async () => {
  const upload = new Upload(
    server(() => assert.fail()),
    many(3),
  )
  upload.api = { upload: async () => Promise.reject(refuse(503)) }
  await assert.rejects(upload.run())
  assert.deepEqual(upload.refused, [])
})

test("files that come later join, and a stop ends it", async () => {
  const api = server()
  const upload = new Upload(api, many(40))
  upload.addEventListener("change", () => upload.total === 40 && upload.add(many(5)), { once: true })
  await upload.run()
  assert.deepEqual(api.portions, [40, 5])
  const stopped = new Upload(api, many(90))
  stopped.addEventListener("change", () => stopped.stop(), { once: true })
  await stopped.run()
  assert.equal(stopped.sent, 40)
})
