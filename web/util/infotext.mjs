// Writes a recipe in the way that A1111 and its descendants read. Pure text.

const SETTINGS = [
  ["Steps", (recipe) => recipe.steps],
  ["Sampler", (recipe) => recipe.sampler],
  ["Schedule type", (recipe) => recipe.scheduler],
  ["CFG scale", (recipe) => recipe.cfg_scale],
  ["Distilled CFG Scale", (recipe) => recipe.guidance],
  ["Seed", (recipe) => recipe.seed],
  ["Size", (recipe) => (recipe.width && recipe.height ? `${recipe.width}x${recipe.height}` : null)],
  ["Model hash", (recipe) => recipe.checkpoint?.hash],
  ["Model", (recipe) => recipe.checkpoint?.name],
  ["Clip skip", (recipe) => recipe.clip_skip],
  ["Denoising strength", (recipe) => recipe.denoise],
]

/** Return the prompt, the negative prompt and one line of settings. */
export function asInfotext(recipe) {
  const negative = recipe.negative_prompt ? `Negative prompt: ${recipe.negative_prompt}` : ""
  return [recipe.prompt ?? "", negative, settingsLine(recipe)].filter(Boolean).join("\n")
}

function settingsLine(recipe) {
  const said = SETTINGS.map(([name, of]) => [name, of(recipe)]).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  return said.map(([name, value]) => `${name}: ${quoted(String(value))}`).join(", ")
}

// A comma or colon inside a value would end it.
function quoted(value) {
  return /[,:\n"]/.test(value) ? JSON.stringify(value) : value
}
