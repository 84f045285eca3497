import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../../src/App.ts"
import { Chains } from "../../src/chains/Chains.ts"
import { isMpt } from "../../src/chains/ripple/BalanceChanges.ts"
import { native } from "../../src/features/balances/accounts.ts"
import { History } from "../../src/features/history/History.ts"
import { readNow } from "../../src/features/portfolio/pastOf.ts"
import { changesOf } from "../../src/features/portfolio/rollBack.ts"
import * as World from "../../src/sandbox/world/World.ts"
import { sandboxEnvironment } from "../support/sandbox.ts"
import { liveNetworks } from "../support/tier.ts"
import { assert, layer } from "../support/vitest.ts"

const quiet = Logger.minimumLogLevel(LogLevel.None)

/** Balance minus the sum of the history, by network and asset, where they differ. */
const differences: Readonly<Record<string, Readonly<Record<string, bigint>>>> = {
  // Coins of the first block, which no list of transactions has.
  ethereum: { [native]: 2n * 10n ** 15n },
  // Balances have only tokens of the registry.
  cardano: { "13bc8e27d5c8abbfee06fadf6c210524b57316a2222181960a6b175b": -9_223_372_036_854_775_807n },
  // Two partial payments whose delivered amounts no node has.
  ripple: { MPT: -1_000n, [native]: 7n }
}

layer(App.useCases.pipe(Layer.provide(sandboxEnvironment()), Layer.provideMerge(quiet)), { excludeTestServices: true })(
  "the history of a museum",
  (it) => {
    for (const { family, id } of liveNetworks)
      it(`adds up to the balances of the coin and of all tokens: ${id}`, function* () {
        const holder = World.museum(id) ?? assert.fail(id)
        const [read] = yield* readNow(yield* (yield* Chains).named([id]), { [id]: [holder] }, 60_000)
        const [page] = yield* (yield* History).transactions({ [id]: [holder] }, 500)
        const history = page?.histories[0] ?? assert.fail(id)
        assert.strictEqual(history.next, null)
        const sums = new Map<string, bigint>()
        const add = (asset: string, amount: bigint) => sums.set(asset, (sums.get(asset) ?? 0n) + amount)
        for (const { amount, asset } of read?.holdings ?? [])
          add(asset === "native" ? native : asset.address, Either.getOrThrow(amount))
        // Balances of the Bitcoin family count what the mempool spends.
        for (const [transaction] of history.transactions)
          if (transaction.status !== "Pending" || family === "utxo")
            for (const [asset, change] of changesOf(transaction, { holder, assetOf: (token) => token }))
              add(asset, -change)
        const found = Object.fromEntries(
          [...sums].flatMap(([asset, amount]) => (amount === 0n ? [] : [[isMpt(asset) ? "MPT" : asset, amount]]))
        )
        assert.deepStrictEqual(found, differences[id] ?? {}, JSON.stringify(history.gaps))
      })
  }
)
