import * as Effect from "effect/Effect"
import { negotiate } from "./response/Compression.ts"
import { ResponseCache, targetOf } from "./response/ResponseCache.ts"
import { ServerSettings } from "./ServerSettings.ts"

/** What is served there; all of it is made at once. */
const served = (path: string) => path === "/metrics" || path.startsWith("/health/")

const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  new Response(body, { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers } })

/** Responds for who watches the service: to anybody who reaches the port, without keys, limits, log lines or counts. */
const responder = Effect.gen(function* () {
  const responses = yield* ResponseCache
  const clock = yield* Effect.clock
  return ({ headers, method, url }: Request): Response => {
    const [path = ""] = targetOf(url).split("?", 1)
    if (!served(path)) return text(404, "Here are /metrics, /health/live and /health/ready alone.\n")
    if (method !== "GET" && method !== "HEAD") return text(405, "Only GET and HEAD.\n", { allow: "GET, HEAD" })
    const found = responses.find(path, clock.unsafeCurrentTimeMillis())
    const encoding = negotiate(headers.get("accept-encoding") ?? undefined)
    const sent = found?.sent({ encoding, ifNoneMatch: undefined })
    if (sent === undefined) return text(404, "There is no such route.\n")
    return new Response(method === "HEAD" ? undefined : sent.body, { status: sent.status, headers: sent.headers })
  }
})

/** What listens. */
interface Listening {
  readonly url: URL
  readonly stop: (now: boolean) => Promise<void>
}

/**
 * Listens on METRICS_PORT, within the scope: where, or undefined where it is not set. `listen` is that of the service, so
 * that what cannot be listened on is refused in the same words.
 */
export const make = <E>(
  listen: (options: {
    readonly port: number
    readonly variable: string
    readonly fetch: (request: Request) => Response
  }) => Effect.Effect<Listening, E>
) =>
  Effect.gen(function* () {
    const { metricsPort } = yield* ServerSettings
    if (metricsPort === undefined) return undefined
    const respond = yield* responder
    const server = yield* Effect.acquireRelease(
      listen({ port: metricsPort, variable: "METRICS_PORT", fetch: respond }),
      (listening) => Effect.promise(() => listening.stop(true))
    )
    return server.url.href.replace(/\/$/, "")
  })
