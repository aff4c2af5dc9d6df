import assert from "node:assert/strict"
import { test } from "node:test"
import { sentences as en } from "../../web/strings/en.mjs"
import { sentences as zh } from "../../web/strings/zh.mjs"
import { standing } from "../../web/util/model_words.mjs"

test("a model on this machine is said to be here, whoever knew it", () => {
  assert.deepEqual(standing({ here: true, state: "absent" }), ["here"])
  assert.deepEqual(standing({ here: true, state: "found", source: "civarchive" }), ["here"])
})

const WHEREABOUTS = [
  [{ state: "found", source: "civitai" }, "on_civitai"],
  [{ state: "found", source: "cache" }, "on_civitai"],
  [{ state: "found", source: "civarchive" }, "archived"],
  [{ state: "found", source: "archive_db" }, "archived"],
  [{ state: "found", source: "library", model_id: 7 }, "on_civitai"],
  [{ state: "found", source: "library" }, "unknown"],
  [{ state: "absent", source: "civitai" }, "absent"],
  [{ state: "stated", source: "image" }, "stated"],
  [{ state: "unlisted", source: null }, "unknown"],
]

for (const [use, where] of WHEREABOUTS) {
  test(`a missing model that is ${use.state} by ${use.source} is said to be ${where}`, () => {
    assert.deepEqual(standing({ here: false, ...use }), ["missing", where])
  })
}

test("where nobody can tell, what the vendors said is all", () => {
  assert.deepEqual(standing({ here: null, state: "found", source: "civitai" }), ["found"])
  assert.deepEqual(standing({ state: "found", source: "library" }), ["here"])
  assert.deepEqual(standing({}), [])
})

test("every standing has words in both languages", () => {
  const names = new Set(["here", "missing", ...WHEREABOUTS.map(([, where]) => where)])
  for (const name of names) for (const words of [en, zh]) assert.ok(words[`state.${name}`], name)
})
