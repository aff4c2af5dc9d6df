import assert from "node:assert/strict"
import { mock, test } from "node:test"
import { Soon } from "../../web/util/soon.mjs"

const settled = () => new Promise((resolve) => setImmediate(resolve))

test("many askings are one, also while the work is under way", async () => {
  mock.timers.enable({ apis: ["setTimeout"] })
  const ends = []
  let times = 0
  const soon = new Soon(() => new Promise((resolve) => ends.push(resolve) && (times += 1)), 100)
  for (let asked = 0; asked < 50; asked += 1) soon.ask()
  mock.timers.tick(99)
  assert.equal(times, 0)
  mock.timers.tick(1)
  assert.equal(times, 1)
  for (let asked = 0; asked < 50; asked += 1) soon.ask()
  mock.timers.tick(1000)
  assert.equal(times, 1)
  ends[0]()
  await settled()
  mock.timers.tick(100)
  assert.equal(times, 2)
  ends[1]()
  await settled()
  mock.timers.tick(1000)
  assert.equal(times, 2)
  mock.timers.reset()
})

test("what was asked for is forgotten at a stop", () => {
  mock.timers.enable({ apis: ["setTimeout"] })
  const soon = new Soon(() => assert.fail(), 100)
  soon.ask()
  soon.stop()
  mock.timers.tick(1000)
  mock.timers.reset()
})
