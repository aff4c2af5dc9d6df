// Finds the files that are worth sending among those that a person drops or chooses, folders walked to their ends.

const PICTURES = ["png", "jpg", "jpeg", "jfif", "webp", "avif", "heic", "jxl", "gif", "mp4", "webm"]
const ENDINGS = [...PICTURES.map((ending) => `.${ending}`), ".zip", ".recipe.json"]

/** What a field for files offers; browsers only know the last ending of a name. */
export const ACCEPT = [...ENDINGS.slice(0, -1), ".json"].join()

/** Whether a file of this name is a picture, a video, a zip of those, or a recipe of another program. */
export function isWanted(name) {
  const lower = name.toLowerCase()
  return !lower.startsWith(".") && ENDINGS.some((ending) => lower.endsWith(ending))
}

/** Return the wanted ones among `files`, in order. */
export function wantedFiles(files) {
  return [...files].filter((file) => isWanted(file.name))
}

/**
 * Return the wanted files of a drop. What was dropped must be asked for at once, before anything is waited for: the
 * browser forgets it when its event is over.
 */
export async function droppedFiles({ items = [], files = [] }) {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean)
  const plain = [...files]
  if (!entries.length) return wantedFiles(plain)
  const found = []
  for (const entry of entries) await walk(entry, found)
  return found
}

async function walk(entry, found) {
  if (entry.name.startsWith(".")) return
  if (entry.isDirectory) for (const inner of await insideOf(entry)) await walk(inner, found)
  else if (isWanted(entry.name)) found.push(await fileOf(entry))
}

// A reader hands out a hundred entries at a time, and none at the end.
async function insideOf(folder) {
  const reader = folder.createReader()
  const all = []
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))
    if (!some.length) return all.sort((one, other) => (one.name < other.name ? -1 : 1))
    all.push(...some)
  }
}

function fileOf(entry) {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}
