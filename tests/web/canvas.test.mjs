import assert from "node:assert/strict"
import { test } from "node:test"
import { Canvas } from "../../web/comfy/canvas.mjs"
import { fileOf, samplerOf, schedulerOf } from "../../web/comfy/names.mjs"

const SAMPLERS = ["euler", "euler_ancestral", "dpmpp_2m", "dpmpp_2s_ancestral", "uni_pc"]
const recipe = {
  id: "r1",
  prompt: "a lake",
  negative_prompt: "text",
  seed: 42,
  steps: 28,
  cfg_scale: 6.5,
  sampler: "DPM++ 2M Karras",
  scheduler: "Karras",
  width: 832,
  height: 1216,
  checkpoint: { name: "juggernautXL_v9" },
  loras: [
    { name: "mist", strength_model: 0.8, strength_clip: 0.6 },
    { name: "not here", strength_model: 1 },
  ],
}

function node(id, type, widgets = {}, inputs = {}) {
  const fields = Object.entries(widgets).map(([name, value]) => {
    return Array.isArray(value) ? { name, value: value[0], options: { values: value } } : { name, value }
  })
  const slots = Object.entries(inputs).map(([name, link]) => ({ name, link }))
  return { id, type, widgets: fields, inputs: slots, mode: 0 }
}

/** The workflow that ComfyUI starts with, a conditioning node between text and sampler, and two LoRA loaders. */
function workflow() {
  const nodes = [
    node(1, "CheckpointLoaderSimple", { ckpt_name: ["old.ckpt", "sdxl/juggernautXL_v9.safetensors"] }),
    node(2, "CLIPTextEncode", { text: "old" }),
    node(3, "CLIPTextEncode", { text: "old negative" }),
    node(4, "ConditioningCombine", {}, { one: 20 }),
    node(
      5,
      "KSampler",
      { seed: 0, steps: 1, cfg: 1, sampler_name: SAMPLERS, scheduler: ["normal", "karras"] },
      { positive: 21, negative: 22 },
    ),
    node(6, "EmptyLatentImage", { width: 512, height: 512 }),
    node(7, "LoraLoader", {
      lora_name: ["none.safetensors", "styles/mist.safetensors"],
      strength_model: 1,
      strength_clip: 1,
    }),
    node(8, "LoraLoader", {
      lora_name: ["none.safetensors", "styles/mist.safetensors"],
      strength_model: 1,
      strength_clip: 1,
    }),
    node(9, "PantryLoraFromText", { text: "words <lora:old:1>" }),
    node(10, "PantryRecipeLoader", { recipe: "" }),
  ]
  const links = { 20: { origin_id: 2 }, 21: { origin_id: 4 }, 22: { origin_id: 3 } }
  const graph = { nodes, links, getNodeById: (id) => nodes.find((one) => one.id === id), setDirtyCanvas() {} }
  const value = (id, name) => nodes.find((one) => one.id === id).widgets.find((one) => one.name === name).value
  return { canvas: new Canvas({ graph }), nodes, value }
}

test("prompts reach the texts that feed the sampler, through what stands between", () => {
  const { canvas, value } = workflow()
  assert.equal(canvas.prompts(recipe), 2)
  assert.deepEqual([value(2, "text"), value(3, "text")], ["a lake", "text"])
})

test("settings reach sampler, size and checkpoint in ComfyUI's own names", () => {
  const { canvas, value } = workflow()
  canvas.settings(recipe)
  assert.deepEqual(
    ["seed", "steps", "cfg", "sampler_name", "scheduler"].map((name) => value(5, name)),
    [42, 28, 6.5, "dpmpp_2m", "karras"],
  )
  assert.deepEqual([value(6, "width"), value(6, "height")], [832, 1216])
  assert.equal(value(1, "ckpt_name"), "sdxl/juggernautXL_v9.safetensors")
})

test("what a recipe does not say stays as it was", () => {
  const { canvas, value } = workflow()
  assert.equal(canvas.settings({ loras: [] }), 0)
  assert.equal(value(5, "seed"), 0)
})

test("LoRAs replace those that are there: loaders are filled, the rest bypassed, tags rewritten", () => {
  const { canvas, nodes, value } = workflow()
  canvas.loras(recipe)
  assert.equal(value(7, "lora_name"), "styles/mist.safetensors")
  assert.deepEqual([value(7, "strength_model"), value(7, "strength_clip")], [0.8, 0.6])
  assert.deepEqual([nodes[6].mode, nodes[7].mode], [0, 4])
  assert.equal(value(9, "text"), "words <lora:mist:0.8> <lora:not here:1>")
})

test("LoRAs are added beside those that are there, in loaders that are free", () => {
  const { canvas, nodes, value } = workflow()
  nodes[7].mode = 4
  canvas.loras(recipe, { append: true })
  assert.equal(value(7, "lora_name"), "none.safetensors")
  assert.equal(value(8, "lora_name"), "styles/mist.safetensors")
  assert.equal(nodes[7].mode, 0)
  assert.match(value(9, "text"), /^words <lora:old:1> <lora:mist:0.8>/)
})

test("Pantry's own nodes take the whole recipe", () => {
  const { canvas, value } = workflow()
  assert.equal(canvas.recipe(recipe), 1)
  assert.equal(value(10, "recipe"), "r1")
})

test("names of other programs are matched to what is offered", () => {
  assert.equal(samplerOf("Euler a", SAMPLERS), "euler_ancestral")
  assert.equal(samplerOf("DPM++ 2S a Karras", SAMPLERS), "dpmpp_2s_ancestral")
  assert.equal(samplerOf("UniPC", SAMPLERS), "uni_pc")
  assert.equal(samplerOf("unheard of", SAMPLERS), null)
  assert.equal(samplerOf(null, SAMPLERS), null)
  assert.equal(schedulerOf("Automatic", ["normal", "karras"]), "normal")
  assert.equal(fileOf("mist", ["a/other.safetensors", "a\\Mist.safetensors"]), "a\\Mist.safetensors")
  assert.equal(fileOf(undefined, ["x.safetensors"]), null)
})
