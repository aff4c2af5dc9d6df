// Puts the face together for one host; the same for ComfyUI's sidebar and for the page of its own.

import { Shell } from "./elements/shell.mjs"
import { ApiClient } from "./http/api_client.mjs"
import { JobStore } from "./state/job_store.mjs"
import { JobWatch } from "./state/job_watch.mjs"
import { Formatter } from "./util/format.mjs"
import { Router } from "./util/router.mjs"
import { Translator, chooseLanguage } from "./util/translator.mjs"

const LANGUAGES = ["en", "zh"]

/** Build what every view is given: host, api, jobs and their watch, router, words and formats. */
export async function createContext(host, router = new Router()) {
  const locale = chooseLanguage(host.languages, LANGUAGES)
  const t = await loadWords(locale)
  const api = new ApiClient((path, options) => host.fetch(path, options))
  const jobs = new JobStore()
  return { host, api, router, jobs, watch: new JobWatch({ api, host, jobs }), t, format: new Formatter(locale), locale }
}

async function loadWords(locale) {
  const [own, english] = await Promise.all([locale, "en"].map((name) => import(`./strings/${name}.mjs`)))
  return new Translator(locale, own.sentences, english.sentences).say
}

/** Build the whole face over its own context. */
export async function openPantry(host, { router } = {}) {
  return mountContext(await createContext(host, router))
}

/** Build the whole face over a context that may outlive it. */
export function mountContext(context) {
  return new Pantry(context)
}

class Pantry {
  constructor(context) {
    this.context = context
    this.shell = new Shell(context)
    this.element = this.shell.element
  }

  // What the reader came for is asked for first.
  async start() {
    await this.shell.start()
    this.context.watch.start()
  }

  stop() {
    this.shell.stop()
  }
}
