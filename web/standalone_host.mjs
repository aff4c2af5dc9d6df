// The surroundings of the page of its own: plain fetch, and Pantry's WebSocket.

const FIRST_RETRY = 500
const LAST_RETRY = 10_000

export class StandaloneHost {
  constructor() {
    this.events = new EventTarget()
    this.retry = FIRST_RETRY
    this.root = new URL(".", document.baseURI)
  }

  kind = "standalone"

  start() {
    const address = new URL("pantry/ws", this.root)
    address.protocol = address.protocol.replace("http", "ws")
    const socket = new WebSocket(address)
    socket.addEventListener("open", () => this.#opened())
    socket.addEventListener("message", ({ data }) => this.#received(JSON.parse(data)))
    socket.addEventListener("close", () => this.#closed())
  }

  fetch(path, options) {
    return fetch(this.url(path), options)
  }

  url(path) {
    return new URL(path.slice(1), this.root).href
  }

  get languages() {
    return navigator.languages
  }

  #opened() {
    this.retry = FIRST_RETRY
    this.#pass("connected")
  }

  #closed() {
    this.#pass("disconnected")
    setTimeout(() => this.start(), this.retry)
    this.retry = Math.min(LAST_RETRY, this.retry * 2)
  }

  #received({ type, data }) {
    this.#pass(type, data)
  }

  #pass(name, detail) {
    this.events.dispatchEvent(new CustomEvent(name, { detail }))
  }
}
