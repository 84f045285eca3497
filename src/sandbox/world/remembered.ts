import * as BoundedMap from "../../kernel/BoundedMap.ts"

/** Results that are remembered, of each function and network: a history takes many questions about one address. */
const most = 500

/** A function of a network and an address, whose last results are remembered. */
export const remembered = <I extends object, A>(
  of: (info: I, holder: string) => A
): ((info: I, holder: string) => A) => {
  const known = new WeakMap<I, BoundedMap.BoundedMap<string, A>>()
  return (info, holder) => {
    const results = known.get(info) ?? BoundedMap.make<string, A>({ capacity: most })
    known.set(info, results)
    const found = results.get(holder)
    if (found !== undefined) return found
    const made = of(info, holder)
    results.set(holder, made)
    return made
  }
}
