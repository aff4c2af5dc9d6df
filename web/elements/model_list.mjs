import { h } from "../util/dom.mjs"
import { originOf } from "../util/origins.mjs"
import { standing } from "../util/model_words.mjs"
import { vendorPage } from "../util/vendor_page.mjs"

const ROLES = ["checkpoint", "loras", "embeddings", "vae", "other_models"]

/** The models of one recipe, each with its state and the way to its page. */
export class ModelList {
  constructor({ t, format }, recipe) {
    this.t = t
    this.format = format
    this.recipe = recipe
    const rows = ROLES.flatMap((role) =>
      [recipe[role]]
        .flat()
        .filter(Boolean)
        .map((use) => this.#row(role, use)),
    )
    this.element = h(
      "section",
      { hidden: !rows.length },
      h("h3", {}, t("models.of_recipe")),
      h("ul", { class: "pantry-models" }, rows),
    )
  }

  #row(role, use) {
    const name = use.vendor_name ?? use.name ?? use.hash ?? this.t("models.unnamed")
    const link = vendorPage(use)
    const title = link
      ? h("a", { href: link, target: "_blank", rel: "noopener noreferrer", dir: "auto" }, name)
      : h("span", { dir: "auto" }, name)
    const parts = [use.version_name, use.base_model, this.#strength(use)].filter(Boolean).join(" · ")
    const head = h("div", { class: "pantry-model-head" }, title, this.#standing(use))
    const said = [this.t.named("role", use.role ?? role), parts, originOf(this.recipe, role)]
    const line = h("p", { class: "pantry-quiet" }, said.filter(Boolean).join(" · "))
    return h("li", { class: "pantry-model" }, head, line)
  }

  #strength({ strength_model: model, strength_clip: clip }) {
    if (model === null || model === undefined) return null
    const both = clip !== null && clip !== undefined && clip !== model
    return this.t("models.strength", {
      value: [model, both && clip]
        .filter((one) => one !== false)
        .map((one) => this.format.decimal(one))
        .join(" / "),
    })
  }

  #standing(use) {
    const mark = (name) =>
      h("span", { class: `pantry-state is-${name}`, title: use.source }, this.t.named("state", name))
    return h("span", { class: "pantry-standing" }, standing(use).map(mark))
  }
}
