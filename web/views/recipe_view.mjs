import { CanvasMenu } from "../elements/canvas_menu.mjs"
import { ModelList } from "../elements/model_list.mjs"
import { RecipeNotes } from "../elements/recipe_notes.mjs"
import { attempt } from "../util/attempt.mjs"
import { button, fill, h } from "../util/dom.mjs"
import { asInfotext } from "../util/infotext.mjs"
import { loraTags } from "../util/lora_tags.mjs"

const NUMBERS = ["seed", "steps", "cfg_scale", "guidance", "sampler", "scheduler", "size", "clip_skip", "denoise", "base_model"]

/** One recipe: its picture, everything it says, its models, and what a person adds. */
export class RecipeView {
  constructor(context) {
    this.context = context
    this.body = h("div", { class: "pantry-detail" })
    const back = button(context.t("recipe.back"), () => context.router.go("recipes"), { class: "pantry-button is-back" })
    this.element = h("div", { class: "pantry-view pantry-recipe-view" }, back, this.body)
  }

  async show(id) {
    if (id === this.id) return
    this.id = id
    const recipe = await attempt(this.context, () => this.context.api.recipe(id))
    if (recipe && id === this.id) this.#fill(recipe)
  }

  /** Leave by the Escape key. */
  escape() {
    this.context.router.go("recipes")
  }

  stop() {
    this.id = undefined
    fill(this.body)
  }

  #fill(recipe) {
    const side = [this.#picture(recipe), this.#actions(recipe)]
    const notes = new RecipeNotes(this.context, recipe)
    const text = [notes.element, this.#prompts(recipe), this.#facts(recipe), new ModelList(this.context, recipe).element, this.#source(recipe)]
    fill(this.body, h("div", { class: "pantry-detail-side" }, side), h("div", { class: "pantry-detail-text" }, text))
  }

  #picture(recipe) {
    const { api, host, t } = this.context
    const url = (part) => host.url(api.recipeFilePath(recipe.id, part))
    const image = h("img", { class: "pantry-full", src: url("image"), alt: recipe.title ?? t("recipe.image") })
    image.addEventListener("error", () => (image.src = url("thumbnail")), { once: true })
    return image
  }

  #actions(recipe) {
    const { t, host } = this.context
    const copy = button(t("recipe.copy"), () => this.#copy(asInfotext(recipe)))
    const loras = recipe.loras.length > 0 && button(t("recipe.copy_loras"), () => this.#copy(loraTags(recipe)))
    const load = recipe.has_workflow && host.loadWorkflow && button(t("recipe.load"), () => this.#load(recipe))
    const canvas = host.canvas && new CanvasMenu(this.context, recipe).element
    return [h("div", { class: "pantry-actions" }, [load, copy, loras]), canvas]
  }

  async #copy(text) {
    await attempt(this.context, () => navigator.clipboard.writeText(text))
    this.context.notice.say(this.context.t("recipe.copied"))
  }

  async #load(recipe) {
    const { api, host } = this.context
    const workflow = await attempt(this.context, () => api.workflow(recipe.id))
    if (workflow) await attempt(this.context, () => host.loadWorkflow(workflow, recipe.title))
  }

  #prompts(recipe) {
    return ["prompt", "negative_prompt"].filter((name) => recipe[name]).map((name) => this.#promptBlock(name, recipe[name]))
  }

  #promptBlock(name, text) {
    const { t } = this.context
    const copy = button(t("copy"), () => this.#copy(text), { class: "pantry-button is-small" })
    const head = h("div", { class: "pantry-block-head" }, h("h3", {}, t(`field.${name}`)), copy)
    return h("section", {}, head, h("p", { class: "pantry-prompt", dir: "auto", tabindex: 0 }, text))
  }

  #facts(recipe) {
    const size = recipe.width && recipe.height ? `${recipe.width} × ${recipe.height}` : null
    const values = { ...recipe, size }
    const rows = NUMBERS.filter((name) => isSaid(values[name])).map((name) => this.#fact(name, values[name], recipe.origins?.[name]))
    return rows.length > 0 && h("dl", { class: "pantry-facts" }, rows)
  }

  #fact(name, value, origin) {
    const said = h("dd", { title: origin }, String(value))
    return h("div", {}, h("dt", {}, this.context.t(`field.${name}`)), said)
  }

  #source({ source = {} }) {
    const { t } = this.context
    const words = [source.generator, (source.carriers ?? []).join(", "), source.path].filter(Boolean)
    return h("section", {}, h("h3", {}, t("field.source")), words.map((word) => h("p", { class: "pantry-quiet pantry-path" }, word)))
  }
}

function isSaid(value) {
  return value !== null && value !== undefined && value !== ""
}
