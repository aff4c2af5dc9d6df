/** Does `work` a while after it is first asked for: many askings in a row are one, and it is never under way twice. */
export class Soon {
  #timer
  #working = false
  #again = false

  constructor(work, wait) {
    this.work = work
    this.wait = wait
  }

  ask() {
    if (this.#working) this.#again = true
    else this.#timer ??= setTimeout(() => this.#run(), this.wait)
  }

  /** Forget what was asked for. */
  stop() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#again = false
  }

  async #run() {
    this.#timer = undefined
    this.#working = true
    try {
      await this.work()
    } finally {
      this.#working = false
      if (this.#again) this.#askAgain()
    }
  }

  #askAgain() {
    this.#again = false
    this.ask()
  }
}
