import { mountContext } from "../pantry.mjs"
import { button, h } from "../util/dom.mjs"
import { Router } from "../util/router.mjs"

/** The whole face in a large dialog over ComfyUI: the page of its own, without leaving the app. */
export class WideDialog {
  constructor(context) {
    this.context = context
  }

  toggle() {
    this.dialog ? this.close() : this.open()
  }

  /** Open; with `chosen` a click on a recipe hands it over instead of showing it. */
  open({ chosen = null } = {}) {
    this.close()
    const router = new Router(chosen ? "recipes" : this.context.router.path)
    this.pantry = mountContext({ ...this.context, router, chosen })
    const close = { class: "pantry-icon-button pantry-dialog-close", "aria-label": this.context.t("close") }
    const parts = [this.pantry.element, button("×", () => this.close(), close)]
    this.dialog = h("dialog", { class: "pantry-dialog", "aria-label": "Pantry", onclose: () => this.#closed() }, parts)
    document.body.append(this.dialog)
    this.dialog.showModal()
    this.pantry.start()
  }

  close() {
    this.dialog?.close()
  }

  #closed() {
    this.pantry.stop()
    this.dialog.remove()
    this.dialog = undefined
  }
}
