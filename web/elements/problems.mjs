import { fill, h } from "../util/dom.mjs"

const PLACES = ["settings_problem", "database_problem", "archive_problem"]

/** Says what is wrong with Pantry's own files, in the server's sentences; nothing where all is well. */
export class Problems {
  constructor(context) {
    this.context = context
    this.element = h("div", { class: "pantry-problems", role: "alert" })
  }

  async start() {
    const about = await this.context.api.about().catch(() => ({}))
    const sentences = PLACES.map((place) => about[place]).filter(Boolean)
    fill(
      this.element,
      sentences.map((sentence) => h("p", { class: "pantry-problem" }, sentence)),
    )
  }
}
