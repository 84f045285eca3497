import { SuiJsonRpcClient } from "@mysten/sui/jsonRpc"
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519"
import { Transaction } from "@mysten/sui/transactions"
import { normalizeStructTag } from "@mysten/sui/utils"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { canonical } from "../../../../src/chains/sui/CoinType.ts"
import * as World from "../../../../src/sandbox/world/World.ts"
import { contextAt } from "../../../support/contexts.ts"
import { Sui } from "../../../support/networks.ts"
import { Proxy } from "../../../support/proxy.ts"
import { assert, type Body, describe, effectOf, it, layer } from "../../../support/vitest.ts"

// Runs the unmodified client of @mysten/sui against the RPC proxy.

const sui = "0x2::sui::SUI"

/** Candidate keys: some have a balance in the simulated world. */
const wallets = Array.from({ length: 20 }, (_, index) =>
  Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(index + 1))
)
const wallet = wallets.find(
  (keypair) => World.native(Sui.info, keypair.toSuiAddress()) > 2_000_000_000n
) as Ed25519Keypair
const owner = wallet.toSuiAddress()
const stranger = `0x${"7".repeat(64)}`

const tokens = World.contractsOn(Sui.info.platform).flatMap((contract) => {
  const amount = World.tokenBalance(Sui.info, contract, owner)
  return amount === 0n ? [] : [{ type: Option.getOrThrow(canonical(contract.address)), amount, contract }]
})

/** The error of a promise that must be rejected. */
const rejected = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("it was accepted"),
      (error: Error & { readonly code?: number }) => error
    )
  )

/** The client needs only the URL of the service. */
const client = Effect.map(Proxy, ({ url }) => new SuiJsonRpcClient({ url: `${url}/utils/rpc/sui`, network: "mainnet" }))

/** A test that changes the simulated world, with its own service. */
const testAlone = (name: string, body: (client: SuiJsonRpcClient) => Effect.Effect<unknown>) =>
  it.live(name, () => Effect.provide(Effect.flatMap(client, body), Proxy.layer))

const awaited = <A>(promise: () => Promise<A>) => Effect.promise(promise)

const transfer = (amount: bigint, to: string) => {
  const transaction = new Transaction()
  const [coin] = transaction.splitCoins(transaction.gas, [amount])
  transaction.transferObjects([coin as never], to)
  transaction.setSender(owner)
  return transaction
}

describe("@mysten/sui's JSON-RPC client over the translation to GraphQL", () => {
  layer(Proxy.layer, { excludeTestServices: true })((shared) => {
    const test = (name: string, body: (client: SuiJsonRpcClient) => Body) =>
      shared.effect(name, () => Effect.flatMap(client, (made) => effectOf(body(made))))

    test("reads balances", function* (client) {
      const coinBalance = yield* awaited(() => client.getBalance({ owner }))
      assert.strictEqual(coinBalance.totalBalance, String(World.native(Sui.info, owner)))
      assert.deepStrictEqual(
        [coinBalance.coinType, coinBalance.coinObjectCount, coinBalance.lockedBalance],
        [sui, 2, {}]
      )
      const all = yield* awaited(() => client.getAllBalances({ owner }))
      assert.deepStrictEqual(
        all.map(({ coinObjectCount, coinType, totalBalance }) => [
          normalizeStructTag(coinType),
          coinObjectCount,
          totalBalance
        ]),
        [
          [normalizeStructTag(sui), 2, coinBalance.totalBalance],
          ...tokens.map(({ amount, type }) => [type, 1, String(amount)])
        ]
      )
    })

    test("reads coins page by page, and their sum is the balance", function* (client) {
      const first = yield* awaited(() => client.getCoins({ owner, limit: 1 }))
      assert.isTrue(first.hasNextPage)
      const second = yield* awaited(() => client.getCoins({ owner, limit: 1, cursor: first.nextCursor ?? null }))
      assert.isFalse(second.hasNextPage)
      const coins = [...first.data, ...second.data]
      assert.strictEqual(
        coins.reduce((sum, { balance }) => sum + BigInt(balance), 0n),
        World.native(Sui.info, owner)
      )
      for (const coin of coins)
        assert.deepStrictEqual([coin.coinType, typeof coin.version, coin.digest.length > 40], [sui, "string", true])
      const all = yield* awaited(() => client.getAllCoins({ owner }))
      assert.lengthOf(all.data, 2 + tokens.length)
    })

    test("reads metadata, supply, gas price, names and the chain", function* (client) {
      const metadata = yield* awaited(() => client.getCoinMetadata({ coinType: sui }))
      assert.deepStrictEqual([metadata?.decimals, metadata?.symbol], [9, "SUI"])
      assert.isNull(yield* awaited(() => client.getCoinMetadata({ coinType: "0x2::nothing::NOTHING" })))
      assert.deepStrictEqual(yield* awaited(() => client.getTotalSupply({ coinType: sui })), {
        value: "10000000000000000000"
      })
      assert.strictEqual(yield* awaited(() => client.getReferenceGasPrice()), 742n)
      assert.strictEqual(yield* awaited(() => client.getChainIdentifier()), "35834a8a")
      const named = yield* awaited(() => client.resolveNameServiceAddress({ name: "sandbox.sui" }))
      assert.deepStrictEqual((yield* awaited(() => client.resolveNameServiceNames({ address: named ?? "" }))).data, [
        "sandbox.sui"
      ])
      assert.isNull(yield* awaited(() => client.resolveNameServiceAddress({ name: "nobody.sui" })))
      const newest = yield* awaited(() => client.getLatestCheckpointSequenceNumber())
      const checkpoint = yield* awaited(() => client.getCheckpoint({ id: newest }))
      assert.deepStrictEqual([checkpoint.sequenceNumber, checkpoint.transactions.length], [newest, 8])
      assert.isTrue((yield* awaited(() => client.getTotalTransactionBlocks())) > 0n)
      const state = yield* awaited(() => client.getLatestSuiSystemState())
      assert.deepStrictEqual([state.referenceGasPrice, state.epoch], ["742", checkpoint.epoch])
    })

    test("reads objects, lists the objects of an address, and reports objects that do not exist", function* (client) {
      const options = {
        showType: true,
        showOwner: true,
        showContent: true,
        showBcs: true,
        showPreviousTransaction: true
      }
      const owned = yield* awaited(() => client.getOwnedObjects({ owner, options }))
      assert.lengthOf(owned.data, 2 + tokens.length)
      const [first] = owned.data
      const id = first?.data?.objectId ?? ""
      const object = yield* awaited(() => client.getObject({ id, options }))
      assert.deepStrictEqual(object, first)
      const { content, owner: holder, type } = object.data ?? {}
      assert.deepStrictEqual([type, holder], [`0x2::coin::Coin<${sui}>`, { AddressOwner: owner }])
      const fields = content?.dataType === "moveObject" ? (content.fields as Record<string, unknown>) : {}
      assert.deepStrictEqual(fields.id, { id })
      assert.match(String(fields.balance), /^\d+$/)
      const [known, unknown] = yield* awaited(() => client.multiGetObjects({ ids: [id, stranger] }))
      assert.strictEqual(known?.data?.objectId, id)
      assert.deepStrictEqual(unknown?.error, { code: "notExists", object_id: stranger })
      const filtered = yield* awaited(() =>
        client.getOwnedObjects({ owner, filter: { StructType: `0x2::coin::Coin<${sui}>` } })
      )
      assert.lengthOf(filtered.data, 2)
      const refused = yield* rejected(client.getOwnedObjects({ owner, filter: { ObjectId: id } }))
      assert.match(refused.message, /ObjectId filter is not supported/)
    })

    testAlone("builds, signs and executes a transfer, and finds it afterwards", (client) =>
      Effect.gen(function* () {
        const bytes = yield* awaited(() => transfer(1_000_000n, stranger).build({ client }))
        const { signature } = yield* awaited(() => wallet.signTransaction(bytes))
        const options = {
          showEffects: true,
          showBalanceChanges: true,
          showObjectChanges: true,
          showInput: true,
          showEvents: true,
          showRawInput: true
        }
        const executed = yield* awaited(() =>
          client.executeTransactionBlock({ transactionBlock: bytes, signature, options })
        )
        assert.strictEqual(executed.digest, yield* awaited(() => Transaction.from(bytes).getDigest()))
        assert.deepStrictEqual(executed.effects?.status, { status: "success" })
        assert.deepInclude(executed.balanceChanges as never, {
          owner: { AddressOwner: stranger },
          coinType: sui,
          amount: "1000000"
        })
        assert.deepStrictEqual(
          executed.objectChanges?.map(({ type }) => type),
          ["mutated", "created"]
        )
        const found = yield* awaited(() => client.waitForTransaction({ digest: executed.digest, options }))
        assert.deepStrictEqual(found.effects, executed.effects)
        assert.deepStrictEqual(found.transaction, executed.transaction)
        const [amount, to] = Object(found.transaction?.data.transaction).inputs as ReadonlyArray<unknown>
        assert.deepStrictEqual(amount as unknown, { type: "pure", valueType: "u64", value: "1000000" })
        assert.deepStrictEqual(to as unknown, { type: "pure", valueType: "address", value: stranger })
        // Uses the client's own transaction decoder.
        const read = yield* awaited(() =>
          client.core.getTransaction({ digest: executed.digest, include: { transaction: true } })
        )
        assert.deepStrictEqual(read.Transaction?.signatures, [signature])
        assert.strictEqual(read.Transaction?.transaction?.sender, owner)
        const [many] = yield* awaited(() => client.multiGetTransactionBlocks({ digests: [executed.digest] }))
        assert.strictEqual(many?.digest, executed.digest)
      })
    )

    it.live("builds a transfer offline from the signing context only, and executes it", () =>
      Effect.gen(function* () {
        const { url } = yield* Proxy
        const client = new SuiJsonRpcClient({ url: `${url}/utils/rpc/sui`, network: "mainnet" })
        const context = yield* contextAt(url, "sui", owner, "sui")
        assert.strictEqual(BigInt(context.balance), World.native(Sui.info, owner))
        const transaction = transfer(1_000n, stranger)
        transaction.setGasPrice(BigInt(context.referenceGasPrice))
        transaction.setGasBudget(10_000_000n)
        transaction.setGasPayment(
          context.gasCoins.map(({ digest, objectId, version }) => ({ digest, objectId, version }))
        )
        transaction.setExpiration({ Epoch: context.epoch + 1 })
        // Without a client, the builder cannot query the chain.
        const bytes = yield* awaited(() => transaction.build())
        const { signature } = yield* awaited(() => wallet.signTransaction(bytes))
        const executed = yield* awaited(() =>
          client.executeTransactionBlock({ transactionBlock: bytes, signature, options: { showEffects: true } })
        )
        assert.strictEqual(executed.effects?.status.status, "success")
        const found = yield* awaited(() => client.getTransactionBlock({ digest: executed.digest }))
        assert.strictEqual(found.digest, executed.digest)
      }).pipe(Effect.provide(Proxy.layer))
    )

    test("gets the effects of a transfer in a dry run, and an error if it would fail", function* (client) {
      const bytes = yield* awaited(() => transfer(5n, stranger).build({ client }))
      const dry = yield* awaited(() => client.dryRunTransactionBlock({ transactionBlock: bytes }))
      assert.strictEqual(dry.effects.status.status, "success")
      assert.strictEqual(dry.input.sender, owner)
      assert.deepStrictEqual(dry.events, [])
      const tooMuch = yield* rejected(transfer(10n ** 18n, stranger).build({ client }))
      assert.match(tooMuch.message, /InsufficientCoinBalance/)
    })

    test("reads the history of an address in both directions", function* (client) {
      const filter = { FromOrToAddress: { addr: owner } } as const
      const options = { showEffects: true, showBalanceChanges: true }
      const newest = yield* awaited(() =>
        client.queryTransactionBlocks({ filter, options, limit: 2, order: "descending" })
      )
      const more = yield* awaited(() =>
        client.queryTransactionBlocks({ filter, limit: 2, order: "descending", cursor: newest.nextCursor ?? null })
      )
      const oldest = yield* awaited(() => client.queryTransactionBlocks({ filter, limit: 50, order: "ascending" }))
      assert.deepStrictEqual(
        [...newest.data, ...more.data].map(({ digest }) => digest),
        oldest.data
          .map(({ digest }) => digest)
          .reverse()
          .slice(0, 4)
      )
      assert.isAbove(Number(newest.data[0]?.timestampMs), Number(newest.data[1]?.timestampMs))
      const failed = yield* awaited(() => client.getTransactionBlock({ digest: newest.data[0]?.digest ?? "", options }))
      assert.deepStrictEqual(failed, newest.data[0])
    })

    test("gets the same errors as from the old API", function* (client) {
      const digest = "7xZ5AAjrybwwPjXh7ojKert5v7eSYgzWEREtKrhSGQ7d"
      const missing = yield* rejected(client.getTransactionBlock({ digest }))
      assert.strictEqual(missing.code, -32602)
      assert.strictEqual(missing.message, `Could not find the referenced transaction [TransactionDigest(${digest})].`)
      const forged = yield* awaited(() => transfer(1n, stranger).build({ client }))
      const { signature } = yield* awaited(() => Ed25519Keypair.generate().signTransaction(forged))
      const refused = yield* rejected(client.executeTransactionBlock({ transactionBlock: forged, signature }))
      assert.deepStrictEqual([refused.code, /signature/i.test(refused.message)], [-32002, true])
      const garbage = yield* rejected(client.dryRunTransactionBlock({ transactionBlock: new Uint8Array([0, 0, 1]) }))
      assert.strictEqual(garbage.code, -32602)
      const unsupported = yield* rejected(client.getValidatorsApy())
      assert.strictEqual(unsupported.code, -32601)
      assert.match(unsupported.message, /no longer serve JSON-RPC.*SUI_RPC_URLS/)
    })
  })
})
