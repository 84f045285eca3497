import * as Effect from "effect/Effect"
import { monitoring } from "./pipeline.ts"
import { targetOf } from "./response/ResponseCache.ts"
import { ServerSettings } from "./ServerSettings.ts"

/** True if the metrics port serves this target. */
const served = (target: string) => {
  const [path = ""] = target.split("?", 1)
  return path === "/metrics" || path.startsWith("/health/")
}

const elsewhere = () =>
  new Response("This port serves only /metrics, /health/live and /health/ready.\n", {
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8" }
  })

/** A listening server. */
interface Listening {
  readonly url: URL
  readonly requestIP: (request: Request) => { readonly address: string } | null
  readonly stop: (now: boolean) => Promise<void>
}

/**
 * Serves METRICS_PORT within the scope, without keys and limits. Returns its URL, or undefined if the variable is not
 * set. `listen` is the function of the main server, so both report the same errors.
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
