import type { Fetch } from "../../src/client/ClientOptions.ts"

// A stand-in for `fetch` in engines without a network: replays what a service responded a moment before. Like that of
// React Native, its responses have neither a body nor a clone.

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A request, and its response; null if the request failed. */
export interface Recorded {
  readonly request: string
  readonly reply: Reply | null
}

const requestOf = (url: string, { body, headers = {}, method }: RequestInit) =>
  [method, url, body, (headers as Record<string, string>)["if-none-match"]].join(" ")

export const responseOf = ({ headers, status, text }: Reply): Response => {
  const get = (name: string) => headers[name.toLowerCase()] ?? null
  const ok = status >= 200 && status < 300
  return { status, ok, type: "default", headers: { get }, text: async () => text } as unknown as Response
}

/** Sends requests, and adds them to the list. */
export const recording =
  (list: Array<Recorded>, fetch: Fetch): Fetch =>
  async (url, init) => {
    const request = requestOf(url, init)
    try {
      const response = await fetch(url, init)
      const reply = { status: response.status, headers: response.headers.toJSON(), text: await response.text() }
      list.push({ request, reply })
      return responseOf(reply)
    } catch (cause) {
      list.push({ request, reply: null })
      throw cause
    }
  }

/** Responds to each recorded request once. */
export const replaying = (list: ReadonlyArray<Recorded>): Fetch => {
  const left = [...list]
  return async (url, init) => {
    const request = requestOf(url, init)
    const index = left.findIndex((recorded) => recorded.request === request)
    const [found] = index < 0 ? [] : left.splice(index, 1)
    if (!found?.reply) throw new TypeError(found ? "Network request failed" : `not recorded: ${request}`)
    return responseOf(found.reply)
  }
}
