import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import { ledger, type Move } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { assert, layer } from "../../support/vitest.ts"
import type { Network } from "../../walk/walk.ts"
import { around, type listening, pagesOf } from "./longHistory.ts"

// Compares the history of a busy address with the moves of its ledger.

/** Differences by symbol of the token, without those of 0; the symbol of the native coin is empty. */
const sum = (differences: ReadonlyArray<readonly [symbol: string, amount: bigint]>) => {
  const sums = new Map<string, bigint>()
  for (const [symbol, amount] of differences) sums.set(symbol, (sums.get(symbol) ?? 0n) + amount)
  return Object.fromEntries([...sums].filter(([, amount]) => amount !== 0n).sort())
}

const ofMove = ({ amount, at, contract, direction, failed, fee, received = 0n }: Move) => ({
  timestamp: at,
  paid: direction === "out" ? String(fee) : null,
  failed,
  changes: failed
    ? {}
    : sum([
        [contract?.coin.symbol ?? "", direction === "in" ? amount : -amount],
        ["", received]
      ])
})

type Summary = ReturnType<typeof ofMove>

const ofEntry = (holder: string, { fee, from, status, timestamp, to }: HistoryEntry): Summary => {
  const own = (parties: HistoryEntry["from"], sign: bigint) =>
    parties
      .filter(({ address }) => address === holder)
      .map(({ amount, currency = "" }) => {
        const symbol = typeof currency === "object" ? currency.symbol : currency
        return [symbol, sign * BigInt(amount)] as const
      })
  return {
    timestamp,
    paid: from.some(({ address }) => address === holder) ? fee : null,
    failed: status === "Failed",
    changes: sum([...own(from, -1n), ...own(to, 1n)])
  }
}

/** Sorts what shares a second: lists of internal and of token transfers do not say where in a block they are. */
const bySecond = (summaries: ReadonlyArray<Summary>) => {
  const text = ({ changes, paid }: Summary) => [paid, ...Object.entries(changes)].join()
  return summaries.toSorted((a, b) => b.timestamp - a.timestamp || (text(a) < text(b) ? -1 : 1))
}

/** Asserts that entries are the newest of the ledger, or all; the last second is compared only if it is complete. */
const areNewest = (info: Network, entries: ReadonlyArray<HistoryEntry>, isWhole: boolean) => {
  const holder = World.busy(info.id) ?? ""
  const listed = entries.filter(({ status }) => status !== "Pending").map((entry) => ofEntry(holder, entry))
  const oldest = isWhole ? 0 : (listed.at(-1)?.timestamp ?? 0)
  const isComplete = ({ timestamp }: Summary) => timestamp > oldest
  assert.deepStrictEqual(
    bySecond(listed.filter(isComplete)),
    bySecond(ledger(info, holder).map(ofMove).filter(isComplete))
  )
  const times = entries.map(({ timestamp }) => timestamp)
  assert.deepStrictEqual(
    times,
    times.toSorted((a, b) => b - a)
  )
  assert.lengthOf(new Set(entries.map(({ hash }) => hash)), entries.length)
}

/** Hashes of entries in blocks: pending ones change with the clock. */
const hashes = (entries: ReadonlyArray<HistoryEntry>) =>
  entries.filter(({ status }) => status !== "Pending").map(({ hash }) => hash)

/** A source of a history: requests with each of its parameters for further pages, and rows at which pages end. */
interface LongSource {
  readonly name: string
  readonly info: Network
  readonly further: ReadonlyArray<RegExp>
  /** The first is always tested; the others in the second tier. */
  readonly ends: readonly [number, ...ReadonlyArray<number>]
  /** Whether the second tier compares the whole history with the ledger. */
  readonly whole: boolean
}

/** Declares tests of the busy addresses of networks, also those of the second tier if `isAll`. */
export const readsLong = (
  { layer: service, requests }: ReturnType<typeof listening>,
  sources: ReadonlyArray<LongSource>,
  isAll: boolean
) => {
  layer(service, { excludeTestServices: true })("the long history of the busy address", (it) => {
    for (const { ends, further, info, name, whole } of sources) {
      it(`is read across the ends of pages: ${name}`, function* () {
        const [end] = ends
        const large = yield* pagesOf(info, [end + 60])
        areNewest(info, large.entries, false)
        for (const row of [20, end]) {
          const small = yield* pagesOf(info, around(row))
          assert.isAbove(small.entries.length, row)
          assert.deepStrictEqual(hashes(small.entries), hashes(large.entries).slice(0, hashes(small.entries).length))
        }
        const sent = requests.flatMap(({ body, upstream, url }) => (upstream === name ? [`${url} ${body}`] : []))
        for (const pattern of further)
          assert.isTrue(
            sent.some((text) => pattern.test(text)),
            String(pattern)
          )
      })

      if (isAll)
        it(`is read across the ends of all pages: ${name}`, function* () {
          const large = yield* pagesOf(info, Array<number>(whole ? 30 : 3).fill(500))
          areNewest(info, large.entries, whole)
          assert.strictEqual(large.next === null, whole)
          for (const row of ends.slice(1)) {
            const { entries } = yield* pagesOf(info, around(row))
            assert.deepStrictEqual(hashes(entries), hashes(large.entries).slice(0, hashes(entries).length), String(row))
          }
        })
    }
  })
}
