import assert from "node:assert/strict"
import { test } from "node:test"
import { ApiClient, queryString } from "../../web/http/api_client.mjs"

function clientOf(answer, status = 200) {
  const sent = []
  const fetcher = async (path, options) => {
    sent.push({ path, ...options })
    const body = answer === null ? null : JSON.stringify(answer)
    return new Response(body, { status, headers: { "content-type": "application/json" } })
  }
  return { sent, api: new ApiClient(fetcher) }
}

test("a query leaves out what is empty and repeats what is many", () => {
  assert.equal(queryString({ q: "", tag: ["a b", "c"], limit: 0, cursor: null }), "?tag=a+b&tag=c&limit=0")
  assert.equal(queryString({}), "")
})

test("a body goes as JSON, and a verb without a body has no content type", async () => {
  const { sent, api } = clientOf({ operation_id: "1" })
  await api.startJob("batch-imports", { directory: "/x" })
  await api.tellJob("batch-imports", "1", "pause")
  assert.equal(sent[0].headers["Content-Type"], "application/json")
  assert.deepEqual(
    sent.map((one) => one.path),
    ["/pantry/api/batch-imports", "/pantry/api/batch-imports/1/pause"],
  )
  assert.equal(sent[1].headers, undefined)
})

test("an id cannot leave its place in the path", async () => {
  const { sent, api } = clientOf({})
  await api.recipe("../settings?x=1")
  assert.equal(sent[0].path, "/pantry/api/recipes/..%2Fsettings%3Fx%3D1")
})

test("an error says what the server said, with its status and code", async () => {
  const { api } = clientOf({ error: { code: "not_found", message: "There is no such folder." } }, 404)
  await assert.rejects(api.folders("/x"), {
    name: "ApiError",
    status: 404,
    code: "not_found",
    message: "There is no such folder.",
  })
})

test("an answer without a body is null", async () => {
  const { api } = clientOf(null, 204)
  assert.equal(await api.removeRecipe("1"), null)
})

test("while Pantry starts it is asked again, and what else goes wrong is said at once", async () => {
  const answers = [503, 503, 200].map((status) => {
    const body = status === 200 ? { items: [] } : { error: { code: "not_ready", message: "starting" } }
    return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } })
  })
  const slept = []
  const api = new ApiClient(
    async () => answers.shift(),
    async (milliseconds) => slept.push(milliseconds),
  )
  assert.deepEqual(await api.network(), { items: [] })
  assert.deepEqual(slept, [300, 700])
})
