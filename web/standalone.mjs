// Starts the page of its own.

import { openPantry } from "./pantry.mjs"
import { StandaloneHost } from "./standalone_host.mjs"
import { HashRouter } from "./util/router.mjs"

const host = new StandaloneHost()
const pantry = await openPantry(host, { router: new HashRouter(window) })
document.documentElement.lang = pantry.context.locale
document.body.replaceChildren(pantry.element)
pantry.start()
host.start()
