import assert from "node:assert/strict"
import { test } from "node:test"
import { sentences } from "../../web/strings/en.mjs"
import { Formatter } from "../../web/util/format.mjs"
import {
  headline,
  hostName,
  mood,
  putOff,
  runnable,
  secondsLeft,
  shares,
  shortName,
  verbs,
  wordOf,
} from "../../web/util/job_words.mjs"
import { Translator } from "../../web/util/translator.mjs"

const words = { t: new Translator("en", sentences).say, format: new Formatter("en") }
const running = { status: "running", phase: "resolving", total: 200, success: 100, skipped: 20, failed: 2 }
const held = { ...running, rate_limited: true, limits: [{ host: "civitai.red" }, { host: "civarchive.com" }] }

test("a vendor is called by its name, another host by its own", () => {
  assert.equal(hostName("civitai.red"), "CivitAI")
  assert.equal(hostName("civitai.com"), "CivitAI")
  assert.equal(hostName("civarchive.com"), "CivArchive")
  assert.equal(hostName("notcivitai.com.evil.example"), "notcivitai.com.evil.example")
})

test("a running job says its phase", () => {
  assert.equal(headline(running, words), "Looking up models")
})

test("a limited job says for whom it waits, though local work goes on", () => {
  assert.equal(mood(held), "waiting")
  assert.equal(headline(held, words), "Waiting for CivitAI and CivArchive")
})

test("a paused job is paused, whatever else holds it", () => {
  assert.equal(mood({ ...held, status: "paused" }), "paused")
})

test("every status has a headline of its own", () => {
  for (const status of ["pending", "running", "paused", "waiting", "completed", "cancelled", "failed"]) {
    assert.ok(!headline({ status }, words).includes("."), status)
  }
})

test("a job that is over can be retried only where something was put off or failed", () => {
  assert.deepEqual(verbs({ status: "completed", failed: 0, skipped_reasons: { duplicate: 3 } }), [])
  assert.deepEqual(verbs({ status: "completed", failed: 0, skipped_reasons: { rate_limited: 3 } }), ["retry"])
  assert.deepEqual(verbs({ status: "paused" }), ["resume", "cancel"])
})

test("what waits for a vendor is counted apart from what was left out for good", () => {
  const job = { ...running, skipped_reasons: { duplicate: 5, rate_limited: 12, unreachable: 3 } }
  assert.equal(putOff(job), 15)
  assert.deepEqual(shares(job), { success: 50, later: 7.5, skipped: 2.5, failed: 1 })
})

test("a job that a vendor holds can be tried now, though it is under way", () => {
  assert.deepEqual(verbs({ ...held }), ["retry", "pause", "cancel"])
  assert.deepEqual(verbs(running), ["pause", "cancel"])
})

test("of what is listed, those can be run again that a vendor or a failure held up", () => {
  const job = {
    failed: 3,
    skipped_reasons: { duplicate: 5, rate_limited: 2, unauthorised: 1 },
    failed_reasons: { unreadable: 3 },
  }
  const counts = (name, reason) => runnable(job, { name, reason })
  assert.deepEqual([counts("all"), counts("skipped"), counts("failed"), counts("success")], [6, 3, 3, 0])
  assert.deepEqual([counts("skipped", "duplicate"), counts("skipped", "rate_limited")], [0, 2])
  assert.equal(counts("failed", "unreadable"), 3)
})

test("the bar of an empty job is empty", () => {
  assert.deepEqual(shares({ total: 0 }), { success: 0, later: 0, skipped: 0, failed: 0 })
})

test("a countdown ends at zero", () => {
  assert.equal(secondsLeft({ deadline: 5000 }, 2000), 3)
  assert.equal(secondsLeft({ deadline: 5000 }, 9000), 0)
})

test("a folder is called by its last name", () => {
  assert.equal(shortName("/home/me/pictures/2026/"), "2026")
  assert.equal(shortName("C:\\pictures\\2026"), "2026")
  assert.equal(shortName("12 files"), "12 files")
})

test("an import counts recipes and pictures, a sync models", () => {
  const say = (kind, name) => words.t(wordOf(name, { kind }), { count: 2, shown: "2", host: "CivitAI", time: "1", left: "2" })
  assert.equal(say("batch-imports", "count.success"), "2 recipes")
  assert.equal(say("metadata-syncs", "count.success"), "2 models")
  assert.match(say("metadata-syncs", "limit.waiting"), /2 models continue/)
  for (const name of ["count.later", "count.skipped", "count.failed", "limit.over"])
    assert.doesNotMatch(say("metadata-syncs", name), /_models/)
})
