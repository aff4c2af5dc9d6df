import assert from "node:assert/strict"
import { test } from "node:test"
import { Formatter } from "../../web/util/format.mjs"

const english = new Formatter("en", "UTC")

test("a length of time is said as m:ss, with hours where there are any", () => {
  assert.equal(english.duration(192), "3:12")
  assert.equal(english.duration(3.2), "0:04")
  assert.equal(english.duration(3725), "1:02:05")
})

test("a wait that is over is zero, never negative", () => {
  assert.equal(english.duration(-5), "0:00")
})

test("a moment of today is a time of day on a 24-hour clock", () => {
  assert.equal(english.moment(14 * 3600 + 300, 12 * 3600), "14:05")
  assert.equal(english.moment(86_400, 86_000), "00:00")
})

test("a moment far away is said with its date", () => {
  assert.match(english.moment(3 * 86_400, 0), /Jan 4, 1970/)
})

test("numbers follow the language", () => {
  assert.equal(english.number(100_000), "100,000")
  assert.equal(new Formatter("de").number(100_000), "100.000")
})

test("bytes are said in the largest unit that fits", () => {
  assert.equal(english.bytes(0), "0 B")
  assert.equal(english.bytes(1536), "1.5 KB")
  assert.equal(english.bytes(3 * 1024 ** 3), "3 GB")
})
