const AT_ONCE = 6

/** Fetch one thing per id, a few at once, in the order of the ids. */
export async function fetchAll(ids, fetchOne) {
  const found = []
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    found.push(...(await Promise.all(ids.slice(start, start + AT_ONCE).map(fetchOne))))
  }
  return found
}

/** Hand a text to the reader as a file. */
export function saveAs(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  const link = Object.assign(document.createElement("a"), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
