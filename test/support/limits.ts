import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import type { CountedCall } from "../../src/sandbox/limits/Provider.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"

/** The refusal of a call beyond a limit. */
export interface Refusal {
  readonly status: number
  /** Header fields without the content type. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export const textOf = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body))

/** The response of an upstream, without the end of its last line. */
export const send = (upstream: string, request: HttpClientRequest.HttpClientRequest) =>
  Effect.flatMap(HttpClient.HttpClient, (http) =>
    Effect.flatMap(http.execute(request), (response) =>
      Effect.map(response.text, (text) => {
        const { "content-length": _, "content-type": type, ...headers } = response.headers
        return { type, text: text.trimEnd(), status: response.status, headers: { ...headers } }
      })
    )
  ).pipe(Effect.provideService(CurrentUpstream, { name: upstream, secrets: [] }))

/** A call to a host. */
export const callTo = (
  path = "/",
  { host = "host.example", ...headers }: Readonly<Record<string, string>> = {}
): CountedCall => {
  const url = new URL(`https://${host}${path}`)
  return { host, path: url.pathname, query: url.searchParams, headers, body: "" }
}

/** The parts of a response that a refusal has. */
export const parts = (response: Response) =>
  Effect.map(
    Effect.promise(() => response.text()),
    (text) => {
      const { "content-type": _, ...headers } = Object.fromEntries(response.headers)
      return { status: response.status, headers, text }
    }
  )

/** A call to a JSON-RPC node. */
export const rpc = (method: string, id: unknown = 7) => ({ jsonrpc: "2.0", id, method, params: [] })

/** The error of a node of an EVM network; only its numbers depend on the limit. */
export const infuraError = {
  code: -32005,
  message: "daily request count exceeded, request rate limited",
  data: {
    rate: { allowed_rps: 30, backoff_seconds: 1, current_rps: 30 },
    see: "https://infura.io/dashboard"
  }
}

/** The error of Solana's public nodes for a method. */
export const methodError =
  "Too many requests for a specific RPC call, please contact your app developer to further troubleshoot. If you are using an open endpoint, please consider signing up for your own subscription to avoid getting rate limited, you can find some suitable options at https://solana.com/rpc."
