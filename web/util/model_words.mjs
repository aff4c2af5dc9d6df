// Decides what is said about a model that a recipe names: whether it is here, and else where it can be had. Pure.

const ARCHIVES = new Set(["civarchive", "archive_db"])

/** The words for one model, as names of the translator's group "state": one, or two where the model is missing. */
export function standing({ here, state, source, model_id: id }) {
  if (here === false) return ["missing", whereabouts({ state, source, id })]
  if (here === true || source === "library") return ["here"]
  return state ? [state] : []
}

function whereabouts({ state, source, id }) {
  if (state === "stated" || state === "absent") return state
  if (state !== "found") return "unknown"
  if (ARCHIVES.has(source)) return "archived"
  // What the library once knew may have come from anywhere: its page says where.
  return source !== "library" || Number.isInteger(id) ? "on_civitai" : "unknown"
}
