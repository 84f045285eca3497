import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chain } from "../../../src/chains/Chain.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import * as RequestLog from "../../../src/testing/RequestLog.ts"
import type { UpstreamRequest } from "../../../src/testing/UpstreamRequest.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { Bch, Litecoin } from "../../support/networks.ts"
import { isAll } from "../../support/tier.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { services } from "../utxo/indexers.ts"
import { busyHistory } from "./busyHistory.ts"

busyHistory("utxo", isAll)

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
      assert.strictEqual(new Set(transactions.map(({ hash }) => hash)).size, moves.length)
      assert.isTrue(requests.some(({ upstream, url }) => upstream === name && later.test(url)))
    })
})
