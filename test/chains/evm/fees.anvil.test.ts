import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { base } from "../../../src/catalogue/evm/base.ts"
import type { EvmFacts } from "../../../src/catalogue/evm/EvmFacts.ts"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { oracleAddress } from "../../../src/chains/evm/fees/l1Fee.ts"
import { fees } from "../../../src/chains/evm/fees.ts"
import * as EvmMethodPolicy from "../../../src/chains/evm/rpc/EvmMethodPolicy.ts"
import { sendable } from "../../../src/chains/evm/sending.ts"
import { decide } from "../../../src/chains/kit/sending/outcomes.ts"
import { levelNames } from "../../../src/domain/fees/Fees.ts"
import * as ProxyNodes from "../../../src/jsonrpc/proxy/ProxyNodes.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import * as Upstream from "../../../src/upstream/Upstream.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import * as Node from "../../support/anvil.ts"
import { eventually } from "../../support/process.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

const sender = privateKeyToAccount(`0x${"5".repeat(64)}`)
const recipient = "0x000000000000000000000000000000000000beef"

const feesAt = Effect.fnUntraced(function* (facts: EvmFacts) {
  const { url } = yield* Node.Anvil
  const nodes = yield* Upstream.make({ name: "test", urls: [url], canary: () => Effect.void })
  const found = yield* fees(facts, nodes, undefined).current
  assert(found.family === "evm")
  return found
})

/** Sends through the node as the service does: once, with one form of decision. */
const sending = Effect.gen(function* () {
  const { rpc, url } = yield* Node.Anvil
  const nodes = yield* Upstream.make({ name: "test", urls: [url], canary: () => Effect.void })
  const policy = EvmMethodPolicy.make({ chainId: 1, blockTime: 12_000, finality: 900 })
  const read = sendable({ rpc: yield* ProxyNodes.make(nodes, policy), chainId: 1 })
  return (request: object) =>
    Effect.gen(function* () {
      const raw = yield* Effect.promise(() =>
        sender.signTransaction({
          type: "eip1559",
          chainId: 1,
          to: recipient,
          value: 1n,
          gas: 21_000n,
          maxFeePerGas: 10n ** 11n,
          maxPriorityFeePerGas: 1n,
          ...request
        })
      )
      const signed = Either.getOrThrow(read(raw))
      const transaction = Effect.orDie(rpc("eth_getTransactionByHash", [signed.hash]))
      return yield* decide(
        signed,
        Effect.map(transaction, (found) => (found === null ? "replaced" : "pending"))
      )
    })
})

/** Sends a transfer and returns its cost once it is in a block. */
const paid = Effect.fnUntraced(function* (
  price: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint } | { gasPrice: bigint }
) {
  const { rpc } = yield* Node.Anvil
  const nonce = Number(yield* rpc("eth_getTransactionCount", [sender.address, "latest"]))
  const request = { chainId: 1, nonce, to: recipient, value: 1n, gas: 21_000n } as const
  const raw = yield* Effect.promise(() =>
    "gasPrice" in price
      ? sender.signTransaction({ ...request, ...price, type: "legacy" })
      : sender.signTransaction({ ...request, ...price, type: "eip1559" })
  )
  const hash = yield* rpc("eth_sendRawTransaction", [raw])
  // The node creates the block after it returns the hash.
  const found = yield* eventually(
    Effect.filterOrFail(rpc("eth_getTransactionReceipt", [hash]), (result) => result !== null)
  )
  const receipt = found as {
    readonly status: Hex
    readonly gasUsed: Hex
    readonly effectiveGasPrice: Hex
  }
  assert.strictEqual(receipt.status, "0x1")
  return String(BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice))
})

const funded = Effect.flatMap(Node.Anvil, ({ rpcs }) => rpcs([Node.withNative(sender.address, 10n ** 18n)]))

const around = (args: ReadonlyArray<string> = []) =>
  Layer.mergeAll(Node.layerWith(args), FetchClient.layer, Upstreams.layer, Settings.layer({}))

describe.skipIf(isMissing("anvil"))("fees of a real EVM node", () => {
  layer(around(), { excludeTestServices: true })("with EIP-1559", (it) => {
    it("confirm a transfer at each level at the predicted cost", function* () {
      yield* funded
      for (const name of levelNames) {
        const { basis, levels } = yield* feesAt(ethereum)
        assert.strictEqual(basis.eip1559, true)
        assert.strictEqual(basis.transferGas, "21000")
        const level = levels[name]
        const cost = yield* paid({
          maxFeePerGas: BigInt(level.maxFeePerGasWei ?? 0),
          maxPriorityFeePerGas: BigInt(level.maxPriorityFeePerGasWei ?? 0)
        })
        assert.strictEqual(cost, level.transferFeeBaseUnits, name)
      }
      const { levels } = yield* feesAt(ethereum)
      const price = levels.fast.gasPriceWei ?? ""
      assert.strictEqual(yield* paid({ gasPrice: BigInt(price) }), String(21_000n * BigInt(price)))
    })

    it("are sent once: a repeated transaction is known, and each refusal has its reason", function* () {
      yield* funded
      const { rpc } = yield* Node.Anvil
      const nonce = Number(yield* rpc("eth_getTransactionCount", [sender.address, "latest"]))
      const send = yield* sending
      for (const [request, alreadyKnown, reason] of [
        [{ nonce }, false, null],
        [{ nonce }, true, null],
        [{ nonce, value: 2n }, false, "nonce_too_low"],
        [{ nonce: nonce + 1, value: 10n ** 20n }, false, "insufficient_funds"],
        [{ nonce: nonce + 1, maxFeePerGas: 1n }, false, "fee_too_low"],
        [{ nonce: nonce + 1, gas: 20_000n }, false, "invalid"],
        [{ nonce: nonce + 1, chainId: 5 }, false, "wrong_chain"]
      ] as const) {
        const decision = yield* send(request)
        assert.deepInclude(decision, { accepted: reason === null, alreadyKnown, reason }, JSON.stringify(decision))
        yield* eventually(
          Effect.filterOrFail(
            rpc("eth_getTransactionCount", [sender.address, "latest"]),
            (count) => Number(count) > nonce
          )
        )
      }
    })

    it("include the data fee from the predeploy as a separate value", function* () {
      const { rpcs } = yield* Node.Anvil
      const onOpStack = { ...base, chainId: 1 }
      const before = yield* feesAt(onOpStack)
      assert.include(before.basis.l1Fee, { feeWei: null, errorCode: "bad_answer" })
      assert.strictEqual(before.levels.standard.transferFeeBaseUnits, null)
      assert.isNotNull(before.levels.standard.maxFeePerGasWei)
      // Returns 77 for every call.
      yield* rpcs([Node.withCode(oracleAddress, "0x604d60005260206000f3")])
      const { basis, levels } = yield* feesAt(onOpStack)
      assert.deepInclude(basis.l1Fee, { feeWei: "77", operatorFeeWei: "77" })
      for (const name of levelNames)
        assert.strictEqual(
          BigInt(levels[name].transferFeeBaseUnits ?? 0),
          21_000n * BigInt(levels[name].gasPriceWei ?? 0) + 154n
        )
    })
  })

  layer(around(["--hardfork", "berlin"]), { excludeTestServices: true })("without EIP-1559", (it) => {
    it("confirm a legacy transfer at each level at the predicted cost", function* () {
      yield* funded
      for (const name of levelNames) {
        const { basis, levels } = yield* feesAt(ethereum)
        assert.deepInclude(basis, { eip1559: false, baseFeePerGasWei: null })
        assert.deepInclude(levels[name], { maxFeePerGasWei: null, maxPriorityFeePerGasWei: null })
        const cost = yield* paid({ gasPrice: BigInt(levels[name].gasPriceWei ?? 0) })
        assert.strictEqual(cost, levels[name].transferFeeBaseUnits)
      }
    })
  })
})
