import * as BoundedMap from "../../kernel/BoundedMap.ts"

/** Results of each function and network that are cached: a history leads to many requests about one address. */
const capacity = 500

/** A function of a network and an address with a cache of its last results. */
export const memoized = <I extends object, A>(
  of: (facts: I, holder: string) => A
): ((facts: I, holder: string) => A) => {
  const known = new WeakMap<I, BoundedMap.BoundedMap<string, A>>()
  return (facts, holder) => {
    const results = known.get(facts) ?? BoundedMap.make<string, A>({ capacity })
    known.set(facts, results)
    const found = results.get(holder)
    if (found !== undefined) return found
    const made = of(facts, holder)
    results.set(holder, made)
    return made
  }
}
