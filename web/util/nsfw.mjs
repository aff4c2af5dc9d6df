// CivitAI's levels of maturity. What nobody has rated counts as the lowest.

export const LEVEL_NAMES = { 1: "PG", 2: "PG-13", 4: "R", 8: "X", 16: "XXX" }
export const LEVELS = Object.keys(LEVEL_NAMES).map(Number)

// From here on a picture is blurred until it is pointed at or focused.
const VEILED = 4

/** Whether a picture of this level is blurred at first. */
export function isVeiled(level) {
  return (level ?? 0) >= VEILED
}

/** How many recipes each level would leave, from the facet's counts; the highest leaves all and is no choice. */
export function countsUpTo(counted) {
  const upTo = (level) => counted.reduce((sum, { value, count }) => sum + (value <= level ? count : 0), 0)
  return LEVELS.slice(0, -1).map((value) => ({ value, count: upTo(value) }))
}
