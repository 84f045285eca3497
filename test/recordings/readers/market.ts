import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { plain, price } from "../../../src/domain/Amount.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import type { UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { cases, type Exchange, replay } from "../../support/fixtures.ts"
import { type Reply, type SentRequest, simulatedClient } from "../../support/http.ts"
import { run, upstreamDependencies } from "../../support/upstream.ts"
import { type Read, type Rows, row } from "../table.ts"

export const ids = (...all: ReadonlyArray<string>) => all.map((id) => CoinId.make(id))

export const bitcoin = CoinId.make("bitcoin")

interface Options<A> {
  /** The time of the call, ms. */
  readonly now?: number | ((recording: Exchange) => number)
  /** The reply to a request; by default the recording. */
  readonly reply?: (recording: Exchange, request: SentRequest, others: ReadonlyArray<Exchange>) => Reply
  readonly show?: (found: A, recording: Exchange) => unknown
  /** Adds what it returns for each request to the value. */
  readonly requests?: (request: SentRequest, recording: Exchange) => unknown
}

/** Reads what a call of these services returns if their provider responds with the recording. */
export const calling =
  <R>(layer: Layer.Layer<R, unknown, Layer.Layer.Success<ReturnType<typeof upstreamDependencies>>>) =>
  <A>(call: Effect.Effect<A, unknown, R | Upstreams>, options: Options<A> = {}): Read =>
  (recording, ...others) =>
    Effect.gen(function* () {
      const { now = 1_800_000_000_000, reply, requests, show = (found: A): unknown => found } = options
      yield* TestClock.setTime(typeof now === "number" ? now : now(recording))
      const outside = simulatedClient((request) => reply?.(recording, request, others) ?? replay(recording))
      const services = Layer.fresh(Layer.provideMerge(layer, upstreamDependencies(outside)))
      const found = show(yield* yield* Effect.provide(run(call), services), recording)
      return requests === undefined ? found : [found, ...outside.requests.map((sent) => requests(sent, recording))]
    })

/** The members of a failure by which callers decide. */
export const faultOf = <A, R>(call: Effect.Effect<A, UpstreamError, R>) =>
  Effect.map(Effect.flip(call), ({ detail, final, reason, retryAfter, status }) => {
    const members = Object.entries({ reason, detail, final, retryAfter, status })
    return Object.fromEntries(members.filter(([, value]) => value !== undefined))
  })

const parts = (path: string) => path.split(/[/,]/).sort().join()

/** True if a request has the path of the recording, with the keys in any order; otherwise its path. */
export const pathOf = ({ url: { pathname } }: SentRequest, { request }: Exchange) =>
  parts(pathname) === parts(request.path) || pathname

/** True if a request has the query of the recording; otherwise its query. */
export const queryOf = ({ url: { search, searchParams } }: SentRequest, { request }: Exchange) =>
  new URLSearchParams(request.query).toString() === searchParams.toString() || search

/** A price in decimal notation, with all its digits. */
export const written = (usd: number) => Option.getOrThrow(Option.map(price(usd), plain))

/** Whether the health check of a provider accepts a response. */
export const canary = Effect.flatMap(Upstreams, ({ trials }) =>
  Effect.flatMap(trials, ([trial]) => Effect.isSuccess(trial?.addresses[0]?.try ?? Effect.void))
)

/** The outcomes of calls that are no failures for one of these reasons. */
export const accepted = <R>(
  reasons: ReadonlyArray<UpstreamError["reason"]>,
  ...calls: ReadonlyArray<Effect.Effect<unknown, UpstreamError, R>>
) =>
  Effect.map(Effect.forEach(calls, Effect.either), (outcomes) =>
    outcomes.filter((outcome) => Either.isRight(outcome) || !reasons.includes(outcome.left.reason))
  )

export const refusalReasons = ["bad_answer", "upstream_error", "rate_limited"] as const

/** Rows of responses of other providers: of each recording that is compared, or of these samples, `provider/name`. */
export const elsewhere = (read: Read, ...names: ReadonlyArray<string>): Rows =>
  Object.fromEntries(names.map((name) => [name, row(read, [], "is rejected")]))

export const recordingsIn = (...providers: ReadonlyArray<string>) =>
  providers.flatMap((provider) => cases(provider).map((name) => `${provider}/${name}`))
