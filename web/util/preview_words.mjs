// Says what an import would do, number by number. Pure: takes the server's preview, gives keys and values.

const MOST = { images: "truncated" }
const SHOWN = ["images", "known", "with_metadata", "references", "requests"]
// These come of reading pictures, and only so many are read beforehand.
const READ = new Set(["with_metadata", "references", "requests"])

/** The numbers that are known, each as `{name, text}`; `t` and `format` are the reader's language. */
export function previewFacts(preview, { t, format }) {
  const facts = SHOWN.filter((name) => Number.isFinite(preview[name])).map((name) => ({
    name,
    text: bounded(preview, name, { t, format }),
  }))
  const { requests = 0, seconds = 0 } = preview
  if (requests > 0) facts.push({ name: "seconds", text: t("import.about", { shown: format.duration(seconds) }) })
  return facts
}

/** What the numbers leave open, as sentences. */
export function previewNotes({ exact = true, model_pages: pages = 0, images = 0, known = 0, read }, { t, format }) {
  const unread = Number.isFinite(read) && read < images - known
  return [
    !exact && unread && t("import.read_first", { count: read, shown: format.number(read) }),
    pages > 0 && t("import.model_pages", { count: pages, shown: format.number(pages) }),
  ].filter(Boolean)
}

function bounded(preview, name, { t, format }) {
  const shown = format.number(preview[name])
  const least = (READ.has(name) && preview.exact === false) || preview[MOST[name]]
  return least ? t("import.at_least", { shown }) : shown
}
