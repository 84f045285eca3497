import * as Effect from "effect/Effect"
import { LimitSharing } from "./quota/SharedQuotas.ts"
import { inStoreTime, Store } from "./Store.ts"

/** A refresh that takes longer may be repeated by another process. */
const longest = "15 seconds"

/**
 * Leases on refreshes of stale values of this name: one of the processes that share the store looks a value up, while the
 * others serve the value that they have. Without a shared store, or while it fails, each process has every lease.
 */
export const make = (name: string) =>
  Effect.zipWith(Store, LimitSharing, (store, { live }) => {
    const isShared = () => store.take !== undefined && live() > 1
    const owner = crypto.randomUUID()
    const claimedKeys = new Set<string>()
    const leaseOf = (key: string) => `refresh ${name} ${key}`

    const claim = (key: string) =>
      Effect.map(Effect.either(inStoreTime(store.claim(leaseOf(key), owner, longest))), (claimed) => {
        if (claimed._tag === "Right" && claimed.right) claimedKeys.add(key)
        return claimed._tag === "Left" || claimed.right
      })

    return {
      /** The entries among these that another process refreshes. */
      ofOthers: <A>(keys: ReadonlyArray<string>, entries: ReadonlyMap<string, A>) =>
        Effect.suspend(() => {
          const stale = isShared() ? keys.filter((key) => entries.has(key)) : []
          const others = Effect.filter(stale, claim, { concurrency: "unbounded", negate: true })
          return Effect.map(others, (found) => [...entries].filter(([key]) => found.includes(key)))
        }),
      /** Ends the leases of this process among these keys. */
      release: (keys: ReadonlyArray<string>): Effect.Effect<void> =>
        Effect.forEach(
          keys.filter((key) => claimedKeys.delete(key)),
          (key) => Effect.ignore(inStoreTime(store.release(leaseOf(key), owner))),
          { concurrency: "unbounded", discard: true }
        )
    }
  })
