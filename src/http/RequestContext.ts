import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { Overloaded, type Problem } from "../contract/Problem.ts"
import { emptyTally } from "../kernel/Tally.ts"
import * as AccessLog from "../telemetry/AccessLog.ts"
import * as Metrics from "../telemetry/Metrics.ts"
import * as AccessControl from "./access/AccessControl.ts"
import * as Cors from "./access/Cors.ts"
import { shownClient } from "./access/clientAddress.ts"
import * as RequestSlots from "./access/RequestSlots.ts"
import type { CallState, IncomingRequest } from "./CallState.ts"
import * as Documents from "./Documents.ts"
import { Health } from "./Health.ts"
import { Mode } from "./Mode.ts"
import * as Page from "./page/Page.ts"
import type { CountCalls } from "./RawRoutes.ts"
import type { BodyLimits } from "./request/RequestBody.ts"
import { destinationsOf } from "./request/Routes.ts"
import { type HeaderFields, type HeaderTemplate, merged } from "./response/HeaderFields.ts"
import { ServerSettings } from "./ServerSettings.ts"
import * as Spans from "./Spans.ts"

/** Header fields of all responses to a page of this origin: the same object per origin, except during shutdown. */
const commonFields = Effect.gen(function* () {
  const { corsOrigins } = yield* ServerSettings
  const health = yield* Health
  const { sandbox } = yield* Mode
  const cors = Cors.make(corsOrigins, {
    "x-content-type-options": "nosniff",
    ...(sandbox ? { "x-sandbox": "true" } : {})
  })
  const anyOrigin = corsOrigins.includes("*")
  return (origin: () => string | undefined): HeaderFields => {
    const fields = cors.headers(anyOrigin ? undefined : origin())
    const state = health.current()
    return state === "draining" || state === "stopping" ? { ...fields, connection: "close" } : fields
  }
})

/** Route of an unknown path, in log and metrics. */
const unmatched = "unmatched"

/** Longest logged User-Agent, in characters. */
const maxAgent = 200

const agentOf = (header: string | undefined) => header?.slice(0, maxAgent)

const templateOf = ({ route }: CallState) => route?.template ?? unmatched

/** Method of a request in metrics: that of the route, OPTIONS, or `other`, because a client can send any. */
const countedMethod = ({ method, route }: CallState) =>
  method === "OPTIONS" || route?.methods.has(method) === true ? method : "other"

/** The networks of a request. That of a path is one of the service if the request succeeded; else it may be any text. */
const networksOf = ({ parameters: [first = ""], route, tally }: CallState, status: number) => {
  if (tally.networks.length > 0) return tally.networks
  return status === 200 && route?.template.includes("/:network") === true ? [first] : undefined
}

/** Records completed requests in the metrics and the log. */
const requestLog = Effect.gen(function* () {
  const clock = yield* Effect.clock
  const requestsOf = yield* Metrics.httpMetrics
  const log = yield* AccessLog.make
  const clientOf = shownClient((yield* ServerSettings).logClients)

  /** Elapsed nanoseconds, and their form in the log: milliseconds with one decimal. */
  const since = (started: bigint) => Number(clock.unsafeCurrentTimeNanos() - started)
  const milliseconds = (elapsed: number) => Math.round(elapsed / 1e5) / 10

  return {
    /** `bytes` is undefined for a stream, whose size is unknown. */
    write: (call: CallState, status: number, bytes: number | undefined): void => {
      const { id, identity, incoming, method, started } = call
      const elapsed = since(started)
      const route = templateOf(call)
      requestsOf(countedMethod(call), route, status)(elapsed / 1e9)
      const line = {
        method,
        route,
        status,
        ms: milliseconds(elapsed),
        bytes,
        requestId: id,
        networks: networksOf(call, status),
        nulls: call.tally.nulls === 0 ? undefined : call.tally.nulls,
        client: clientOf(identity.address()),
        key: identity.key()?.name,
        userAgent: agentOf(incoming.header("user-agent"))
      }
      log.write(line)
    }
  }
})

const saneId = /^[A-Za-z0-9._~-]{1,64}$/

const pathOf = (target: string) => {
  const query = target.indexOf("?")
  return query === -1 ? target : target.slice(0, query)
}

/** They take larger bodies: a transaction with blobs, in hexadecimal digits, has up to 1.7 MB. */
const signedPaths = ["/transactions/send", "/transactions/decode"]

/** Served without a slot: operators and load balancers need these most when the service is overloaded. */
const isAlwaysAnswered = (path: string) => AccessControl.isHealth(path) || path === "/metrics"

/** Size of the body, or of the path and query without one; NaN if it is unknown. */
const sizeOf = ({ incoming, method }: CallState) =>
  method === "GET" || method === "HEAD"
    ? incoming.target.length
    : Number(incoming.header("content-length") ?? Number.NaN)

const retryAfter = { "retry-after": "1" }

const overloaded = (what: string) =>
  new Overloaded({ detail: `Too many ${what} are in progress. Try again in 1 s.`, headers: retryAfter })

/** Work before and after the response of every request, regardless of the step that responds. */
export class RequestContext extends Context.Tag("http/RequestContext")<
  RequestContext,
  {
    /** Creates the state of a request. Call once per request. */
    readonly begin: (incoming: IncomingRequest) => CallState
    /**
     * Decides whether the request is admitted and counts it for the rate limit: call once, before the steps. Returns a
     * promise only if the store must be called for the client's limit.
     */
    readonly admit: (call: CallState) => Promise<void> | undefined
    /**
     * Counts a request that no cached response answers, until it is released; returns a problem if the process is too
     * late for another one. Call once, before any work.
     */
    readonly enter: (call: CallState) => Problem | undefined
    /**
     * Takes a slot for a request whose body has been read; returns a problem if no slot is free. `ended` releases the
     * slot. A stream, or a request that ends without `ended`, needs `release`.
     */
    readonly slot: (call: CallState) => Problem | undefined
    /** Limits of a request body. Memory for it is reserved, and released like a slot. */
    readonly bodyLimits: (call: CallState) => BodyLimits
    /** Number of requests whose body has not arrived completely. */
    readonly waiting: () => number
    /** Notes that the first part of a stream is sent; may be called more than once. */
    readonly streaming: (call: CallState) => void
    /** Releases everything that the request holds; may be called more than once. */
    readonly release: (call: CallState) => void
    /** Keeps what the request holds for work that continues after it; returns a function that releases it. */
    readonly keep: (call: CallState) => () => void
    /** Counts the calls of a batch after the first for the client's rate limit. */
    readonly countBatchCalls: (call: CallState) => CountCalls
    /** Adds the common header fields to the response's own. */
    readonly fields: (call: CallState, own: HeaderFields) => HeaderFields
    /** Like `fields`, for a response that is built synchronously: the result is valid until the next call. */
    readonly headers: (call: CallState, own: HeaderTemplate) => Headers
    /** Spans of traced requests; `ended` ends them. */
    readonly spans: Pick<Effect.Effect.Success<typeof Spans.make>, "open" | "around">
    /**
     * Records the response in metrics and log: call once, when it is ready. `bytes` is undefined for a stream, whose
     * size is unknown; a stream continues until `release` is called.
     */
    readonly ended: (call: CallState, status: number, bytes: number | undefined) => void
  }
>() {
  static readonly layer = Layer.scoped(
    RequestContext,
    Effect.gen(function* () {
      const { appName, maxBodyBytes, page } = yield* ServerSettings
      const clock = yield* Effect.clock
      const { countRest: countBatchCalls, identify, refusal } = yield* AccessControl.make
      const slots = yield* RequestSlots.make
      const spans = yield* Spans.make
      const log = yield* requestLog
      const common = yield* commonFields
      const destinationOf = destinationsOf(appName, [...Documents.paths, ...(page ? Page.paths : [])])
      const run = yield* FiberSet.makeRuntimePromise<never>()

      const sharedBy = ({ incoming }: CallState) => common(() => incoming.header("origin"))
      const idOf = (given: string | undefined) =>
        given !== undefined && saneId.test(given) ? given : crypto.randomUUID()

      return {
        begin: (incoming) => {
          const { method, target } = incoming
          const sentPath = pathOf(target)
          const { parameters, path, route } = destinationOf(sentPath)
          return {
            incoming,
            identity: identify(incoming, path),
            id: idOf(incoming.header("x-request-id")),
            method,
            sentPath,
            path,
            parameters,
            route,
            started: clock.unsafeCurrentTimeNanos(),
            tally: emptyTally(),
            refused: undefined,
            admission: undefined,
            slot: undefined,
            body: undefined
          }
        },
        admit: (call) => {
          // CORS preflights are not rate-limited.
          if (call.method === "OPTIONS") return undefined
          const refused = refusal(call.identity, call)
          if (!AccessControl.isUndecided(refused)) {
            call.refused = refused
            return undefined
          }
          return run(
            Effect.map(refused.decision, (found) => {
              call.refused = found
            })
          )
        },
        enter: (call) => {
          if (call.method === "OPTIONS" || isAlwaysAnswered(call.path)) return undefined
          const isAdmitted = slots.admit(call, sizeOf(call), Number(call.started) / 1e6)
          return isAdmitted ? undefined : overloaded("requests")
        },
        slot: (call) =>
          isAlwaysAnswered(call.path) || slots.take(call, sizeOf(call)) ? undefined : overloaded("requests"),
        bodyLimits: (call) => ({
          limit: signedPaths.includes(call.path) ? 2 * maxBodyBytes : maxBodyBytes,
          reserve: (bytes) => (slots.reserve(call, bytes) ? undefined : overloaded("request bodies"))
        }),
        waiting: slots.waiting,
        streaming: slots.streaming,
        release: slots.release,
        keep: slots.keep,
        countBatchCalls:
          ({ identity }) =>
          (calls) =>
            countBatchCalls(identity, calls),
        fields: (call, own) => ({ ...merged(own, sharedBy(call)), "x-request-id": call.id }),
        headers: (call, own) => own(sharedBy(call), call.id),
        spans,
        ended: (call, status, bytes) => {
          if (bytes !== undefined) slots.release(call)
          spans.end(call, status)
          log.write(call, status, bytes)
        }
      }
    })
  )
}
