import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FiberId from "effect/FiberId"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { Overloaded, type Problem } from "../contract/Problem.ts"
import * as AccessControl from "./access/AccessControl.ts"
import type { Identity } from "./access/Identity.ts"
import * as RequestSlots from "./access/RequestSlots.ts"
import * as Documents from "./Documents.ts"
import * as Page from "./page/Page.ts"
import type { CountCalls } from "./RawRoutes.ts"
import * as RequestLog from "./RequestLog.ts"
import * as Destinations from "./request/Destinations.ts"
import type { BodyLimits } from "./request/RequestBody.ts"
import * as CommonFields from "./response/CommonFields.ts"
import { type HeaderFields, type HeaderTemplate, merged } from "./response/HeaderFields.ts"
import { ServerSettings } from "./ServerSettings.ts"
import * as Spans from "./Spans.ts"

/** A request as it came in. */
export interface IncomingRequest extends AccessControl.Caller {
  readonly method: string
  /** Path and query as they were sent. */
  readonly target: string
}

/** What is decided about a request before anything is done for it. */
export interface CallState extends Destinations.Destination, RequestSlots.SlotHolder {
  readonly incoming: IncomingRequest
  /** Who sends it. */
  readonly identity: Identity
  readonly id: string
  readonly method: string
  /** As it was sent, without query. */
  readonly sentPath: string
  readonly started: bigint
  /** Why the request must not go on, once {@link RequestContext} has decided. */
  refused: Problem | undefined
}

/** The request that is being answered, for the steps that run as Effects. */
export class CurrentCall extends Context.Tag("http/CurrentCall")<CurrentCall, CallState>() {}

const saneId = /^[A-Za-z0-9._~-]{1,64}$/

const pathOf = (target: string) => {
  const query = target.indexOf("?")
  return query === -1 ? target : target.slice(0, query)
}

/** Operators and load balancers need these most when the service is busiest. */
const isAlwaysAnswered = (path: string) => AccessControl.isHealth(path) || path === "/metrics"

const retryAfter = { "retry-after": "1" }

const overloaded = (what: string) =>
  new Overloaded({ detail: `Too many ${what} are under way. Try again in 1 s.`, headers: retryAfter })

/** What happens to every request before and after its response, whichever step responds. */
export class RequestContext extends Context.Tag("http/RequestContext")<
  RequestContext,
  {
    /** To be called once for a request. */
    readonly begin: (incoming: IncomingRequest) => CallState
    /**
     * Decides whether it may go on and counts it for the rate limit, so it is to be called once, before the steps. A
     * promise only where the store has to be asked for the limit of its client.
     */
    readonly decide: (call: CallState) => Promise<void> | undefined
    /**
     * Takes a slot for a request whose body is there; why there is none. `ended` gives it back; where that is not, or not yet,
     * the end, `release` does.
     */
    readonly slot: (call: CallState) => Problem | undefined
    /** What the body of a request may take: memory for it is reserved, and given back as a slot is. */
    readonly bodyLimits: (call: CallState) => BodyLimits
    /** Nothing is done for the request any more; may be called more than once. */
    readonly release: (call: CallState) => void
    /** Counts the calls of a batch beyond its first one for the rate limit of the client. */
    readonly countRest: (call: CallState) => CountCalls
    /** All fields of the response that has these of its own. */
    readonly fields: (call: CallState, own: HeaderFields) => HeaderFields
    /** The same for a response that is made at once: they hold until the next call. */
    readonly headers: (call: CallState, own: HeaderTemplate) => Headers
    /** One for each request that is traced; `ended` ends it. */
    readonly spans: Pick<Effect.Effect.Success<typeof Spans.make>, "open" | "around">
    /**
     * To be called once, when the response is there: into the metrics and the log. The bytes of a stream are not known;
     * it goes on until `release` is called.
     */
    readonly ended: (call: CallState, status: number, bytes: number | undefined, fiber?: FiberId.FiberId) => void
  }
>() {
  static readonly layer = Layer.scoped(
    RequestContext,
    Effect.gen(function* () {
      const { appName, maxBodyBytes, page } = yield* ServerSettings
      const clock = yield* Effect.clock
      const { countRest, identify, refusal } = yield* AccessControl.make
      const slots = yield* RequestSlots.make
      const spans = yield* Spans.make
      const log = yield* RequestLog.make
      const common = yield* CommonFields.make
      const destinationOf = Destinations.make(appName, [...Documents.paths, ...(page ? Page.paths : [])])
      const run = yield* FiberSet.makeRuntimePromise<never>()

      const sharedBy = ({ incoming }: CallState) => common(() => incoming.header("origin"))
      const idOf = (given: string | undefined) =>
        given !== undefined && saneId.test(given) ? given : crypto.randomUUID()

      return {
        begin: (incoming) => {
          const { method, target } = incoming
          const sentPath = pathOf(target)
          const { parameters, path, route } = destinationOf(sentPath)
          const id = idOf(incoming.header("x-request-id"))
          return {
            incoming,
            identity: identify(incoming, path),
            id,
            method,
            sentPath,
            path,
            parameters,
            route,
            started: clock.unsafeCurrentTimeNanos(),
            refused: undefined,
            slot: undefined,
            body: undefined
          }
        },
        decide: (call) => {
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
        slot: (call) => (isAlwaysAnswered(call.path) || slots.take(call) ? undefined : overloaded("requests")),
        bodyLimits: (call) => ({
          limit: maxBodyBytes,
          reserve: (bytes) => (slots.reserve(call, bytes) ? undefined : overloaded("bytes of requests"))
        }),
        release: slots.release,
        countRest:
          ({ identity }) =>
          (calls) =>
            countRest(identity, calls),
        fields: (call, own) => ({ ...merged(own, sharedBy(call)), "x-request-id": call.id }),
        headers: (call, own) => own(sharedBy(call), call.id),
        spans,
        ended: (call, status, bytes, fiber) => {
          if (bytes !== undefined) slots.release(call)
          spans.end(call, status)
          log.write(call, status, bytes, fiber)
        }
      }
    })
  )
}
