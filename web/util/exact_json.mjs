// JSON.parse rounds whole numbers beyond 2^53, and seeds go to 2^64: such a seed is kept as text.

const LONG_SEED = /("(?:noise_)?seed":\s*)(\d{16,})/g

/** Parse `text`; a seed of 16 digits or more becomes a string with all of them. */
export function parseExact(text) {
  return JSON.parse(text.replace(LONG_SEED, '$1"$2"'))
}
