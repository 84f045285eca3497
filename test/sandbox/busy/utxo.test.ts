import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chain } from "../../../src/chains/Chain.ts"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { paymentsPerBlock } from "../../../src/sandbox/world/busy.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import * as RequestLog from "../../../src/testing/RequestLog.ts"
import type { UpstreamRequest } from "../../../src/testing/UpstreamRequest.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { isAll } from "../../support/tier.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"
import { services } from "../utxo/indexers.ts"
import { around, listening, pagesOf } from "./longHistory.ts"

/** The kinds of indexers: the length of a page, and the parameter of later pages. */
const indexers: ReadonlyArray<readonly [info: Info, kind: string, perPage: number, later: RegExp]> = [
  [Bitcoin.info, "esplora", 25, /\/txs\/chain\/[0-9a-f]{64}$/],
  [Bch.info, "esplora", 10, /\/txs\/chain\/[0-9a-f]{64}$/],
  [Litecoin.info, "blockbook", 1000, /[?&]to=\d/],
  [Dogecoin.info, "blockcypher", 50, /[?&]before=\d/],
  [Bch.info, "haskoin", 1000, /[?&]height=\d/],
  [Bitcoin.info, "blockchain-info", 50, /[?&]offset=[1-9]/]
]

type Info = (typeof Bitcoin)["info"]

/** Asserts that entries are the newest of the ledger. Each kind of indexer has its own order within a block. */
const areNewest = (info: Info, entries: ReadonlyArray<HistoryEntry>) => {
  const holder = World.busy(info.id) ?? ""
  const moves = ledger(info, holder)
    .slice(-entries.length - paymentsPerBlock)
    .reverse()
  const changes = new Map(
    [...Map.groupBy(moves, ({ at }) => at)].map(([at, block]) => [
      at,
      block.map(({ amount, direction, failed, fee }) => (direction === "in" ? amount : failed ? -fee : -amount - fee))
    ])
  )
  const sum = (parties: HistoryEntry["from"]) =>
    parties.reduce((all, { address, amount }) => (address === holder ? all + BigInt(amount) : all), 0n)
  for (const [index, { fee, from, hash, timestamp, to, type }] of entries.entries()) {
    assert.strictEqual(timestamp, moves[index]?.at, `${index}: ${hash}`)
    const change = sum(to) - sum(from) - (type === "Send" ? BigInt(fee ?? 0) : 0n)
    const left = changes.get(timestamp) ?? []
    assert.include(left, change, hash)
    left.splice(left.indexOf(change), 1)
  }
  assert.strictEqual(new Set(hashes(entries)).size, entries.length)
}

const hashes = (entries: ReadonlyArray<{ readonly hash: string }>) => entries.map(({ hash }) => hash)

for (const { kinds, settings } of services) {
  const { layer: service, requests } = listening(settings)
  layer(service, { excludeTestServices: true })("the long history of the busy address", (it) => {
    for (const [info, kind, perPage, later] of indexers) {
      if (kinds[info.id] !== kind) continue
      const name = `${info.id}-${kind}`

      it(`is read across the ends of pages: ${name}`, function* () {
        const newest = yield* pagesOf(info, around(20))
        const end = Math.min(perPage, 50)
        const beyond = yield* pagesOf(info, around(end))
        areNewest(info, newest.entries)
        areNewest(info, beyond.entries)
        assert.isAbove(newest.entries.length, 39)
        assert.isAbove(beyond.entries.length, end)
        assert.isTrue(requests.some(({ upstream, url }) => upstream === name && later.test(url)))
      })

      if (isAll)
        it(`is read to its end: ${name}`, function* () {
          const whole = yield* pagesOf(info, [500, 500, 500])
          areNewest(info, whole.entries)
          assert.deepStrictEqual(
            [whole.next, whole.entries.length],
            [null, ledger(info, World.busy(info.id) ?? "").length]
          )
          for (const row of [2 * perPage, 500, 1000].filter((row) => row < 1001)) {
            const { entries } = yield* pagesOf(info, around(row))
            assert.deepStrictEqual(hashes(entries), hashes(whole.entries).slice(0, entries.length))
          }
        })
    }
  })
}

describe("a history longer than the longest page of an indexer", () => {
  for (const [service, module, name, later] of [
    [services[0], Litecoin, "litecoin-blockbook", /[?&]page=2/],
    [services[1], Bch, "bch-haskoin", /[?&]offset=1000/]
  ] as const)
    it.live(`is read from its further pages: ${name}`, function* () {
      const requests: Array<UpstreamRequest> = []
      const chain = module.layer.pipe(
        Layer.provide(RequestLog.layer(Sandbox.layer([module.info]), requests)),
        Layer.provide([
          Layer.fresh(Upstreams.layer),
          Layer.fresh(Memory.layer()),
          Settings.layer(service?.settings ?? {})
        ])
      )
      const { history } = yield* Effect.provide(Chain, chain)
      if (history === undefined) return assert.fail("has no history")
      const address = World.busy(module.info.id) ?? ""
      const { more, transactions } = yield* history({ address, limit: 1_100 })
      assert.isFalse(more)
      const moves = ledger(module.info, address)
      assert.deepStrictEqual(
        transactions.map(({ timestamp }) => Number(timestamp)),
        moves.map(({ at }) => at).reverse()
      )
      assert.strictEqual(new Set(hashes(transactions)).size, moves.length)
      assert.isTrue(requests.some(({ upstream, url }) => upstream === name && later.test(url)))
    })
})
