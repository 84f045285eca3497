import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Api } from "../contract/Api.ts"
import { contentType, document } from "../contract/Problem.ts"
import { timeoutOption } from "../kernel/timeout.ts"
import { release } from "../settings/build.ts"
import { SettingError } from "../settings/Settings.ts"
import { hasWaiting, ignoreNew, steerAway } from "../workers/listeningSockets.ts"
import { WorkerGroup } from "../workers/WorkerGroup.ts"
import * as ApiStep from "./ApiStep.ts"
import { networkOf } from "./access/clientAddress.ts"
import * as Documents from "./Documents.ts"
import { Health } from "./Health.ts"
import { Mode } from "./Mode.ts"
import * as Page from "./page/Page.ts"
import { monitoring, pipeline } from "./pipeline.ts"
import { RawStep } from "./RawStep.ts"
import { RequestContext } from "./RequestContext.ts"
import * as Routes from "./request/Routes.ts"
import { internal } from "./response/Problems.ts"
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

/** Serves METRICS_PORT within the scope, without keys and limits; returns its URL, undefined without the variable. */
const metricsServer = (listen: ReturnType<typeof listenOn>) =>
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
    return addressOf(server)
  })

/** The router gets only paths normalized by {@link Routes.find}. Its default limit of a parameter is 100 characters. */
export const routerConfig = HttpRouter.setRouterConfig({
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: Routes.maxParameter
})

/** The routes of the contract with their handlers, and the steps around them. */
export const app = <E, R>(groups: Layer.Layer<Layer.Layer.Context<ReturnType<typeof apiLayer>>, E, R>) =>
  Layer.mergeAll(
    apiLayer().pipe(Layer.provide(groups)),
    ApiStep.layer,
    RawStep.layer,
    Documents.layer,
    Page.layer
  ).pipe(
    Layer.provideMerge(RequestContext.layer),
    Layer.provideMerge(Layer.mergeAll(HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer)),
    Layer.provideMerge(HttpServer.layerContext),
    Layer.provideMerge(routerConfig)
  )

const apiLayer = () => HttpApiBuilder.api(Api)

const codeOf = (cause: unknown) =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

/**
 * Finds the wrong variable if the service cannot listen. The error code does not distinguish host and port: if
 * listening on a free port fails too, the host is wrong.
 */
const refusal = (cause: unknown, host: string, port: number, variable: string) =>
  Effect.try(() => Bun.serve({ hostname: host, port: 0, fetch: () => new Response() })).pipe(
    Effect.flatMap((server) => Effect.promise(() => server.stop(true))),
    Effect.match({
      onFailure: () =>
        new SettingError({
          variable: "HOST",
          problem: `cannot listen on "${host}": it is not an address or name of this machine`
        }),
      onSuccess: () => {
        const denied = ["EACCES", "EPERM"].includes(codeOf(cause))
        const problem = denied ? "this process is not permitted to" : "another process listens there"
        return new SettingError({ variable, problem: `cannot listen on ${host}:${port}: ${problem}` })
      }
    })
  )

/** True if only this machine can reach the host. */
const isLoopback = (host: string) =>
  host === "localhost" || host === "::1" || networkOf(host)?.startsWith("127.") === true

/** In-flight requests may finish within this time once the service stops. */
const drainTime = "10 seconds"

/** Bodies may arrive within this time once the service stops. */
const bodyTime = "500 millis"

const repeatUntil = (isOver: () => boolean) =>
  Effect.suspend(() => (isOver() ? Effect.void : Effect.sleep(quietPeriod))).pipe(Effect.repeat({ until: isOver }))

/**
 * At shutdown, the service reads until no connection waits and no request has arrived for this long: closing the socket
 * would drop requests that were sent but not read. Responses have `connection: close` meanwhile.
 */
const quietPeriod = "50 millis"
const maxQuietWait = "3 seconds"

/** Starts to listen; fails with the variable that is wrong. */
const listening = <A>(listen: () => A, host: string, port: number, variable: string) =>
  Effect.catchAll(Effect.try({ try: listen, catch: (cause) => cause }), (cause) =>
    Effect.flatMap(refusal(cause, host, port, variable), Effect.fail)
  )

/** Returns this port, or a free port for 0; fails if the service cannot listen on it. */
export const freePort = (host: string, port: number) =>
  Effect.acquireUseRelease(
    listening(
      () => Bun.serve({ port, hostname: host, reusePort: false, fetch: () => new Response() }),
      host,
      port,
      "PORT"
    ),
    (server) => Effect.succeed(server.port ?? port),
    (server) => Effect.promise(() => server.stop(true))
  )

const failed = () => {
  const body = document(internal(), crypto.randomUUID())
  return Response.json(body, {
    status: body.status,
    headers: { "content-type": contentType, "x-request-id": body.requestId }
  })
}

interface Listener {
  readonly port: number
  /** The variable that sets the port. */
  readonly variable: string
  readonly fetch: (request: Request, self: Bun.Server<undefined>) => Response | Promise<Response>
}

/**
 * Seconds without traffic until a connection is closed: more than the 60 s for which proxies reuse connections, and
 * more than the request deadline, which responds first. Also disconnects clients that do not read their response. The
 * runtime itself closes a connection whose request head is incomplete after 10 s.
 */
export const idleTimeout = (requestDeadline: number) =>
  Math.min(255, Math.max(75, Math.ceil(requestDeadline / 1000) + 15))

/** Listens on a port of this host; workers share the port. */
const listenOn =
  (
    { host, requestDeadline }: Pick<Context.Tag.Service<ServerSettings>, "host" | "requestDeadline">,
    isShared: boolean
  ) =>
  ({ fetch, port, variable }: Listener) =>
    listening(
      () =>
        Bun.serve({
          port,
          hostname: host,
          idleTimeout: idleTimeout(requestDeadline),
          // Disabled: our own body limit responds instead of closing the connection.
          maxRequestBodySize: Number.MAX_SAFE_INTEGER,
          development: false,
          // If true, any other process could listen on the port and take requests.
          reusePort: isShared,
          fetch,
          error: failed
        }),
      host,
      port,
      variable
    )

const addressOf = ({ url }: Bun.Server<undefined>) => url.href.replace(/\/$/, "")

/** Logs the end of the service with these fields and the seconds since its start. */
const stopped = (fields: Readonly<Record<string, unknown>>, started: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.annotateLogs(Effect.logInfo("stopped"), { ...fields, seconds: Math.round((now - started) / 1000) })
  )

export class Server extends Context.Tag("http/Server")<Server, { readonly url: string }>() {
  static readonly layer = Layer.scoped(
    Server,
    Effect.gen(function* () {
      const settings = yield* ServerSettings
      const { host, isKeyed, port, sharesPort, shutdownDelay, workers } = settings
      const { worker } = yield* WorkerGroup
      const health = yield* Health
      const respond = yield* pipeline
      const { waiting } = yield* RequestContext
      const { store, upstreams } = yield* Mode
      const announced = { ...release, ...(upstreams && { upstreams }), ...(store && { store }) }
      let arrived = 0
      let answering = 0
      const answered = () => answering--
      const listen = listenOn(settings, sharesPort || worker !== undefined)
      const metrics = yield* metricsServer(listen)
      const started = yield* Clock.currentTimeMillis
      let listens = false
      yield* Effect.addFinalizer(() =>
        Effect.when(stopped({ ...announced, requests: arrived }, started), () => listens)
      )
      const server = yield* Effect.acquireRelease(
        listen({
          port,
          variable: "PORT",
          fetch: (request, self) => {
            arrived++
            const address = self.requestIP(request)?.address
            // The client has reset its connection, and does not receive this response.
            if (address === undefined) return new Response(null, { status: 499 })
            const response = respond(request, () => address)
            if (response instanceof Promise) {
              answering++
              response.then(answered, answered)
            }
            return response
          }
        }),
        (server) =>
          Effect.gen(function* () {
            yield* health.set("draining")
            const { port: own = port } = server
            if (sharesPort) yield* steerAway(own, workers)
            if (shutdownDelay > 0) yield* Effect.sleep(shutdownDelay)
            yield* ignoreNew(own)
            yield* Effect.suspend(() => {
              const before = arrived
              return Effect.zipRight(
                Effect.sleep(quietPeriod),
                Effect.map(hasWaiting(own), (isWaiting) => !isWaiting && arrived === before)
              )
            }).pipe(Effect.repeat({ until: (isQuiet) => isQuiet }), timeoutOption(maxQuietWait))
            yield* health.set("stopping")
            // Its promise also waits for connections without a complete request, which may never come.
            void server.stop()
            yield* repeatUntil(() => server.pendingRequests === 0).pipe(timeoutOption(bodyTime))
            // The runtime no longer counts a request whose client has disconnected, before its body is given up here.
            const running = () => Math.max(answering, server.pendingRequests)
            const drained = yield* repeatUntil(() => running() <= waiting()).pipe(timeoutOption(drainTime))
            if (Option.isNone(drained))
              yield* Effect.logWarning(`aborting requests that are still running after ${drainTime}`)
            yield* Effect.promise(() => server.stop(true))
          })
      )
      listens = true
      yield* health.set("ready")
      const url = addressOf(server)
      yield* Effect.annotateLogs(Effect.logInfo(`listening on ${url}`), {
        ...announced,
        access: isKeyed ? "keyed" : "open",
        ...(metrics === undefined ? {} : { metrics: `${metrics}/metrics` })
      })
      if (!isKeyed && !isLoopback(host))
        yield* Effect.logWarning(
          `API_KEYS is not set: every client that can reach ${host} can use all routes, send calls and transactions to your nodes and use up the quotas of your upstreams; set API_KEYS, or set HOST to 127.0.0.1 to serve only this machine`
        )
      return { url }
    })
  )
}
