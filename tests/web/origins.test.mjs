import assert from "node:assert/strict"
import { test } from "node:test"
import { originOf } from "../../web/util/origins.mjs"

const origins = { seed: "png:prompt", width: "png:parameters" }

test("where a file has several carriers, each field says which one it came from", () => {
  const recipe = { origins, source: { carriers: ["png:parameters", "png:prompt"] } }
  assert.equal(originOf(recipe, "seed"), "png:prompt")
  assert.equal(originOf(recipe, "size"), "png:parameters")
  assert.equal(originOf(recipe, "base_model"), null)
})

test("where there is one carrier, or none is told, no field repeats it", () => {
  assert.equal(originOf({ origins, source: { carriers: ["png:parameters"] } }, "seed"), null)
  assert.equal(originOf({}, "seed"), null)
})
