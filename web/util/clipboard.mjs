/** Copy `text`, also where the page is not secure and browsers hide their clipboard; tell whether it worked. */
export async function copyText(text) {
  if (!navigator.clipboard) return copyThroughField(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copyThroughField(text),
  )
}

function copyThroughField(text) {
  const field = Object.assign(document.createElement("textarea"), { value: text, className: "pantry-unseen" })
  const host = document.querySelector("dialog[open]") ?? document.body
  host.append(field)
  field.select()
  const copied = document.execCommand("copy")
  field.remove()
  return copied
}
