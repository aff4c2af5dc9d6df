/** Send one event; every event of Pantry's own passes here. Returns it. */
export function dispatch(target, name, { detail, cancelable = false, bubbles = false } = {}) {
  const event = new CustomEvent(name, { detail, cancelable, bubbles })
  target.dispatchEvent(event)
  return event
}
