import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { inStoreTime, Store, type StoreError } from "../../storage/Store.ts"
import { FundingError, notSent } from "./Funding.ts"

/** Time of the last funding of an address, ms, and whether that funding has ended. */
const Claim = Schema.Struct({ at: Schema.Number, ended: Schema.Boolean })
const stored = (found: unknown) => Option.getOrUndefined(Schema.decodeUnknownOption(Claim)(found))

/** Retry interval for an address that is being funded, ms. */
const retryWhileRunning = 5_000

const timeText = (ms: number): string => {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.ceil(seconds / 60)} min`
      : `${Math.ceil(seconds / 3600)} h`
}

/**
 * Limits an address to one funding per interval (ms) across all processes that share the store. A claim is taken before
 * the coins are sent, and released only if certainly none were sent: if the process dies in between, the claim remains.
 * A funding that has not ended within `maxDuration` (ms) never ends, because its process is gone.
 */
export const make = (interval: number, maxDuration: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    const claims = store.open("fundings", 1)
    const semaphore = yield* Effect.makeSemaphore(1)

    /** Unlike a cache, the limit requires the store. */
    const orNotSent = <A>(effect: Effect.Effect<A, StoreError>) =>
      Effect.catchAll(inStoreTime(effect), (cause) =>
        Effect.zipRight(
          Effect.logWarning("the store could not be read for earlier fundings", cause),
          notSent("Earlier fundings of this address cannot be looked up at the moment.")
        )
      )

    const refuse = ({ at, ended }: typeof Claim.Type, now: number) => {
      const wait = Math.min(at + interval - now, interval)
      if (wait <= 0) return undefined
      const isRunning = !ended && now - at < maxDuration
      return new FundingError({
        reason: "too_soon",
        detail: isRunning
          ? "This address is being funded at this moment."
          : `This address was funded already. It can be funded again in ${timeText(wait)}.`,
        retryAfter: isRunning ? Math.min(wait, retryWhileRunning) : wait
      })
    }

    const set = (address: string, at: number, ended: boolean, time = interval) =>
      claims.setMany(new Map([[address, { at, ended } satisfies typeof Claim.Type]]), time)

    const claimed = (lease: string, owner: string, retries: number): Effect.Effect<boolean, FundingError> =>
      Effect.flatMap(orNotSent(store.claim(lease, owner, "10 seconds")), (got) =>
        got || retries === 0 ? Effect.succeed(got) : Effect.delay(claimed(lease, owner, retries - 1), "50 millis")
      )

    const claim = (address: string) => {
      const lease = `funding ${address}`
      const taken = (owner: string) =>
        Effect.gen(function* () {
          const got = yield* claimed(lease, owner, 20)
          const now = yield* Clock.currentTimeMillis
          const earlier = got
            ? stored((yield* orNotSent(claims.getMany([address]))).get(address))
            : { at: now, ended: false }
          const refusal = earlier && refuse(earlier, now)
          if (refusal !== undefined) return yield* refusal
          yield* orNotSent(set(address, now, false))
          return now
        })
      return Effect.sync(() => crypto.randomUUID()).pipe(
        Effect.flatMap((owner) =>
          Effect.ensuring(
            taken(owner),
            Effect.ignoreLogged(inStoreTime(Effect.interruptible(store.release(lease, owner))))
          )
        ),
        semaphore.withPermits(1)
      )
    }

    /** If the store fails, the address remains claimed. */
    const record = (effect: Effect.Effect<void, StoreError>) =>
      Effect.catchAll(
        Effect.retry(inStoreTime(effect), { times: 3, schedule: Schedule.spaced("100 millis") }),
        (cause) => Effect.logWarning("the result of a funding could not be stored", cause)
      )

    return {
      /** Claims the address and returns the time of the claim; fails with `too_soon` if it is already claimed. */
      claim,
      /** Records that the address was funded, or may have been. Cannot fail. */
      confirm: (address: string, at: number) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          record(set(address, at, true, Math.max(1, at + interval - now)))
        ),
      /** Releases the claim if certainly no coins were sent. Cannot fail. */
      release: (address: string) => record(claims.remove([address]))
    }
  })
