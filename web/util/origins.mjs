// Says which part of its file each field of a recipe came from. Pure.

// Told by one name in the origins, shown by another.
const NAMES = { size: "width" }

/** Where a field came from, or null where all came from one place, which then needs to be said only once. */
export function originOf({ source, origins }, name) {
  if ((source?.carriers ?? []).length < 2) return null
  return origins?.[NAMES[name] ?? name] ?? null
}
