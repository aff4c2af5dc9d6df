import { Upload } from "../state/upload.mjs"
import { button, fill, h, write } from "../util/dom.mjs"
import { troubleWords } from "../util/trouble.mjs"

/** Sends files from the reader's machine, says how far it is, and what can be done where it stops in the middle. */
export class UploadLine {
  constructor(context, { sent }) {
    this.context = context
    this.sent = sent
    this.words = h("p", { class: "pantry-quiet", role: "status" })
    this.bar = h("progress", { class: "pantry-upload-bar", "aria-label": context.t("upload.progress") })
    this.actions = h("div", { class: "pantry-actions" })
    this.element = h("div", { class: "pantry-upload", hidden: true }, this.words, this.bar, this.actions)
  }

  /** Send files; more of them join those that are under way, so that all become one import. */
  send(files) {
    if (!files.length) return this.context.notice.say(this.context.t("upload.none"))
    if (this.upload) return this.upload.add(files)
    this.upload = new Upload(this.context.api, files)
    this.upload.addEventListener("change", () => this.#show())
    this.element.hidden = false
    return this.#run()
  }

  async #run() {
    const { upload } = this
    this.#offer(["cancel", () => this.#stop()])
    this.#show()
    try {
      await upload.run()
    } catch (error) {
      return this.#stopped(error)
    }
    if (upload.stopped) return undefined
    this.#sayRefused(upload.refused)
    return this.#finish()
  }

  #finish() {
    const { paths } = this.upload
    this.#close()
    if (paths.length) this.sent(paths)
  }

  #stop() {
    this.upload.stop()
    this.#close()
  }

  #close() {
    this.upload = undefined
    this.element.hidden = true
    fill(this.actions)
  }

  #show() {
    const { sent, total } = this.upload ?? { sent: 0, total: 1 }
    Object.assign(this.bar, { value: sent, max: total })
    write(this.words, this.context.t("upload.sent", this.#counts))
  }

  // What was sent stays at the server, so only the rest has to be sent.
  #stopped(error) {
    const message = troubleWords(error, this.context.t)
    write(this.words, this.context.t("upload.stopped", { ...this.#counts, message }))
    const start = this.upload.paths.length > 0 && ["start", () => this.#finish()]
    this.#offer(["rest", () => this.#run()], start, ["cancel", () => this.#stop()])
  }

  #sayRefused(refused) {
    if (!refused.length) return
    const { t, format, notice } = this.context
    const [{ message }] = refused
    const count = refused.length
    notice.say(t("upload.refused", { count, shown: format.number(count), message }), { trouble: true })
  }

  #offer(...actions) {
    const held = this.actions.contains(document.activeElement)
    const buttons = actions
      .filter(Boolean)
      .map(([name, act]) => button(this.context.t(`upload.${name}`), act, { class: "pantry-button is-small" }))
    fill(this.actions, buttons)
    if (held) buttons[0].focus()
  }

  get #counts() {
    const { sent, total } = this.upload ?? { sent: 0, total: 0 }
    return { done: this.context.format.number(sent), total: this.context.format.number(total) }
  }
}
