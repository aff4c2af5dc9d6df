import assert from "node:assert/strict"
import { test } from "node:test"
import { ApiError } from "../../web/http/api_response.mjs"
import { troubleWords } from "../../web/util/trouble.mjs"

const t = (key) => key

test("where nobody answered, what to do is said instead of the browser's word for it", () => {
  for (const words of ["Failed to fetch", "NetworkError when attempting to fetch resource.", "Load failed"])
    assert.equal(troubleWords(new TypeError(words), t), "error.unreachable")
})

test("what the server says is said as it says it", () => {
  assert.equal(troubleWords(new ApiError("There is no such folder."), t), "There is no such folder.")
})

test("an error of ours names the words for it", () => {
  assert.equal(troubleWords(Object.assign(new Error("x"), { key: "settings.folder_line" }), t), "settings.folder_line")
})
