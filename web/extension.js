// The one file that ComfyUI imports, and the only side effect: registers the extension.

import { JobBadge } from "./comfy/job_badge.mjs"
import { RecipePicker } from "./comfy/recipe_picker.mjs"
import { SettingsPanel } from "./comfy/settings_panel.mjs"
import { WideDialog } from "./comfy/wide_dialog.mjs"
import { ComfyHost, app } from "./host.mjs"
import { createContext, mountContext } from "./pantry.mjs"
import { SettingsStore } from "./state/settings_store.mjs"

const TAB = "pantry"
const TOGGLE = `Workspace.ToggleSidebarTab.${TAB}`

const host = new ComfyHost()
const context = await createContext(host)
const panel = new SettingsPanel(context, new SettingsStore(context.api))
const wide = new WideDialog(context)
const picker = new RecipePicker(context, wide)
let opened = null

addStyles()
app.registerExtension({
  name: "comfyui.pantry",
  settings: panel.declarations,
  commands: [
    { id: "Pantry.Open", icon: "pi pi-box", label: context.t("command.open"), function: () => wide.toggle() },
    { id: "Pantry.Import", icon: "pi pi-images", label: context.t("command.import"), function: () => openImport() },
    {
      id: "Pantry.Window",
      icon: "pi pi-external-link",
      label: context.t("command.window"),
      function: () => openWindow(),
    },
  ],
  menuCommands: [{ path: ["Extensions", "Pantry"], commands: ["Pantry.Open", "Pantry.Import", "Pantry.Window"] }],
  keybindings: [{ combo: { key: "p", ctrl: true, alt: true }, commandId: "Pantry.Open" }],
  aboutPageBadges: [{ label: "Pantry", url: "https://github.com/comfyui-pantry/comfyui-pantry", icon: "pi pi-box" }],
  nodeCreated: (node) => picker.attach(node),
  async setup() {
    app.extensionManager.registerSidebarTab(sidebarTab())
    context.watch.start()
    badge().start()
    await panel.start()
  },
})

function sidebarTab() {
  const words = { icon: "pi pi-box", title: "Pantry", tooltip: context.t("tab.tooltip") }
  return { id: TAB, ...words, type: "custom", render: (element) => open(element), destroy: () => close() }
}

// ComfyUI gives an element that grows with what is in it; the grid needs one that is as high as the sidebar.
function open(element) {
  close()
  element.style.height = "100%"
  opened = mountContext(context)
  element.replaceChildren(opened.element)
  opened.start()
}

function close() {
  opened?.stop()
  opened = null
}

function openImport() {
  context.router.go("import")
  if (!opened) app.extensionManager.command.execute(TOGGLE)
}

// One window, used again: a second click brings the first to the front.
function openWindow() {
  window.open(host.pageUrl, "pantry")?.focus()
}

function badge() {
  const tab = () => app.extensionManager.getSidebarTabs?.().find((one) => one.id === TAB)
  const setBadge = (text) => tab() && (tab().iconBadge = text)
  return new JobBadge(context, { setBadge, panelIsOpen: () => opened !== null })
}

function addStyles() {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet" })
  link.href = new URL("./styles/pantry.css", import.meta.url).href
  document.head.append(link)
}
