import { dispatch } from "../util/dispatch.mjs"

const MOST_FILES = 40
const MOST_BYTES = 64 * 2 ** 20
// The server's word on what was sent, not on the way there: sending the same again would change nothing.
const REFUSALS = new Set([400, 413, 415, 422])

/**
 * Sends many files in portions and keeps where the server put them. `run` may be called again after a failure, and goes
 * on where it stopped; files that the server refuses are set aside in `refused`. Sends "change".
 */
export class Upload extends EventTarget {
  #waiting
  #most = MOST_FILES

  constructor(api, files) {
    super()
    this.api = api
    this.#waiting = [...files]
    this.total = this.#waiting.length
    this.paths = []
    this.refused = []
    this.stopped = false
  }

  get sent() {
    return this.total - this.#waiting.length
  }

  /** Send these too. */
  add(files) {
    this.#waiting.push(...files)
    this.total += files.length
    dispatch(this, "change")
  }

  /** Send what is left; throw what ended it early. */
  async run() {
    while (this.#waiting.length && !this.stopped) {
      const portion = firstPortion(this.#waiting, this.#most)
      await this.#send(portion)
      dispatch(this, "change")
    }
  }

  /** Send nothing more after the portion that is under way. */
  stop() {
    this.stopped = true
  }

  async #send(portion) {
    try {
      const { files } = await this.api.upload(portion)
      this.paths.push(...files)
    } catch (error) {
      if (!REFUSALS.has(error.status)) throw error
      if (portion.length > 1) return this.#narrow(portion)
      this.refused.push({ name: portion[0].name, message: error.message })
    }
    this.#waiting.splice(0, portion.length)
    this.#most = Math.min(MOST_FILES, this.#most * 2)
  }

  // One file that is no picture spoils its portion: halves of it find out which one.
  #narrow(portion) {
    this.#most = Math.ceil(portion.length / 2)
  }
}

/** The files that go together next: at most so many, and not too much at once unless a single one is. */
export function firstPortion(files, most = MOST_FILES, mostBytes = MOST_BYTES) {
  let bytes = 0
  const tooMuch = files.slice(0, most).findIndex((file, index) => (bytes += file.size ?? 0) > mostBytes && index > 0)
  return files.slice(0, tooMuch < 0 ? most : tooMuch)
}
