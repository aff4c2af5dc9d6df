// Puts together what the server is asked to import. Pure.

import { splitWords } from "./words.mjs"

/** Build a request from what stands in the form's fields; what is empty is left out. */
export function importRequest({ folders = [], addresses = "", include = "", exclude = "", tags = "", options = {} }) {
  const [directory, ...others] = unique(folders.map((one) => one.trim()).filter(Boolean))
  const lists = {
    directories: others.length ? [directory, ...others] : [],
    urls: splitLines(addresses),
    include: splitWords(include),
    exclude: splitWords(exclude),
  }
  const one = directory && !others.length ? { directory } : {}
  return { ...one, ...filled(lists), tags: splitWords(tags), ...options }
}

/** Whether a request names anything at all. */
export function namesSomething({ directory, directories, urls, files }) {
  return [directory, directories, urls, files].some((source) => source?.length > 0)
}

/** The same tags and options for files that were sent: globs are about folders. */
export function forFiles({ directory, directories, urls, include, exclude, ...rest }, files) {
  return { ...rest, files }
}

/** Split a list that people paste: one a line, or with spaces between; each once. */
export function splitLines(text) {
  return unique(text.split(/\s+/).filter(Boolean))
}

function unique(values) {
  return [...new Set(values)]
}

function filled(lists) {
  return Object.fromEntries(Object.entries(lists).filter(([, values]) => values.length))
}
