import assert from "node:assert/strict"
import { test } from "node:test"
import { forFiles, importRequest, namesSomething, splitLines } from "../../web/util/import_request.mjs"

const OPTIONS = { recursive: true, skip_duplicates: true, skip_no_metadata: false }

test("one folder is a directory, several are directories, each once", () => {
  assert.deepEqual(importRequest({ folders: [" /a ", ""] }), { directory: "/a", tags: [] })
  assert.deepEqual(importRequest({ folders: ["/a", "/b", "/a"] }), { directories: ["/a", "/b"], tags: [] })
})

test("addresses, globs, tags and options stand beside the folders", () => {
  const fields = { folders: ["/a"], addresses: "https://x/1\n\nhttps://x/2 https://x/1", include: "*.png, 2026/*" }
  assert.deepEqual(importRequest({ ...fields, exclude: "drafts", tags: "spring", options: OPTIONS }), {
    directory: "/a",
    urls: ["https://x/1", "https://x/2"],
    include: ["*.png", "2026/*"],
    exclude: ["drafts"],
    tags: ["spring"],
    ...OPTIONS,
  })
})

test("a form that names nothing is known as that", () => {
  assert.equal(namesSomething(importRequest({ folders: ["", " "], tags: "spring" })), false)
  for (const fields of [{ folders: ["/a"] }, { folders: ["/a", "/b"] }, { addresses: "https://x/1" }])
    assert.equal(namesSomething(importRequest(fields)), true)
})

test("files that were sent keep the tags and options, and nothing else", () => {
  const request = importRequest({ folders: ["/a"], addresses: "https://x", exclude: "b", tags: "t", options: OPTIONS })
  assert.deepEqual(forFiles(request, ["/up/1.png"]), { files: ["/up/1.png"], tags: ["t"], ...OPTIONS })
})

test("lines may end in any way", () => {
  assert.deepEqual(splitLines("a\r\nb\n\n c\t"), ["a", "b", "c"])
})
