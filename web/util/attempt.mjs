/** Do something that asks the server; say what went wrong, and return undefined then. */
export async function attempt(context, work) {
  try {
    return await work()
  } catch (error) {
    if (error.name !== "AbortError") context.notice.trouble(error)
    return undefined
  }
}
