// The server's most for one page, whatever is listed.
const MOST = 500

/**
 * Fetch the first `count` items of a list again, in as few pages as the server allows; `fetch(cursor, limit)` gives one.
 * Return them as one page.
 */
export async function fetchFirst(fetch, count) {
  const items = []
  let cursor = null
  do {
    const page = await fetch(cursor, Math.min(MOST, count - items.length))
    items.push(...page.items)
    cursor = page.next_cursor
  } while (cursor && items.length < count)
  return { items, next_cursor: cursor }
}
