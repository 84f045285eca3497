import type { Fetch } from "../../src/client/ClientOptions.ts"

// A stand-in for the `fetch` of React Native, which is a polyfill over XMLHttpRequest: it resolves when the whole body has
// arrived, follows redirects, and its responses have neither a body nor a clone. Also runs in other runtimes than Bun.

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
