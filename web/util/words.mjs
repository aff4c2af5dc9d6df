/** Split what people type into words: by commas, whatever spaces stand around. */
export function splitWords(text) {
  return text
    .split(/[,，]/)
    .map((word) => word.trim())
    .filter(Boolean)
}
