import { resolve } from "node:path"
import vm from "node:vm"
import type { Fetch } from "../../src/client/ClientOptions.ts"

// A stand-in for React Native. Its `fetch` is a polyfill over XMLHttpRequest: it resolves when the whole body has arrived,
// follows redirects, and its responses have neither a body nor a clone.

/** The client, loaded where no global of the web platform exists but these. */
export type Client = typeof import("../../src/client/Client.ts")

/** An AbortController from before reasons. */
const controller = `
class AbortSignal {
  aborted = false
  listeners = new Set()
  addEventListener(type, listener) { this.listeners.add(listener) }
  removeEventListener(type, listener) { this.listeners.delete(listener) }
}
class AbortController {
  signal = new AbortSignal()
  abort() {
    if (this.signal.aborted) return
    this.signal.aborted = true
    for (const listener of [...this.signal.listeners]) listener({ type: "abort" })
  }
}`

/** A response of the polyfill, from the whole response of a platform. */
const whole = async (response: Response): Promise<Response> => {
  // XMLHttpRequest knows a single error, also for a body that breaks off.
  const text = await response.text().catch(() => {
    throw new TypeError("Network request failed")
  })
  const { headers, ok, status, statusText, url } = response
  const body = { text: async () => text, json: async () => JSON.parse(text) }
  return { headers, ok, status, statusText, url, type: "default", ...body } as unknown as Response
}

/** The polyfill over a platform's `fetch`. */
export const polyfill =
  (fetch: Fetch): Fetch =>
  (url, { body = null, headers = {}, method = "GET", signal }) =>
    new Promise((resolve, reject) => {
      // The platform's `fetch` refuses signals of other classes.
      const aborting = new AbortController()
      const abort = () => {
        aborting.abort()
        reject(Object.assign(new Error("Aborted"), { name: "AbortError" }))
      }
      if (signal?.aborted) return abort()
      signal?.addEventListener("abort", abort)
      fetch(url, { body, headers, method, signal: aborting.signal, redirect: "follow" })
        .then(whole)
        .then(resolve, reject)
    })

const bundled = async () => {
  const { outputs } = await Bun.build({ entrypoints: [resolve("src/client/Client.ts")], format: "cjs" })
  return (await outputs[0]?.text()) ?? ""
}

/** Loads the client into a realm with the language's own globals and these of React Native. */
export const load = async () => {
  const realm = vm.createContext({ setTimeout, clearTimeout, Blob, module: { exports: {} } })
  vm.runInContext(controller, realm)
  vm.runInContext(await bundled(), realm)
  const client = vm.runInContext("module.exports", realm) as Client
  return { ...client, abortController: (): AbortController => vm.runInContext("new AbortController()", realm) }
}
