import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import type { InWorld } from "./World.ts"

/** Map of the entries that a simulated upstream remembers, such as listed transactions; the oldest are dropped. */
export const remembered = <A, K = string>(capacity = 10_000) => BoundedMap.make<K, A>({ capacity })

export type Remembered<A> = BoundedMap.BoundedMap<string, A>

/** Cached results per function and network. A history leads to many requests for one address. */
const capacity = 200

interface Results<A> {
  readonly version: number
  readonly of: BoundedMap.BoundedMap<string, A>
}

/**
 * Adds an LRU cache to a function of a network and an address. Each world has its own cache, which is dropped when the
 * state of the network changes.
 */
export const memoized = <I extends InWorld, A>(
  of: (facts: I, holder: string) => A
): ((facts: I, holder: string) => A) => {
  const known = new WeakMap<I, Results<A>>()
  return (facts, holder) => {
    const version = facts.world?.state.version(facts.id) ?? 0
    const cached = known.get(facts)
    const results = cached?.version === version ? cached : { version, of: BoundedMap.make<string, A>({ capacity }) }
    if (results !== cached) known.set(facts, results)
    const found = results.of.get(holder)
    if (found !== undefined) return found
    const made = of(facts, holder)
    results.of.set(holder, made)
    return made
  }
}
