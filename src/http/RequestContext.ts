import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import { chartPrefix, namedPrefix } from "../contract/openapi.ts"
import { Overloaded, type Problem } from "../contract/Problem.ts"
import * as AccessLog from "../telemetry/AccessLog.ts"
import * as Metrics from "../telemetry/Metrics.ts"
import * as AccessControl from "./AccessControl.ts"
import { BatchRate } from "./BatchRate.ts"
import * as Cors from "./Cors.ts"
import * as Documents from "./Documents.ts"
import { Health } from "./Health.ts"
import { Mode } from "./Mode.ts"
import * as RequestSlots from "./RequestSlots.ts"
import * as Routes from "./Routes.ts"
import { varying } from "./response/Compression.ts"
import { ServerSettings } from "./ServerSettings.ts"
import * as Spans from "./Spans.ts"

type Fields = Readonly<Record<string, string>>

/** A request, however it came in. */
export interface IncomingRequest extends AccessControl.Visitor {
  readonly method: string
  /** Path and query as they were sent. */
  readonly target: string
}

/** What is known of a request before anything is done for it. */
export interface CallState {
  readonly asked: IncomingRequest
  readonly id: string
  readonly method: string
  /** As it was sent, without query. */
  readonly sentPath: string
  /** As the contract writes it, with `app` for the configured name; empty where there is no such route. */
  readonly path: string
  /** The values of the parameters of its path, in order. */
  readonly parameters: ReadonlyArray<string>
  readonly route: Routes.Route | undefined
  readonly started: bigint
}

const saneId = /^[A-Za-z0-9._~-]{1,64}$/

const pathOf = (target: string) => {
  const query = target.indexOf("?")
  return query === -1 ? target : target.slice(0, query)
}

const isBelow = (path: string, prefix: string) =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/")

/** The contract's path of a request's path: undefined for the contract's own name of a route that has another one. */
const contractPath = (appName: string) => {
  const prefix = namedPrefix(appName)
  return (path: string) => {
    if (isBelow(path, prefix)) return chartPrefix + path.slice(prefix.length)
    return isBelow(path, chartPrefix) ? undefined : path
  }
}

/** Operators and balancers ask these most when the service is busiest. */
const isAlwaysAnswered = (path: string) => AccessControl.isHealth(path) || path === "/metrics"

const retryAfter = { "retry-after": "1" }

const maxLoggedPath = 500

/** Where paths lead is remembered for so many of them, and then anew. */
const maxPlaces = 1000

type RoutePlace = Pick<CallState, "path" | "parameters" | "route">

const nowhere: RoutePlace = { path: "", parameters: [], route: undefined }

/** What happens to every request before and after its answer, on whatever way that is found. */
export class RequestContext extends Context.Tag("http/Envelope")<
  RequestContext,
  {
    readonly begin: (asked: IncomingRequest) => CallState
    /** Why it must not go on; counts it for the rate limit, so it is to be asked once. */
    readonly refusal: (call: CallState) => Problem | undefined
    /**
     * The same for a request that is not answered at once, which takes one of the slots for requests under way. `ended`
     * gives it back; where that is not, or not yet, the end, `release` does.
     */
    readonly admission: (call: CallState) => Problem | undefined
    /** Nothing is done for the request any more; may be called more than once. */
    readonly release: (call: CallState) => void
    /** The answer to a request, whose calls count for the rate limit of its client. */
    readonly counting: <A, E, R>(call: CallState, answer: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Which fields every answer to it gets but its id: the same object as long as they are the same. */
    readonly fixed: (call: CallState) => Fields
    /** All fields of the answer that has these of its own. */
    readonly fields: (call: CallState, own: Fields) => Fields
    /** One for each request that is traced; `ended` ends it. */
    readonly spans: Pick<Effect.Effect.Success<typeof Spans.make>, "open" | "around">
    /**
     * To be called once, when the answer is there: into the metrics and the log. No bytes are known of a stream, which goes
     * on until `release` is called.
     */
    readonly ended: (call: CallState, status: number, bytes: number | undefined, fiber?: FiberId.FiberId) => void
  }
>() {
  static readonly layer = Layer.effect(
    RequestContext,
    Effect.gen(function* () {
      const { appName, corsOrigins } = yield* ServerSettings
      const health = yield* Health
      const mode = yield* Mode
      const clock = yield* Effect.clock
      const { countRest, refusal } = yield* AccessControl.make
      const slots = yield* RequestSlots.make
      const observe = yield* Metrics.httpMetrics
      const log = yield* AccessLog.make
      const spans = yield* Spans.make
      const cors = Cors.make(corsOrigins)
      const routes = Routes.make(Documents.paths)
      const inContract = contractPath(appName)

      const always = { "x-content-type-options": "nosniff", ...(mode.sandbox ? { "x-sandbox": "true" } : {}) }
      const memo = (more: Fields) => {
        const known = new WeakMap<Fields, Fields>()
        return (own: Fields): Fields => {
          const found = known.get(own) ?? { ...own, ...always, ...more }
          known.set(own, found)
          return found
        }
      }
      const open = memo({})
      const closing = memo({ connection: "close" })

      const anyOrigin = corsOrigins.includes("*")
      const isEnding = () => health.current() === "draining" || health.current() === "stopping"
      const fixed = ({ asked }: CallState) =>
        (isEnding() ? closing : open)(cors.headers(anyOrigin ? undefined : asked.header("origin")))

      const places = new Map<string, RoutePlace>()
      const placeOf = (sentPath: string): RoutePlace => {
        const known = places.get(sentPath)
        if (known !== undefined) return known
        const path = inContract(sentPath)
        const place = (path === undefined ? undefined : routes.find(path)) ?? nowhere
        if (places.size >= maxPlaces) places.clear()
        if (sentPath.length <= maxLoggedPath) places.set(sentPath, place)
        return place
      }

      return {
        begin: (asked) => {
          const given = asked.header("x-request-id")
          const sentPath = pathOf(asked.target)
          const { parameters, path, route } = placeOf(sentPath)
          return {
            asked,
            id: given !== undefined && saneId.test(given) ? given : crypto.randomUUID(),
            method: asked.method,
            sentPath,
            path,
            parameters,
            route,
            started: clock.unsafeCurrentTimeNanos()
          }
        },
        refusal: ({ asked, path }) => refusal(asked, path),
        admission: (call) => {
          const { asked, path } = call
          const refused = refusal(asked, path)
          if (refused !== undefined || isAlwaysAnswered(path) || slots.take(call)) return refused
          return new Overloaded({ detail: "Too many requests are under way. Try again in 1 s.", headers: retryAfter })
        },
        release: slots.release,
        counting: (call, answer) =>
          countRest === undefined
            ? answer
            : Effect.provideService(answer, BatchRate, (calls) => countRest(call.asked, calls)),
        fixed,
        fields: (call, own) => {
          const common = fixed(call)
          const vary = own.vary === undefined ? {} : { vary: varying(common.vary, own.vary) }
          return { ...own, ...common, ...vary, "x-request-id": call.id }
        },
        spans,
        ended: (call, status, bytes, fiber) => {
          if (bytes !== undefined) slots.release(call)
          spans.end(call, status)
          const { id, method, route, sentPath, started } = call
          const elapsed = Number(clock.unsafeCurrentTimeNanos() - started)
          const template = route?.template ?? "unmatched"
          observe(method, template, status, elapsed / 1e9)
          const line = {
            method,
            path: sentPath.slice(0, maxLoggedPath),
            route: template,
            status,
            ms: Math.round(elapsed / 1e5) / 10
          }
          log(bytes === undefined ? { ...line, requestId: id } : { ...line, bytes, requestId: id }, fiber)
        }
      }
    })
  )
}
