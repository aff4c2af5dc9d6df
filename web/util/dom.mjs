// Builds elements. Data becomes text nodes and attributes, never markup: nothing here parses HTML.

/** Build one element: `on…` functions listen, `true` sets a bare attribute, null and false leave it out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) assign(element, name, value)
  element.append(...children.flat(Infinity).filter(isPresent))
  return element
}

function assign(element, name, value) {
  if (!isPresent(value)) return
  if (typeof value === "function") element.addEventListener(name.slice(2), value)
  else element.setAttribute(name, value === true ? "" : value)
}

function isPresent(value) {
  return value !== null && value !== undefined && value !== false
}

/** Replace what is inside `element`. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(isPresent))
  return element
}

/** Write text only where it differs, so that screen readers and selections are left in peace. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text
}

/** Set a custom property; the page's policy forbids style attributes, not this. */
export function setVariable(element, name, value) {
  element.style.setProperty(name, value)
}

/** Build a button with a word on it. */
export function button(label, onclick, attributes = {}) {
  return h("button", { type: "button", class: "pantry-button", onclick, ...attributes }, label)
}
