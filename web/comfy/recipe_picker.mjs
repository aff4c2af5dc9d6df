// Gives Pantry's nodes a button that opens the recipes; a click on one puts it into the node.

import { widget } from "./graph_nodes.mjs"

export class RecipePicker {
  constructor(context, wide) {
    this.context = context
    this.wide = wide
  }

  /** Add the button to a node that takes a recipe; other nodes are left alone. */
  attach(node) {
    const field = (node.comfyClass ?? "").startsWith("Pantry") && widget(node, "recipe")
    if (!field) return
    const choose = () => this.wide.open({ chosen: (recipe) => this.#put(node, field, recipe) })
    node.addWidget?.("button", this.context.t("node.choose"), null, choose, { serialize: false })
  }

  #put(node, field, recipe) {
    field.value = recipe.id
    field.callback?.(recipe.id)
    node.setDirtyCanvas?.(true, true)
    this.wide.close()
  }
}
