import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { FeeSource, Resources, Unread } from "../../chains/Chain.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as SingleFlight from "../../kernel/SingleFlight.ts"
import { timeoutFail } from "../../kernel/timeout.ts"

/** An address whose resources are read. */
export interface ReadAccount {
  /** As the request gave it. */
  readonly text: string
  readonly canonical: string
  readonly resources: NonNullable<FeeSource["resources"]>
}

type Reading = Either.Either<Resources, Unread>

/** For a block or two: a wallet that has just sent something wants to see it. */
const lifetime = 3_000

/** Addresses are many and their resources change: they are cached in memory only. */
const capacity = 10_000

/** Reads the resources of addresses, within this time (ms). Equal readings are joined; a failure is data. */
export const make = (time: number) =>
  Effect.gen(function* () {
    const recent = BoundedMap.sized<Reading>(capacity)
    const inFlight = SingleFlight.make<string, Reading>(yield* Effect.scope)
    return (network: string, { canonical, resources }: ReadAccount): Effect.Effect<Reading> =>
      Effect.gen(function* () {
        const key = `${network} ${canonical}`
        const before = recent.get(key, yield* Clock.currentTimeMillis)
        if (before !== undefined) return before
        const read = resources(canonical).pipe(
          timeoutFail({ duration: time, onTimeout: () => late }),
          Effect.catchAllDefect((defect) =>
            Effect.zipRight(Effect.logError(`${network}: internal error`, defect), Effect.fail(internalError))
          ),
          Effect.either,
          Effect.tap((reading) =>
            Either.isLeft(reading)
              ? Effect.void
              : Effect.map(Clock.currentTimeMillis, (now) => recent.set(key, reading, now + lifetime))
          )
        )
        return yield* inFlight.join(key, read)
      })
  })

const late: Unread = { reason: "timeout", message: "timed out" }
const internalError: Unread = { reason: "upstream_error", message: "internal error" }
