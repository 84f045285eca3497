import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { bounded, Store, type StoreError } from "../../storage/Store.ts"
import { FundingError, notSent } from "./FundingError.ts"

/** When an address was last funded, ms, and whether that has come to an end. */
const Claim = Schema.Struct({ at: Schema.Number, ended: Schema.Boolean })

/** Who asks again while a funding is under way is told to wait so long, ms. */
const moment = 5_000

const words = (ms: number): string => {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.ceil(seconds / 60)} min`
      : `${Math.ceil(seconds / 3600)} h`
}

/**
 * One funding of an address in an interval (ms), for all processes that share the store. A claim is taken before anything
 * is sent, and given back only where certainly nothing was: who dies in the middle leaves it taken.
 * What has not come to an end within `longest` (ms) never will: its process is gone.
 */
export const make = (interval: number, longest: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    const claims = store.open("fundings", 1)
    const semaphore = yield* Effect.makeSemaphore(1)

    /** Unlike a cache, the limit cannot do without the store. */
    const kept = <A>(effect: Effect.Effect<A, StoreError>) =>
      Effect.catchAll(bounded(effect), (cause) =>
        Effect.zipRight(
          Effect.logWarning("the store could not be read for earlier fundings", cause),
          notSent("It cannot be looked up at the moment whether this address was funded before.")
        )
      )

    const refuse = (found: unknown, now: number) =>
      Option.match(Schema.decodeUnknownOption(Claim)(found), {
        onNone: () => undefined,
        onSome: ({ at, ended }) => {
          const wait = Math.min(at + interval - now, interval)
          if (wait <= 0) return undefined
          const underWay = !ended && now - at < longest
          return new FundingError({
            reason: "too_soon",
            detail: underWay
              ? "This address is being funded at this moment."
              : `This address was funded already. It can be funded again in ${words(wait)}.`,
            retryAfter: underWay ? Math.min(wait, moment) : wait
          })
        }
      })

    const set = (address: string, at: number, ended: boolean, time = interval) =>
      claims.setMany(new Map([[address, { at, ended } satisfies typeof Claim.Type]]), time)

    const claimed = (lease: string, owner: string, tries: number): Effect.Effect<boolean, FundingError> =>
      Effect.flatMap(kept(store.claim(lease, owner, "10 seconds")), (got) =>
        got || tries === 0 ? Effect.succeed(got) : Effect.delay(claimed(lease, owner, tries - 1), "50 millis")
      )

    const take = (address: string) => {
      const lease = `funding ${address}`
      const taken = (owner: string) =>
        Effect.gen(function* () {
          const got = yield* claimed(lease, owner, 20)
          const now = yield* Clock.currentTimeMillis
          const refusal = got
            ? refuse((yield* kept(claims.getMany([address]))).get(address), now)
            : refuse({ at: now, ended: false }, now)
          if (refusal !== undefined) return yield* refusal
          yield* kept(set(address, now, false))
          return now
        })
      return Effect.sync(() => crypto.randomUUID()).pipe(
        Effect.flatMap((owner) =>
          Effect.ensuring(taken(owner), Effect.ignoreLogged(bounded(Effect.interruptible(store.release(lease, owner)))))
        ),
        semaphore.withPermits(1)
      )
    }

    /** What the store does not take down now, the claim says already: it stays taken. */
    const noted = (effect: Effect.Effect<void, StoreError>) =>
      Effect.catchAll(Effect.retry(bounded(effect), { times: 3, schedule: Schedule.spaced("100 millis") }), (cause) =>
        Effect.logWarning("the result of a funding could not be stored", cause)
      )

    return {
      /** From now on the address counts as funded; fails with `too_soon` where it does already. The time of the claim. */
      take,
      /** It was funded, or may have been. Cannot fail. */
      end: (address: string, at: number) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          noted(set(address, at, true, Math.max(1, at + interval - now)))
        ),
      /** Certainly nothing was sent. Cannot fail. */
      giveBack: (address: string) => noted(claims.remove([address]))
    }
  })
