// Finds the nodes of a workflow that take a recipe's parts. Pure: knows nodes, widgets and links, not ComfyUI.

const TEXT_WIDGETS = ["text", "text_g", "text_l", "clip_l", "t5xxl", "prompt"]
const FARTHEST = 8
const BYPASSED = 4

/** The nodes that sample: those that take both prompts. */
export function samplers(nodes) {
  return nodes.filter((node) => inputOf(node, "positive") && inputOf(node, "negative"))
}

/** The text widgets that feed an input ("positive" or "negative") of a sampler, through whatever stands between. */
export function promptWidgets(node, input, nodeBefore) {
  const seen = new Set()
  let level = [nodeBefore(node, inputOf(node, input))]
  for (let far = 0; far < FARTHEST; far += 1) {
    level = level.filter((one) => one && !seen.has(one))
    const texts = level.flatMap((one) => widgets(one).filter(({ name }) => TEXT_WIDGETS.includes(name)))
    if (texts.length) return texts
    level.forEach((one) => seen.add(one))
    level = level.flatMap((one) => (one.inputs ?? []).map((slot) => nodeBefore(one, slot)))
  }
  return []
}

/** The nodes that set the size of an empty picture. */
export function sizeNodes(nodes) {
  return nodes.filter((node) => /empty.*latent/i.test(typeOf(node)) && widget(node, "width") && widget(node, "height"))
}

export function checkpointNodes(nodes) {
  return nodes.filter((node) => widget(node, "ckpt_name"))
}

/** The loaders of one LoRA each; `free` only those that are bypassed. */
export function loraLoaders(nodes, { free = false } = {}) {
  const loaders = nodes.filter((node) => widget(node, "lora_name") && widget(node, "strength_model"))
  return free ? loaders.filter((node) => node.mode === BYPASSED) : loaders
}

/** The nodes that take LoRAs as tags in a text. */
export function loraTexts(nodes) {
  return nodes
    .filter((node) => /lora/i.test(typeOf(node)))
    .map((node) => widget(node, "text"))
    .filter(Boolean)
}

/** Pantry's own nodes that take a whole recipe. */
export function recipeWidgets(nodes) {
  return nodes
    .filter((node) => typeOf(node).startsWith("Pantry"))
    .map((node) => widget(node, "recipe"))
    .filter(Boolean)
}

export function widget(node, ...names) {
  return widgets(node).find(({ name }) => names.includes(name)) ?? null
}

/** The values that a combo offers. */
export function choices({ options }) {
  const values = typeof options?.values === "function" ? options.values() : options?.values
  return Array.isArray(values) ? values : Object.keys(values ?? {})
}

export function bypass(node, bypassed) {
  node.mode = bypassed ? BYPASSED : 0
}

function widgets(node) {
  return node.widgets ?? []
}

function inputOf(node, name) {
  return (node.inputs ?? []).find((input) => input.name === name)
}

function typeOf(node) {
  return node.comfyClass ?? node.type ?? ""
}
