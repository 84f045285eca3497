import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { TransactionReplacement } from "../../../src/contract/ReplacementApi.ts"
import type { SentTransaction } from "../../../src/contract/SendingApi.ts"
import type { TransactionContext } from "../../../src/domain/TransactionContext.ts"
import { body, Service } from "../../support/app.ts"
import { inherited } from "../../support/hostile.ts"
import { evmSigner, witnessSigner } from "../../support/signers.ts"
import { simulated } from "../../support/simulated.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const evmNetworks = Catalogue.all.filter(({ family, sunset }) => family === "evm" && sunset === undefined)

const utxoMinimum = ({ minimum, network }: TransactionReplacement) =>
  minimum !== null && "vbytes" in minimum ? minimum : assert.fail(network)

/** A wallet's requests to a service over the sandbox, on a clock that the test advances. */
const wallet = Effect.gen(function* () {
  const { finish, live, pass } = simulated(Date.UTC(2026, 10, 20))
  const service = Context.get(yield* live(Layer.build(Service.layer())), Service)
  const post = (path: string, value: unknown) =>
    Effect.flatMap(finish(service.post(path, value)), ({ outcome }) => outcome)
  const answerOf = <A>(path: string, value: unknown) =>
    Effect.flatMap(post(path, value), (response) => body<A>(response))
  return {
    pass,
    post: (value: unknown) => post("/transactions/replacement", value),
    contexts: (addresses: Readonly<Record<string, string>>) =>
      Effect.map(
        answerOf<Record<string, Record<string, { readonly context: TransactionContext | null }>>>(
          "/utils/transaction-context",
          { networks: Object.fromEntries(Object.entries(addresses).map(([id, address]) => [id, [address]])) }
        ),
        (answer) => (id: string) => (answer[id]?.[addresses[id] ?? ""]?.context ?? assert.fail(id)) as never
      ),
    decide: (network: string, transaction: string) =>
      Effect.map(
        answerOf<SentTransaction>("/transactions/send", { network, transaction }),
        ({ reason }) => reason ?? "accepted"
      ),
    replacement: (network: string, hash: string) =>
      Effect.map(
        answerOf<TransactionReplacement>("/transactions/replacement", { network, hash }),
        Schema.decodeUnknownSync(TransactionReplacement)
      )
  }
})

describe("POST /transactions/replacement", () => {
  it("returns the least that EVM nodes accept, and the cost of cancelling", function* () {
    const { contexts, decide, pass, replacement } = yield* wallet
    const signers = new Map(evmNetworks.map((facts) => [facts, evmSigner(facts.id)]))
    const contextOf = yield* contexts(Object.fromEntries([...signers].map(([{ id }, { sender }]) => [id, sender])))
    for (const [{ id, ...facts }, { cancel, pay }] of signers) {
      const sent = yield* Effect.promise(() => pay(contextOf(id)))
      assert.strictEqual(yield* decide(id, sent.raw), "accepted", id)
      const { hash, kind, minimum, reason, status, transfer } = yield* replacement(id, sent.hash.toUpperCase())
      assert.deepStrictEqual([hash, status, kind, reason], [sent.hash, "pending", "replace", undefined], id)
      const { maxFeePerGasWei, maxPriorityFeePerGasWei, nonce, ...others } =
        minimum !== null && "nonce" in minimum ? minimum : assert.fail(id)
      assert.deepStrictEqual(others, { gasPriceWei: null, maxFeePerBlobGasWei: null }, id)
      const gas = BigInt(transfer?.gas ?? "")
      const least = {
        maxFeePerGas: BigInt(maxFeePerGasWei ?? ""),
        maxPriorityFeePerGas: BigInt(maxPriorityFeePerGasWei ?? "")
      }
      const data = BigInt(transfer?.feeBaseUnits ?? "") - gas * least.maxFeePerGas
      assert.deepStrictEqual([data > 0n, data < 10n ** 13n], [Object.hasOwn(facts, "dataFee"), true], id)
      const cancelled = (fees: Partial<typeof least>) =>
        Effect.flatMap(
          Effect.promise(() => cancel({ nonce, gas, ...least, ...fees })),
          ({ raw }) => decide(id, raw)
        )
      assert.deepStrictEqual(
        [
          yield* cancelled({ maxFeePerGas: least.maxFeePerGas - 1n }),
          yield* cancelled({ maxPriorityFeePerGas: least.maxPriorityFeePerGas - 1n }),
          yield* cancelled({})
        ],
        ["replacement_underpriced", "replacement_underpriced", "accepted"],
        id
      )
    }
    yield* pass(20_000)
    const { hash } = yield* Effect.promise(() => evmSigner("ethereum").pay(contextOf("ethereum")))
    const { kind, minimum, reason, transfer } = yield* replacement("ethereum", hash)
    assert.deepStrictEqual(
      [kind, minimum, transfer, reason],
      [null, null, null, "another transaction has replaced it already"]
    )
  })

  it("returns the least fee that nodes of Bitcoin accept, for a new payment and for cancelling", function* () {
    const { contexts, decide, replacement } = yield* wallet
    const { cancel, pay, sender } = witnessSigner("bitcoin")
    const context = (yield* contexts({ bitcoin: sender }))("bitcoin")
    const first = yield* Effect.promise(() => pay(context))
    assert.strictEqual(yield* decide("bitcoin", first.raw), "accepted")
    const answer = yield* replacement("bitcoin", first.hash)
    assert.deepStrictEqual([answer.status, answer.kind, answer.reason], ["pending", "replace", undefined])
    const minimum = utxoMinimum(answer)
    assert.deepStrictEqual([minimum.replacedFeeBaseUnits, minimum.incrementalSatPerVbyte], ["1000", "1"])
    const fee = BigInt(minimum.feeBaseUnits)
    const pays = (paid: bigint) =>
      Effect.flatMap(
        Effect.promise(() => pay(context, undefined, paid)),
        ({ hash, raw }) => Effect.map(decide("bitcoin", raw), (decision) => ({ decision, hash }))
      )
    assert.strictEqual((yield* pays(fee - 1n)).decision, "replacement_underpriced")
    const second = yield* pays(fee)
    assert.strictEqual(second.decision, "accepted")
    assert.strictEqual((yield* replacement("bitcoin", first.hash)).kind, null)

    const { transfer } = yield* replacement("bitcoin", second.hash)
    assert.isBelow(transfer?.vbytes ?? Number.NaN, minimum.vbytes)
    const cost = BigInt(transfer?.feeBaseUnits ?? "")
    assert.strictEqual(yield* decide("bitcoin", cancel(context, cost - 1n).raw), "replacement_underpriced")
    assert.strictEqual(yield* decide("bitcoin", cancel(context, cost).raw), "accepted")
  })

  it("returns the fee of a child on Litecoin, whose nodes replace nothing", function* () {
    const { contexts, decide, replacement } = yield* wallet
    const { pay, sender } = witnessSigner("litecoin")
    const context = (yield* contexts({ litecoin: sender }))("litecoin")
    const { hash, raw } = yield* Effect.promise(() => pay(context))
    assert.strictEqual(yield* decide("litecoin", raw), "accepted")
    const answer = yield* replacement("litecoin", hash)
    assert.deepStrictEqual([answer.status, answer.kind, answer.transfer], ["pending", "child", null])
    const { feeBaseUnits, replacedFeeBaseUnits, satPerVbyte, vbytes } = utxoMinimum(answer)
    assert.deepStrictEqual([replacedFeeBaseUnits, vbytes], [null, 141])
    assert.isAtLeast(Number(feeBaseUnits), vbytes)
    assert.isAtMost(Number(feeBaseUnits), Number(satPerVbyte) * vbytes)
    const dear = yield* Effect.promise(() => pay(context, undefined, 40_000n))
    assert.strictEqual(yield* decide("litecoin", dear.raw), "already_spent")
  })

  it("lists the supported networks, and says what is wrong with a hash", function* () {
    const { post } = yield* wallet
    const hash = `0x${"1".repeat(64)}`
    const detail = (value: unknown) =>
      Effect.gen(function* () {
        const response = yield* post(value)
        const { detail } = yield* body<{ readonly detail: string }>(response)
        return `${response.status} ${detail}`
      })
    for (const network of ["moon", "sui", "", ...inherited])
      assert.match(yield* detail({ network, hash }), /^400 .*network: must be one of ethereum, .*; it is "/, network)
    for (const wrong of ["", "0x1", `${hash}00`])
      assert.match(yield* detail({ network: "ETH", hash: wrong }), /^400 .*hash: a transaction hash has 64/, wrong)
    assert.match(yield* detail({ network: "zkevm", hash }), /^501 Polygon zkEVM was shut down/)
    for (const wrong of [
      null,
      [],
      {},
      { network: "eth" },
      { network: "eth", hash: 1 },
      { network: "eth", hash, more: 1 }
    ])
      assert.match(yield* detail(wrong), /^400 /, JSON.stringify(wrong))
  })
})
