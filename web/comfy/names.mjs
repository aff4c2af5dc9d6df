// Matches names from images to what ComfyUI offers: samplers, schedulers, files. Pure.

import { stem } from "../util/lora_tags.mjs"

const SAMPLERS = {
  eulera: "euler_ancestral",
  eulerancestral: "euler_ancestral",
  dpm2a: "dpm_2_ancestral",
  dpmpp2sa: "dpmpp_2s_ancestral",
  plms: "lms",
}
const SCHEDULER_ENDINGS = ["karras", "exponential", "sgmuniform", "sgm_uniform"]

/** The offered sampler that `name` means, or null. */
export function samplerOf(name, offered) {
  const squeezed = SCHEDULER_ENDINGS.reduce((text, ending) => text.replace(new RegExp(`${ending}$`), ""), squeeze(name))
  return match(SAMPLERS[squeezed] ?? squeezed, offered)
}

/** The offered scheduler that `name` means, or null; A1111's "Automatic" leaves the choice to the program. */
export function schedulerOf(name, offered) {
  return match(squeeze(name) === "automatic" ? "normal" : name, offered)
}

/** The offered file whose name, without folder and ending, is that of `name`; or null. */
export function fileOf(name, offered) {
  const wanted = stem(name).toLowerCase()
  return offered.find((file) => stem(file).toLowerCase() === wanted) ?? null
}

function match(name, offered) {
  return offered.find((one) => squeeze(one) === squeeze(name)) ?? null
}

function squeeze(name) {
  return String(name ?? "")
    .toLowerCase()
    .replaceAll("+", "p")
    .replace(/[^a-z0-9]/g, "")
}
