import * as Effect from "effect/Effect"
import type { HistoryEntry } from "../../src/contract/HistoryApi.ts"
import { samples } from "../chains/families/samples.ts"
import { isAll, networks } from "../support/tier.ts"
import { assert, describe, layer } from "../support/vitest.ts"
import { histories, lasting, live, makeWalk, type Network } from "./walk.ts"

type List = Effect.Effect.Success<ReturnType<typeof histories>>[number]

/** The joined pages of each address. Ends if an address has more entries than its whole list, or an empty page. */
const joined = Effect.fnUntraced(function* (info: Network, lists: ReadonlyArray<List>, limit: number) {
  const pages = new Map<string, ReadonlyArray<HistoryEntry>>()
  let cursors: Record<string, string> = {}
  let left = lists
  while (left.length > 0) {
    const addresses = left.map(({ address }) => address)
    const read = yield* histories(info, addresses, { limit, cursors })
    cursors = {}
    for (const { address, entries, next } of read) {
      const before = pages.get(address) ?? []
      assert.isAtMost(entries.length, limit)
      assert.isTrue(entries.length > 0 || before.length === 0, `${address}: next is not null on the last page`)
      pages.set(address, [...before, ...entries])
      if (next !== null) cursors[address] = next
    }
    left = left.filter(
      ({ address, entries }) => cursors[address] !== undefined && (pages.get(address)?.length ?? 0) <= entries.length
    )
  }
  return pages
})

/** Other networks of a family differ in their facts only, which decide whether a cursor is accepted. */
const sizesOf = (info: Network) => (networks.includes(info) ? [1, 2, 3, 7] : [2])

const areWhole = Effect.fnUntraced(function* (info: Network, lists: ReadonlyArray<List>) {
  for (const size of sizesOf(info)) {
    const pages = yield* joined(info, lists, size)
    for (const { address, entries, next } of lists) {
      assert.isNull(next)
      const page = pages.get(address)?.map(lasting)
      assert.deepStrictEqual(page, entries.map(lasting), `${address} by ${size}`)
    }
  }
})

const { layer: walk, pay } = makeWalk()

describe("the pages of a history, joined, are the whole list", () => {
  layer(walk, { excludeTestServices: true })((it) => {
    for (const info of live)
      it(`on ${info.id}`, function* () {
        const lists = yield* histories(info, samples(info, 4))
        const longest = lists.toSorted((a, b) => b.entries.length - a.entries.length)
        yield* areWhole(info, isAll ? lists : longest.slice(0, networks.includes(info) ? 2 : 1))
      })

    // The sources of the other families list transactions in blocks only.
    for (const info of live.filter(({ family }) => ["tron", "utxo"].includes(family)))
      it(`on ${info.id}, if its pending transaction is older than the newest ones`, function* () {
        const found = yield* histories(info, samples(info, 12), { limit: 20 })
        const pending = found.find(({ entries: [newest] }) => newest?.status === "Pending")
        assert(pending !== undefined)
        for (let count = 0; count < 3; count++) yield* pay(info, pending.address)
        const lists = yield* histories(info, [pending.address])
        yield* areWhole(info, lists)
      })
  })
})
