/** The page of a model at its vendor, where its numbers are known; nothing else becomes a link. */
export function vendorPage({ model_id: model, model_version_id: version }) {
  if (!Number.isInteger(model)) return null
  return `https://civitai.com/models/${model}${Number.isInteger(version) ? `?modelVersionId=${version}` : ""}`
}
