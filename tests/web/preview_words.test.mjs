import assert from "node:assert/strict"
import { test } from "node:test"
import { sentences } from "../../web/strings/en.mjs"
import { Formatter } from "../../web/util/format.mjs"
import { previewFacts, previewNotes } from "../../web/util/preview_words.mjs"
import { Translator } from "../../web/util/translator.mjs"

const WORDS = { t: new Translator("en", sentences).say, format: new Formatter("en") }
const WHOLE = { images: 1200, known: 300, read: 900, with_metadata: 880, references: 64, requests: 12, seconds: 9 }
const facts = (preview) =>
  Object.fromEntries(previewFacts({ exact: true, ...preview }, WORDS).map(({ name, text }) => [name, text]))

test("every number of a whole preview is said, the time as a guess", () => {
  assert.deepEqual(facts(WHOLE), {
    images: "1,200",
    known: "300",
    with_metadata: "880",
    references: "64",
    requests: "12",
    seconds: "about 0:09",
  })
  assert.deepEqual(previewNotes({ ...WHOLE, exact: true }, WORDS), [])
})

test("where not everything was read, what comes of reading is a least", () => {
  const part = { ...WHOLE, images: 9000, read: 2000, exact: false }
  const { images, known, with_metadata: telling, references, requests } = facts(part)
  assert.deepEqual([images, known], ["9,000", "300"])
  assert.deepEqual([telling, references, requests], ["at least 880", "at least 64", "at least 12"])
  assert.match(previewNotes(part, WORDS)[0], /^Only 2,000 pictures were read/)
})

test("a list that was cut off is a least itself", () => {
  assert.equal(facts({ ...WHOLE, truncated: true }).images, "at least 1,200")
})

test("pages of models are told apart, since only the vendor knows what they hold", () => {
  const pages = { images: 0, known: 0, read: 0, model_pages: 2, requests: 1, seconds: 0.8, exact: false }
  assert.deepEqual(
    previewNotes(pages, WORDS).map((note) => note.slice(0, 23)),
    ["And 2 pages of models: "],
  )
  assert.equal(facts(pages).requests, "at least 1")
})

test("where no vendor has to be asked, no time is named", () => {
  assert.equal(facts({ ...WHOLE, requests: 0, seconds: 0 }).seconds, undefined)
})
