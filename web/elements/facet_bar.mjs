import { button, fill, h } from "../util/dom.mjs"
import { countsUpTo, LEVEL_NAMES } from "../util/nsfw.mjs"

const CHOICES = { checkpoint: "checkpoints", lora: "loras", base_model: "base_models", tag: "tags" }
const MARKS = { missing: "missing", favourite: "favourites" }
// These may be asked for several times; every one must fit.
const MANY = new Set(["lora", "tag"])

/** Narrows the list: one choice a facet, several tags and LoRAs; each can be taken away again. */
export class FacetBar {
  constructor(context, { changed, words = () => "" }) {
    this.context = context
    this.changed = changed
    this.words = words
    this.chosen = {}
    this.choices = h("div", { class: "pantry-row" })
    this.chips = h("div", { class: "pantry-filters", role: "group", "aria-label": context.t("facets.chosen") })
    const summary = h("summary", {}, context.t("facets.title"))
    const toggled = () => this.refresh()
    this.element = h("details", { class: "pantry-facets", ontoggle: toggled }, summary, this.choices)
  }

  /** What is asked for, as the server takes it. */
  get filters() {
    return this.chosen
  }

  get active() {
    return Object.keys(this.chosen).length > 0
  }

  set(chosen) {
    this.chosen = chosen
    this.#showChips()
    this.refresh()
  }

  /** Count again what is open: the words that are searched for have changed. */
  refresh() {
    if (this.element.open) this.#load()
  }

  // Facets are a help: where the server does not count, the search alone has to do.
  async #load() {
    const turn = (this.turn = (this.turn ?? 0) + 1)
    try {
      const facets = await this.context.api.facets({ q: this.words(), ...this.chosen })
      if (turn === this.turn) this.#show(facets)
    } catch {
      fill(this.choices, h("p", { class: "pantry-quiet" }, this.context.t("facets.none")))
    }
  }

  #show(facets) {
    const choices = Object.entries(CHOICES).map(([name, list]) => this.#choice(name, facets[list] ?? []))
    const marks = Object.entries(MARKS).map(([name, count]) => this.#mark(name, facets[count] ?? 0))
    const maturity = this.#choice("nsfw", countsUpTo(facets.nsfw_levels ?? []))
    fill(this.choices, choices, maturity, marks)
  }

  #choice(name, values) {
    const { t, format } = this.context
    const label = t(`facet.${name}`)
    const words = ({ value, count }) => `${this.#named(name, value)} (${format.number(count)})`
    const options = values.map((one) => h("option", { value: one.value }, words(one)))
    const choose = (event) => event.target.value && this.#add(name, event.target.value)
    const look = {
      class: "pantry-input pantry-choice",
      "aria-label": label,
      onchange: choose,
      disabled: !values.length,
    }
    return h("select", look, h("option", { value: "" }, label), options)
  }

  #mark(name, count) {
    const { t, format } = this.context
    const pressed = Boolean(this.chosen[name])
    const turn = () => (pressed ? this.#remove(name) : this.#add(name, true))
    const look = { class: "pantry-chip", "aria-pressed": String(pressed), disabled: !count && !pressed }
    return button(`${t(`facet.${name}`)} ${format.number(count)}`, turn, look)
  }

  #named(name, value) {
    return name === "nsfw" ? this.context.t("nsfw.up_to", { level: LEVEL_NAMES[value] }) : value
  }

  #add(name, value) {
    const before = MANY.has(name) ? (this.chosen[name] ?? []) : null
    this.#change({ ...this.chosen, [name]: before ? [...new Set([...before, value])] : value })
  }

  #remove(name, value) {
    const { [name]: values, ...others } = this.chosen
    const left = Array.isArray(values) ? values.filter((one) => one !== value) : []
    this.#change(left.length ? { ...others, [name]: left } : others)
  }

  #change(chosen) {
    this.set(chosen)
    this.changed()
  }

  #showChips() {
    const pairs = Object.entries(this.chosen).flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
    fill(
      this.chips,
      pairs.map(([name, value]) => this.#chip(name, value)),
    )
  }

  #chip(name, value) {
    const { t } = this.context
    const words = value === true ? t(`facet.${name}`) : `${t(`facet.${name}`)}: ${this.#named(name, value)}`
    const label = t("facets.remove", { what: words })
    return button(`${words} ×`, () => this.#remove(name, value), { class: "pantry-chip", "aria-label": label })
  }
}
