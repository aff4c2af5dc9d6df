// Asks an answer the questions that callers have.

import { parseExact } from "../util/exact_json.mjs"

export class ApiError extends Error {
  constructor(message, { status = 0, code = "error" } = {}) {
    super(message)
    this.name = "ApiError"
    this.status = status
    this.code = code
  }
}

export class ApiResponse {
  constructor(response) {
    this.response = response
  }

  get succeeded() {
    return this.response.ok
  }

  get empty() {
    return this.response.status === 204
  }

  get isJson() {
    return (this.response.headers.get("content-type") ?? "").includes("json")
  }

  /** Return the body, or throw what the server said in its error. */
  async unwrap() {
    const body = this.isJson && !this.empty ? parseExact(await this.response.text()) : null
    if (this.succeeded) return body
    throw new ApiError(body?.error?.message ?? this.#plain, { status: this.response.status, code: body?.error?.code })
  }

  get #plain() {
    return `The server answered ${this.response.status}.`
  }
}
