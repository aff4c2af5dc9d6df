import assert from "node:assert/strict"
import { test } from "node:test"
import { parseExact } from "../../web/util/exact_json.mjs"

test("a seed of 64 bits keeps all its digits", () => {
  assert.equal(parseExact('{"seed": 18446744073709551615, "steps": 20}').seed, "18446744073709551615")
})

test("an ordinary seed stays a number", () => {
  assert.deepEqual(parseExact('{"seed":42}'), { seed: 42 })
})

test("what stands inside a text is left alone", () => {
  const prompt = 'say "seed": 18446744073709551615'
  assert.equal(parseExact(JSON.stringify({ prompt })).prompt, prompt)
})
