import * as BoundedMap from "../kernel/collections/BoundedMap.ts"
import { type Entry, valueOf } from "./staleWhileRevalidate.ts"

/** Entries with a value, and as many without: keys that any client can invent must not push out the values. */
export const make = <A, E>(capacity: number) => {
  const values = BoundedMap.sized<Entry<A, E>>(capacity)
  const misses = BoundedMap.sized<Entry<A, E>>(capacity)
  let version = 0

  const get = (key: string) => values.get(key) ?? misses.get(key)

  return {
    get,
    set: (key: string, entry: Entry<A, E>): void => {
      if (valueOf(get(key)) !== valueOf(entry)) version++
      const [into, other] = valueOf(entry) === undefined ? [misses, values] : [values, misses]
      other.delete(key)
      into.set(key, entry)
    },
    /** Grows with every value that is replaced or removed. */
    version: (): number => version
  }
}
