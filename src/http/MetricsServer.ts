import * as Effect from "effect/Effect"
import { monitoring } from "./pipeline.ts"
import { targetOf } from "./response/ResponseCache.ts"
import { ServerSettings } from "./ServerSettings.ts"

/** What is served there. */
const served = (target: string) => {
  const [path = ""] = target.split("?", 1)
  return path === "/metrics" || path.startsWith("/health/")
}

const elsewhere = () =>
  new Response("Here are /metrics, /health/live and /health/ready alone.\n", {
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8" }
  })

/** What listens. */
interface Listening {
  readonly url: URL
  readonly requestIP: (request: Request) => { readonly address: string } | null
  readonly stop: (now: boolean) => Promise<void>
}

/**
 * Listens on METRICS_PORT, within the scope, for anybody who reaches it, without keys and limits: where, or undefined where it
 * is not set. `listen` is that of the service, so that what cannot be listened on is refused in the same words.
 */
export const make = <E>(
  listen: (options: {
    readonly port: number
    readonly variable: string
    readonly fetch: (request: Request, self: Listening) => Response | Promise<Response>
  }) => Effect.Effect<Listening, E>
) =>
  Effect.gen(function* () {
    const { metricsPort } = yield* ServerSettings
    if (metricsPort === undefined) return undefined
    const respond = yield* monitoring
    const server = yield* Effect.acquireRelease(
      listen({
        port: metricsPort,
        variable: "METRICS_PORT",
        fetch: (request, self) =>
          served(targetOf(request.url)) ? respond(request, () => self.requestIP(request)?.address ?? "") : elsewhere()
      }),
      (listening) => Effect.promise(() => listening.stop(true))
    )
    return server.url.href.replace(/\/$/, "")
  })
