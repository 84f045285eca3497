import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import { ledger, type Move } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Service } from "../../../src/testing/Service.ts"
import type { UpstreamRequest } from "../../../src/testing/UpstreamRequest.ts"
import type * as Upstreams from "../../../src/testing/Upstreams.ts"
import { assert, layer } from "../../support/vitest.ts"
import { pageOf, unflagged, walked } from "../landmark.ts"

interface Lists {
  /** The requests that continue a list, by the name of their parameter: each must be sent. */
  readonly parameters: Readonly<Record<string, (request: UpstreamRequest) => boolean>>
  /** Numbers of transactions after which a page or a window of the source ends. */
  readonly ends: ReadonlyArray<number>
  /** Whether to read the whole history. */
  readonly isAll: boolean
  /** The id of a move in the ledger, from the hash of its transaction. Default: the hash. */
  readonly idOf?: (hash: string) => string
  /** Gaps that the source always has. */
  readonly unlisted?: ReadonlyArray<string>
  readonly upstreams?: Upstreams.Upstreams
  /** The name of the source that is tested, if the network has several. */
  readonly source?: string
}

/** The amounts that an entry moves from or to an address. */
const movedBy = (holder: string, { from, to }: HistoryEntry) =>
  [...from, ...to].flatMap(({ address, amount }) => (address === holder ? [amount] : [])).sort()

const amountsOf = ({ amount, failed, received }: Move) =>
  [failed ? 0n : amount, ...(received === undefined ? [] : [received])].map(String).sort()

/**
 * Walks the history of the busy address of a network: around the ends of the pages of its source and, in the second
 * tier, to its end, which must have each transaction of the ledger once and in order.
 */
export const busyHistory = (
  network: string,
  { ends, idOf = (hash) => hash, isAll, parameters, source, unlisted = [], upstreams }: Lists
) => {
  const holder = World.busy(network) ?? ""
  const facts = Catalogue.all.find(({ id }) => id === network) ?? assert.fail(network)
  const name = source === undefined ? network : `${network} at ${source}`
  const service = Layer.suspend(() => Service.layer(upstreams === undefined ? {} : { upstreams }))

  /** The pages of seven transactions around a number of transactions equal the same part of longer pages. */
  const around = (end: number, whole: ReadonlyArray<HistoryEntry>) =>
    Effect.gen(function* () {
      const start = Math.max(1, end - 20)
      const size = Math.ceil(start / Math.ceil(start / 500))
      const before = yield* walked(network, holder, size, start)
      const skipped = before.entries.length
      let next = before.next
      const entries: Array<HistoryEntry> = []
      while (next !== null && entries.length < 40) {
        const page: Effect.Effect.Success<ReturnType<typeof pageOf>> = yield* pageOf(network, holder, 7, next)
        entries.push(...(page.entries ?? assert.fail(JSON.stringify(page))))
        next = page.next
      }
      assert.deepStrictEqual(entries.map(unflagged), whole.slice(skipped, skipped + entries.length).map(unflagged))
    })

  layer(service, { excludeTestServices: true })(`the busy address of ${name}`, (it) => {
    it("is read by the continuation of the source's lists", function* () {
      const { entries: first } = yield* walked(network, holder, 100, 100)
      const { entries } = yield* walked(network, holder, 7, 40)
      assert.deepStrictEqual(entries.slice(0, 40).map(unflagged), first.slice(0, 40).map(unflagged))
      const { requests } = yield* Service
      for (const [parameter, isSent] of Object.entries(parameters))
        assert.isTrue(requests.some(isSent), `no request with ${parameter}`)
    })

    if (isAll)
      it("equals the ledger, and its parts around the ends of pages", function* () {
        const { entries, missing } = yield* walked(network, holder, 500)
        assert.deepStrictEqual(missing, unlisted)
        const moves = ledger(facts, holder).toReversed()
        assert.deepStrictEqual(
          entries.map(({ status, timestamp }) => [timestamp, status]),
          moves.map(({ at, failed }) => [at, failed ? "Failed" : "Success"])
        )
        // Some sources do not say which of the transactions in a block was the first.
        const found = new Map(entries.map((entry) => [idOf(entry.hash), movedBy(holder, entry)]))
        assert.deepStrictEqual(found, new Map(moves.map((move) => [move.id, amountsOf(move)])))
        for (const end of ends) yield* around(end, entries)
      })
  })
}
