/** Write a recipe's LoRAs as tags that most tools read: `<lora:name:strength>`. */
export function loraTags({ loras }) {
  return loras.map((lora) => `<lora:${stem(lora.name)}:${lora.strength_model ?? 1}>`).join(" ")
}

/** The name of a model file without its folder and ending. */
export function stem(name) {
  return (name ?? "")
    .split(/[\\/]/)
    .pop()
    .replace(/\.(safetensors|ckpt|pt|pth|gguf|bin)$/i, "")
}
