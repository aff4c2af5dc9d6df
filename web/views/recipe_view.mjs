import { BigPicture } from "../elements/big_picture.mjs"
import { CanvasMenu } from "../elements/canvas_menu.mjs"
import { ModelList } from "../elements/model_list.mjs"
import { RecipeFacts } from "../elements/recipe_facts.mjs"
import { RecipeNotes } from "../elements/recipe_notes.mjs"
import { RecipePrompts } from "../elements/recipe_prompts.mjs"
import { RecipeSource } from "../elements/recipe_source.mjs"
import { attempt } from "../util/attempt.mjs"
import { copyText } from "../util/clipboard.mjs"
import { button, fill, h } from "../util/dom.mjs"
import { asInfotext } from "../util/infotext.mjs"
import { loraTags } from "../util/lora_tags.mjs"
import { Soon } from "../util/soon.mjs"

const SETTLE = 300
const FIELDS = "input, textarea, select"

/** One recipe: its picture, everything it says, its models, and what a person adds. */
export class RecipeView {
  constructor(context) {
    this.context = context
    this.soon = new Soon(() => this.#follow(), SETTLE)
    this.body = h("div", { class: "pantry-detail", onfocusout: () => this.late && this.soon.ask() })
    const back = button(context.t("recipe.back"), () => context.router.go("recipes"), {
      class: "pantry-button is-back",
    })
    this.element = h("div", { class: "pantry-view pantry-recipe-view" }, back, this.body)
  }

  start() {
    this.abort = new AbortController()
    const signal = this.abort.signal
    const { events } = this.context.host
    events.addEventListener("pantry.recipes_changed", ({ detail }) => this.#changed(detail), { signal })
    events.addEventListener("connected", () => this.soon.ask(), { signal })
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
    this.abort.abort()
    this.soon.stop()
    this.id = this.recipe = undefined
    fill(this.body)
  }

  #changed({ ids = [], more = false }) {
    if (more || ids.includes(this.id)) this.soon.ask()
  }

  // Somebody else has changed it: another tab, an import, the library. Never under the hands of one who types.
  async #follow() {
    const { api, notice, router } = this.context
    const id = this.id
    this.late = this.body.querySelector(":focus")?.matches(FIELDS) ?? false
    if (!this.recipe || this.late) return
    try {
      const recipe = await api.recipe(id)
      if (id === this.id && !sameRecipe(recipe, this.recipe)) this.#fill(recipe)
    } catch (error) {
      if (id === this.id && error.code === "not_found") router.go("recipes")
      notice.trouble(error)
    }
  }

  #fill(recipe) {
    this.recipe = recipe
    const picture = new BigPicture(this.context, recipe)
    const side = [picture.element, this.#actions(recipe)]
    const heading = h("h2", { class: "pantry-unseen" }, recipe.title ?? this.context.t("recipe.image"))
    const notes = new RecipeNotes(this.context, recipe, { saved: () => picture.show(recipe) }).element
    const { elements: prompts } = new RecipePrompts(this.context, recipe)
    const parts = [RecipeFacts, ModelList, RecipeSource].map((Part) => new Part(this.context, recipe).element)
    const text = [heading, notes, prompts, parts]
    fill(this.body, h("div", { class: "pantry-detail-side" }, side), h("div", { class: "pantry-detail-text" }, text))
  }

  #actions(recipe) {
    const { t, host } = this.context
    const copy = button(t("recipe.copy"), () => this.#copy(asInfotext(recipe)))
    const loras = recipe.loras.length > 0 && button(t("recipe.copy_loras"), () => this.#copy(loraTags(recipe)))
    const load = recipe.has_workflow && host.loadWorkflow && button(t("recipe.load"), () => this.#load(recipe))
    const canvas = host.canvas && new CanvasMenu(this.context, recipe).element
    const remove = button(t("select.delete"), () => this.#remove(recipe))
    return [h("div", { class: "pantry-actions" }, [load, copy, loras, remove]), canvas]
  }

  async #copy(text) {
    if (await copyText(text)) this.context.notice.say(this.context.t("recipe.copied"))
  }

  async #load(recipe) {
    const { api, host } = this.context
    const workflow = await attempt(this.context, () => api.workflow(recipe.id))
    if (workflow) await attempt(this.context, () => host.loadWorkflow(workflow, recipe.title))
  }

  async #remove({ id }) {
    const { api, notice, router, t } = this.context
    const change = (action) => attempt(this.context, () => api.changeRecipes({ ids: [id], action }))
    if (!(await change("delete"))) return
    router.go("recipes")
    const undo = async () => (await change("restore")) && router.go(`recipe/${id}`)
    notice.say(t("select.deleted", { count: 1, shown: "1" }), { action: t("undo"), act: undo })
  }
}

function sameRecipe(one, other) {
  return JSON.stringify({ ...one, updated_at: 0 }) === JSON.stringify({ ...other, updated_at: 0 })
}
