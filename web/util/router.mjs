// Remembers which view is open as a path such as "recipes/12".

import { dispatch } from "./dispatch.mjs"

export class Router extends EventTarget {
  constructor(path = "") {
    super()
    this.path = path
  }

  go(path) {
    if (path === this.path) return
    this.path = path
    dispatch(this, "change")
  }

  get parts() {
    return this.path.split("/").map(decodeURIComponent)
  }
}

/** The same, kept in the address bar, so that reload and the back button work. */
export class HashRouter extends Router {
  constructor(window) {
    super(pathOf(window.location))
    this.window = window
    window.addEventListener("hashchange", () => super.go(pathOf(window.location)))
  }

  go(path) {
    this.window.location.hash = `#/${path}`
  }
}

function pathOf(location) {
  return location.hash.replace(/^#\/?/, "")
}
