import type { EncodedResponse } from "./EncodedResponse.ts"

/** How much is cached; the least recently used goes first. */
export interface Bounds {
  readonly targets: number
  /** Of all encodings of all responses, each counted once, and of the targets. A hot response has its body once more. */
  readonly bytes: number
}

/** Responses by the target of their requests. */
export interface ResponseLru {
  readonly get: (target: string) => EncodedResponse | undefined
  /** Also counts an encoding that was made since. */
  readonly set: (target: string, response: EncodedResponse) => void
  readonly delete: (target: string) => void
  readonly size: () => { readonly targets: number; readonly bytes: number }
}

export const make = (bounds: Bounds): ResponseLru => {
  const byTarget = new Map<string, EncodedResponse>()
  const counted = new Map<EncodedResponse, { targets: number; bytes: number }>()
  let bytes = 0

  const count = (response: EncodedResponse, targets: number) => {
    const before = counted.get(response) ?? { targets: 0, bytes: 0 }
    const after = { targets: before.targets + targets, bytes: response.bytes() }
    bytes -= before.bytes
    if (after.targets === 0) counted.delete(response)
    else {
      bytes += after.bytes
      counted.set(response, after)
    }
  }

  const drop = (target: string) => {
    const response = byTarget.get(target)
    if (response === undefined) return
    byTarget.delete(target)
    bytes -= target.length
    count(response, -1)
  }

  return {
    get: (target) => {
      const response = byTarget.get(target)
      // While there is room for as much again, nothing is about to go and the order does not matter.
      if (response !== undefined && (2 * byTarget.size > bounds.targets || 2 * bytes > bounds.bytes)) {
        byTarget.delete(target)
        byTarget.set(target, response)
      }
      return response
    },
    set: (target, response) => {
      drop(target)
      byTarget.set(target, response)
      bytes += target.length
      count(response, 1)
      for (const oldest of byTarget.keys()) {
        if (byTarget.size <= bounds.targets && bytes <= bounds.bytes) break
        drop(oldest)
      }
    },
    delete: drop,
    size: () => ({ targets: byTarget.size, bytes })
  }
}
