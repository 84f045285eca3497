import type { EncodedResponse } from "./EncodedResponse.ts"

/** How much is kept; what was not asked for the longest goes first. */
export interface Bounds {
  readonly targets: number
  /** Of all forms of all answers, each counted once, and of the targets. */
  readonly bytes: number
}

/** Answers by the target of the requests that asked for them. */
export interface ResponseLru {
  readonly get: (target: string) => EncodedResponse | undefined
  /** Also tells that an answer, kept already, has one form more. */
  readonly keep: (target: string, prepared: EncodedResponse) => void
  readonly drop: (target: string) => void
  readonly held: () => { readonly targets: number; readonly bytes: number }
}

export const make = (bounds: Bounds): ResponseLru => {
  const byTarget = new Map<string, EncodedResponse>()
  const counted = new Map<EncodedResponse, { targets: number; bytes: number }>()
  let bytes = 0

  const count = (prepared: EncodedResponse, targets: number) => {
    const before = counted.get(prepared) ?? { targets: 0, bytes: 0 }
    const after = { targets: before.targets + targets, bytes: prepared.bytes() }
    bytes -= before.bytes
    if (after.targets === 0) counted.delete(prepared)
    else {
      bytes += after.bytes
      counted.set(prepared, after)
    }
  }

  const drop = (target: string) => {
    const prepared = byTarget.get(target)
    if (prepared === undefined) return
    byTarget.delete(target)
    bytes -= target.length
    count(prepared, -1)
  }

  return {
    get: (target) => {
      const prepared = byTarget.get(target)
      // While there is room for as much again, nothing is about to go and the order does not matter.
      if (prepared !== undefined && (2 * byTarget.size > bounds.targets || 2 * bytes > bounds.bytes)) {
        byTarget.delete(target)
        byTarget.set(target, prepared)
      }
      return prepared
    },
    keep: (target, prepared) => {
      drop(target)
      byTarget.set(target, prepared)
      bytes += target.length
      count(prepared, 1)
      for (const oldest of byTarget.keys()) {
        if (byTarget.size <= bounds.targets && bytes <= bounds.bytes) break
        drop(oldest)
      }
    },
    drop,
    held: () => ({ targets: byTarget.size, bytes })
  }
}
