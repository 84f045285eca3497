import * as Effect from "effect/Effect"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import * as RequestLog from "../../../src/testing/RequestLog.ts"
import type { UpstreamRequest } from "../../../src/testing/UpstreamRequest.ts"
import { Service } from "../../support/app.ts"
import { assert } from "../../support/vitest.ts"
import { histories, type Network } from "../../walk/walk.ts"

// Reads the history of the busy address of a network page by page.

/** The service over the sandbox, and a list to which its requests to upstreams are added. */
export const listening = (settings: Readonly<Record<string, string>>, upstreams = Sandbox.layer(Catalogue.all)) => {
  const requests: Array<UpstreamRequest> = []
  return { requests, layer: Service.layer(settings, RequestLog.layer(upstreams, requests)) }
}

interface Part {
  readonly entries: ReadonlyArray<HistoryEntry>
  readonly next: string | null
}

/** The next entries of the busy address: one page for each of the sizes, or fewer pages if the history ends. */
export const pagesOf = Effect.fnUntraced(function* (info: Network, sizes: Iterable<number>) {
  const address = World.busy(info.id) ?? ""
  let part: Part = { entries: [], next: null }
  let isFirst = true
  for (const limit of sizes) {
    if (!isFirst && part.next === null) break
    const cursors = part.next === null ? {} : { [address]: part.next }
    const [read] = yield* histories(info, [address], { limit, cursors })
    assert(read !== undefined)
    assert.deepStrictEqual(read.missing, [])
    assert.isAtMost(read.entries.length, limit)
    part = { entries: [...part.entries, ...read.entries], next: read.next }
    isFirst = false
  }
  return part
})

/** Sizes of pages that lead to a row, and of pages of seven over the forty rows around it. */
export const around = (row: number): ReadonlyArray<number> => {
  const before = Math.max(0, row - 20)
  const large = Array.from({ length: Math.ceil(before / 500) }, (_, index) => Math.min(500, before - 500 * index))
  return [...large, ...Array<number>(6).fill(7)]
}
