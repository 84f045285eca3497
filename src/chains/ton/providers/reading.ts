import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { ton } from "../../../catalogue/ton.ts"
import { lookups } from "../../../kernel/collections/lookups.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { type Head, headCheck, requireCurrent } from "../../kit/status/currentHead.ts"
import type { Reading } from "../Provider.ts"

/** The maximum of addresses per call: they must fit into a query of 8 kB. */
const addressesPerCall = 100

/** Reads many addresses per call. */
export const inChunks =
  <A>(
    read: (
      addresses: ReadonlyArray<string>
    ) => Effect.Effect<(address: string) => Either.Either<A, UpstreamError>, UpstreamError>
  ): Reading<A> =>
  (addresses, report) =>
    Effect.forEach(
      Arr.chunksOf(addresses, addressesPerCall),
      (some) =>
        Effect.map(Effect.either(read(some)), (result) => {
          for (const address of some)
            report(
              address,
              Either.flatMap(result, (of) => of(address))
            )
        }),
      { concurrency: "unbounded", discard: true }
    )

/**
 * The newest block of an indexer, read once per minute. Fails if it is not current, because a stalled indexer still
 * responds to every call.
 */
export const currentHead = (source: Pick<Upstream, "fault">, head: Effect.Effect<Head, UpstreamError>) =>
  Effect.map(
    lookups({
      capacity: 1,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? "1 minute" : 0),
      lookup: (_: "head") => Effect.tap(head, ({ time }) => requireCurrent(source, ton, time))
    }),
    (newest) => newest("head")
  )

/** Wraps a reading so that it fails if the indexer is not current. */
export const requireCurrentHead =
  (current: Effect.Effect<unknown, UpstreamError>) =>
  <A>(reading: Reading<A>): Reading<A> =>
  (addresses, report) =>
    Effect.matchEffect(current, {
      onFailure: (error) =>
        Effect.sync(() => {
          for (const address of addresses) report(address, Either.left(error))
        }),
      onSuccess: () => reading(addresses, report)
    })

/** Returns an effect that fails if the indexer is behind; a newest block that cannot be read does not matter. */
export const behindCheck = (source: Pick<Upstream, "fault">, head: Effect.Effect<Head, UpstreamError>) =>
  Effect.map(headCheck(ton), (check) => check(source, head))
