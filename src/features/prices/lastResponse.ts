import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { cachedBytes } from "../../kernel/collections/cachedBytes.ts"

/** What a response is made of, and whether that is still current at a time (ms). */
export interface Material {
  readonly isCurrent: (now: number) => boolean
}

interface MemoizedResponse {
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  readonly maxAge: number
}

/** At most this many bytes are cached; the least recently requested response is evicted first. */
const capacity = 32 * 1024 * 1024

/** Counts more than the bytes of a response: its key is part of its material too, and more than once. */
const weightOf = (key: string, { body }: MemoizedResponse) => body.byteLength + 10 * key.length + 2_000

/** Responses by key: the same object, and the same bytes, for as long as the material is the same. */
export const lastResponse = <A extends Material, B extends MemoizedResponse>(
  same: (item: A, other: A) => boolean,
  make: (material: A) => B
) => {
  const entries = BoundedMap.make<string, { material: A; readonly answer: B & Material }>({
    maxWeight: capacity,
    weigh: (key, { answer }) => weightOf(key, answer)
  })
  const counted = cachedBytes("prices")
  return (key: string, material: A): B & Material => {
    const before = entries.get(key)
    if (before !== undefined && same(before.material, material)) {
      before.material = material
      return before.answer
    }
    const entry = { material, answer: { ...make(material), isCurrent: (now: number) => entry.material.isCurrent(now) } }
    entries.set(key, entry)
    counted(entries.weight())
    return entry.answer
  }
}
