import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import * as Anvil from "../../support/anvil.ts"
import { Service } from "../../support/app.ts"
import { sandboxExcept } from "../../support/beside.ts"
import { Litecoind, layer as litecoind } from "../../support/litecoind.ts"
import { indexerOver } from "../../support/litecoinWallet.ts"
import { evmWallet, litecoinPayment, mineLitecoin, send, statusOf } from "../../support/payments.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

// Real nodes that undo the block of a transaction.

const serving = (environment: Readonly<Record<string, string>>) =>
  Service.layer(environment, sandboxExcept(/^(ethereum-rpc|litecoin-.*)$/, FetchClient.layer))

describe.skipIf(isMissing("anvil"))("a transaction whose block a real EVM node undoes", () => {
  layer(Anvil.layerWith(["--no-mining"]), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it("is pending again, then confirmed in another block, and final by the finalized block of the node", function* () {
      const { rpc, url } = yield* Anvil.Anvil
      const payment = yield* (yield* evmWallet)(0)
      // The second node never gets it: only the finalized block of the first one makes it final.
      const other = Context.get(yield* Layer.build(Layer.fresh(Anvil.layer)), Anvil.Anvil)
      yield* other.rpc("evm_mine", [])
      yield* Effect.gen(function* () {
        const status = statusOf("ethereum", payment)
        assert.strictEqual(yield* send("ethereum", payment), "accepted")
        assert.strictEqual(yield* status, "pending")
        const before = yield* rpc("evm_snapshot", [])
        yield* rpc("evm_mine", [])
        assert.strictEqual(yield* status, "confirmed")
        yield* rpc("evm_revert", [before])
        assert.isNull((yield* rpc("eth_getTransactionByHash", [payment.hash])) ?? null)
        assert.strictEqual(yield* status, "pending")
        assert.strictEqual(yield* send("ethereum", payment), "accepted")
        yield* rpc("evm_mine", [])
        assert.strictEqual(yield* status, "confirmed")
        yield* rpc("anvil_reorg", [1, []])
        assert.strictEqual(yield* status, "pending")
        yield* rpc("eth_sendRawTransaction", [payment.raw])
        yield* rpc("evm_mine", [])
        assert.strictEqual(yield* status, "confirmed")
        // 64 blocks later, the node calls it final. It is final when 20 minutes of blocks are above it, too.
        yield* rpc("anvil_mine", ["0x62"])
        assert.strictEqual(yield* status, "confirmed")
        yield* rpc("anvil_mine", ["0x2"])
        assert.strictEqual(yield* status, "confirmed!")
        assert.strictEqual(yield* send("ethereum", payment), "accepted")
      }).pipe(Effect.provide(serving({ ETHEREUM_RPC_URLS: `${url},${other.url}` })))
    })

    it("is replaced if the other block has a payment with its nonce, until that block is undone, too", function* () {
      const { rpc, url } = yield* Anvil.Anvil
      const pay = yield* evmWallet
      const [first, second] = [yield* pay(1), yield* pay(1, 2n)]
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* send("ethereum", first), "accepted")
        yield* rpc("evm_mine", [])
        assert.strictEqual(yield* statusOf("ethereum", first), "confirmed")
        yield* rpc("anvil_reorg", [1, []])
        yield* rpc("eth_sendRawTransaction", [second.raw])
        yield* rpc("evm_mine", [])
        assert.strictEqual(yield* statusOf("ethereum", first), "replaced")
        yield* rpc("anvil_reorg", [1, []])
        assert.strictEqual(yield* statusOf("ethereum", first), "pending")
        assert.strictEqual(yield* send("ethereum", first), "accepted")
        yield* rpc("evm_mine", [])
        assert.strictEqual(yield* statusOf("ethereum", first), "confirmed")
      }).pipe(Effect.provide(serving({ ETHEREUM_RPC_URLS: url })))
    })
  })
})

describe.skipIf(isMissing("litecoind"))("a transaction whose block a real Litecoin node invalidates", () => {
  layer(litecoind, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it("is pending again, then confirmed in another block, and final by its depth at two indexers", function* () {
      const { rpc, url } = yield* Litecoind
      const [first, second] = [{ lags: false }, { lags: false }]
      const indexers = [yield* indexerOver(rpc, first), yield* indexerOver(rpc, second)]
      const setClock = (ago: number) => rpc("setmocktime", Math.floor(Date.now() / 1000) - ago)
      yield* setClock(3_000)
      yield* mineLitecoin(101)
      const payment = yield* litecoinPayment
      yield* Effect.gen(function* () {
        const status = statusOf("litecoin", payment)
        assert.strictEqual(yield* send("litecoin", payment), "accepted")
        assert.strictEqual(yield* status, "pending")
        yield* mineLitecoin(1)
        assert.strictEqual(yield* status, "confirmed")
        yield* rpc("invalidateblock", yield* rpc<string>("getbestblockhash"))
        assert.deepStrictEqual(yield* rpc("getrawmempool"), [payment.hash])
        assert.strictEqual(yield* status, "pending")
        for (const indexer of [first, second]) indexer.lags = true
        assert.strictEqual(yield* status, "pending")
        for (const indexer of [first, second]) indexer.lags = false
        assert.strictEqual(yield* send("litecoin", payment), "accepted")
        // Blocks that come much faster than on average make nothing final.
        yield* setClock(1_000)
        yield* mineLitecoin(1)
        yield* setClock(0)
        assert.strictEqual(yield* status, "confirmed")
        yield* mineLitecoin(23)
        assert.strictEqual(yield* status, "confirmed")
        yield* mineLitecoin(1)
        second.lags = true
        assert.strictEqual(yield* status, "confirmed")
        second.lags = false
        assert.strictEqual(yield* status, "confirmed!")
        assert.strictEqual(yield* send("litecoin", payment), "accepted")
      }).pipe(
        Effect.provide(
          serving({ LITECOIN_RPC_URLS: url, LITECOIN_BLOCKBOOK_URLS: ",", LITECOIN_ESPLORA_URLS: indexers.join() })
        )
      )
    })
  })
})
