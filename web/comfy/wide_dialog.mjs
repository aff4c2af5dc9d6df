import { mountContext } from "../pantry.mjs"
import { button, h } from "../util/dom.mjs"
import { Router } from "../util/router.mjs"

/** The whole face in a large dialog over ComfyUI: the page of its own, without leaving the app. */
export class WideDialog {
  constructor(context) {
    this.context = context
  }

  toggle() {
    if (this.dialog) return this.dialog.close()
    const router = new Router(this.context.router.path)
    this.pantry = mountContext({ ...this.context, router })
    const close = button("×", () => this.dialog.close(), { class: "pantry-icon-button pantry-dialog-close", "aria-label": this.context.t("close") })
    this.dialog = h("dialog", { class: "pantry-dialog", "aria-label": "Pantry", onclose: () => this.#closed() }, this.pantry.element, close)
    document.body.append(this.dialog)
    this.dialog.showModal()
    return this.pantry.start()
  }

  #closed() {
    this.pantry.stop()
    this.dialog.remove()
    this.dialog = undefined
  }
}
