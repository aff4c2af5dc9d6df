import assert from "node:assert/strict"
import { test } from "node:test"
import { asInfotext } from "../../web/util/infotext.mjs"
import { loraTags, stem } from "../../web/util/lora_tags.mjs"

const recipe = {
  prompt: "a lake",
  negative_prompt: "text",
  steps: 28,
  sampler: "Euler a",
  scheduler: null,
  cfg_scale: 6.5,
  seed: 0,
  width: 832,
  height: 1216,
  checkpoint: { name: 'odd, "name"', hash: "d91d35736d" },
  loras: [
    { name: "styles/mist.safetensors", strength_model: 0.8 },
    { name: "plain", strength_model: null },
  ],
}

test("a recipe is written as A1111 writes it", () => {
  const lines = asInfotext(recipe).split("\n")
  assert.deepEqual(lines.slice(0, 2), ["a lake", "Negative prompt: text"])
  assert.equal(
    lines[2],
    'Steps: 28, Sampler: Euler a, CFG scale: 6.5, Seed: 0, Size: 832x1216, Model hash: d91d35736d, Model: "odd, \\"name\\""',
  )
})

test("what the image does not say is not written", () => {
  assert.equal(asInfotext({ prompt: "a lake", loras: [] }), "a lake")
})

test("LoRAs become tags, a strength that is not said is one", () => {
  assert.equal(loraTags(recipe), "<lora:mist:0.8> <lora:plain:1>")
  assert.equal(stem("a\\b\\c.v2.safetensors"), "c.v2")
})
