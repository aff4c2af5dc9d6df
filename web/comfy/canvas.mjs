// Writes parts of a recipe into the open workflow. Every sender returns how many nodes or fields it changed.

import { loraTags } from "../util/lora_tags.mjs"
import * as find from "./graph_nodes.mjs"
import { fileOf, samplerOf, schedulerOf } from "./names.mjs"

const TAG = /\s*<lora:[^>]*>/gi

export class Canvas {
  constructor(app) {
    this.app = app
  }

  /** Write the prompts into the texts that feed the samplers. */
  prompts(recipe) {
    const pairs = [
      ["positive", recipe.prompt],
      ["negative", recipe.negative_prompt],
    ]
    const texts = pairs.flatMap(([input, text]) => this.#texts(input).map((one) => [one, text]))
    return this.#write(texts.filter(([, text]) => text !== null && text !== undefined))
  }

  /** Write seed, steps, sampler and so on, the size, and the checkpoint where it is here. */
  settings(recipe) {
    const nodes = this.#nodes
    const sampling = nodes.flatMap((node) => samplerFields(node, recipe))
    const sizes = find.sizeNodes(nodes).flatMap((node) => sizeFields(node, recipe))
    const checkpoints = find.checkpointNodes(nodes).flatMap((node) => checkpointFields(node, recipe))
    return this.#write([...sampling, ...sizes, ...checkpoints])
  }

  /** Write the LoRAs: in place of those that are there, or beside them. */
  loras(recipe, { append = false } = {}) {
    const texts = find.loraTexts(this.#nodes).map((text) => [text, withTags(text.value, loraTags(recipe), append)])
    return this.#write(texts) + this.#fillLoaders(recipe.loras, append)
  }

  /** Choose the recipe in Pantry's own nodes. */
  recipe(recipe) {
    return this.#write(find.recipeWidgets(this.#nodes).map((one) => [one, recipe.id]))
  }

  get #nodes() {
    return this.app.graph?.nodes ?? this.app.graph?._nodes ?? []
  }

  #texts(input) {
    const before = (node, slot) => this.#nodeBefore(slot)
    return find.samplers(this.#nodes).flatMap((node) => find.promptWidgets(node, input, before))
  }

  #nodeBefore(slot) {
    if (slot?.link === null || slot?.link === undefined) return null
    const link = this.app.graph.getLink?.(slot.link) ?? this.app.graph.links?.[slot.link]
    return link ? this.app.graph.getNodeById(link.origin_id) : null
  }

  #fillLoaders(loras, append) {
    const loaders = find.loraLoaders(this.#nodes, { free: append })
    const here = loras.filter((lora) => loaders.length && fileOf(lora.name, offered(loaders[0], "lora_name")))
    const filled = loaders.slice(0, here.length)
    if (!append) loaders.forEach((node) => find.bypass(node, !filled.includes(node)))
    filled.forEach((node) => find.bypass(node, false))
    return this.#write(filled.flatMap((node, index) => loraFields(node, here[index])))
  }

  #write(fields) {
    for (const [widget, value] of fields) {
      widget.value = value
      widget.callback?.(value)
    }
    this.app.graph?.setDirtyCanvas?.(true, true)
    this.app.extensionManager?.workflow?.activeWorkflow?.changeTracker?.checkState?.()
    return fields.length
  }
}

function samplerFields(node, recipe) {
  const fields = [
    [find.widget(node, "seed", "noise_seed"), Number(recipe.seed ?? NaN)],
    [find.widget(node, "steps"), recipe.steps],
    [find.widget(node, "cfg"), recipe.cfg_scale],
    [find.widget(node, "guidance"), recipe.guidance],
    [find.widget(node, "sampler_name"), samplerOf(recipe.sampler, offered(node, "sampler_name"))],
    [find.widget(node, "scheduler"), schedulerOf(recipe.scheduler, offered(node, "scheduler"))],
  ]
  return said(fields)
}

function sizeFields(node, { width, height }) {
  return said([
    [find.widget(node, "width"), width],
    [find.widget(node, "height"), height],
  ])
}

function checkpointFields(node, { checkpoint }) {
  return said([[find.widget(node, "ckpt_name"), fileOf(checkpoint?.name, offered(node, "ckpt_name"))]])
}

function loraFields(node, lora) {
  const model = lora.strength_model ?? 1
  return said([
    [find.widget(node, "lora_name"), fileOf(lora.name, offered(node, "lora_name"))],
    [find.widget(node, "strength_model"), model],
    [find.widget(node, "strength_clip"), lora.strength_clip ?? model],
  ])
}

function said(fields) {
  return fields.filter(([widget, value]) => widget && value !== null && value !== undefined && !Number.isNaN(value))
}

function offered(node, name) {
  const combo = find.widget(node, name)
  return combo ? find.choices(combo) : []
}

function withTags(text, tags, append) {
  const kept = append ? text : text.replace(TAG, "")
  return [kept.trim(), tags].filter(Boolean).join(" ")
}
