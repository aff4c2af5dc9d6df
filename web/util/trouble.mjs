/**
 * Say what went wrong: in words of ours where the error names their key, else in the server's own. A browser's word for
 * no answer at all helps nobody.
 */
export function troubleWords(error, t) {
  if (error.key) return t(error.key)
  const unanswered = error instanceof TypeError && /fetch|network|load failed/i.test(error.message)
  return unanswered ? t("error.unreachable") : error.message
}
