import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { encodeFunctionData, parseAbi } from "viem/utils"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { TransactionEstimate } from "../../../src/contract/EstimateApi.ts"
import { operatorFeeOf, withDataGas } from "../../../src/sandbox/evm/rollupFees.ts"
import { body, Service } from "../../support/app.ts"
import { inherited } from "../../support/hostile.ts"
import { holder } from "../../support/sandbox.ts"
import { assert, layer } from "../../support/vitest.ts"

const supported = Catalogue.all.filter(({ family, sunset }) => family === "evm" && sunset === undefined)
const usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
const transfer = (amount: bigint) =>
  encodeFunctionData({
    abi: parseAbi(["function transfer(address, uint256)"]),
    functionName: "transfer",
    args: [holder(2) as `0x${string}`, amount]
  })

const post = (value: unknown) => Effect.flatMap(Service, (service) => service.post("/transactions/estimate", value))

const estimate = (network: string, transaction: unknown) =>
  Effect.map(Effect.flatMap(post({ network, transaction }), body), Schema.decodeUnknownSync(TransactionEstimate))

const detail = (value: unknown) =>
  Effect.gen(function* () {
    const response = yield* post(value)
    const { detail } = yield* body<{ readonly detail: string }>(response)
    return `${response.status} ${detail}`
  })

const [from, to] = [holder(1), holder(2)]

layer(Service.layer())("POST /transactions/estimate", (it) => {
  it.effect("estimates a transfer, a call and a contract on every EVM network", () =>
    Effect.gen(function* () {
      for (const facts of supported) {
        const { accessList, accessListError, l1Fee, ...rest } = yield* estimate(facts.id, { from, to, value: "1" })
        const least = String(withDataGas(facts, 21_000n))
        assert.deepStrictEqual(
          rest,
          { network: facts.id, gas: least, gasWithAccessList: least, reason: null, nodeMessage: null },
          facts.id
        )
        assert.deepStrictEqual([accessList, accessListError], [[], undefined], facts.id)
        const created = yield* estimate(facts.id, { from, to: null, data: "0x6001" })
        assert.isAbove(Number(created.gas), 53_000, facts.id)
        if (!Object.hasOwn(facts, "dataFee")) assert.deepStrictEqual([l1Fee, created.l1Fee], [undefined, undefined])
        else
          for (const { gas, l1Fee: fee } of [{ gas: least, l1Fee }, created]) {
            const bytes = fee?.transactionBytes ?? Number.NaN
            // The price of the sandbox for each byte, with 68 bytes for the signature.
            assert.deepStrictEqual(
              fee,
              {
                feeWei: String((bytes + 68) * 16_000_000_000),
                operatorFeeWei: String(operatorFeeOf(facts, BigInt(gas ?? 0))),
                transactionBytes: bytes
              },
              facts.id
            )
          }
      }
    })
  )

  it.effect("estimates a call, and says why one fails", () =>
    Effect.gen(function* () {
      const { gas, reverts } = yield* estimate("ETH", {
        from: from.toUpperCase().replace("X", "x"),
        to: usdt,
        data: transfer(0n)
      })
      assert.deepStrictEqual([Number(gas) > 51_000, reverts], [true, undefined])
      const { accessListError, ...reverting } = yield* estimate("ethereum", {
        from,
        to: usdt,
        data: transfer(2n ** 255n)
      })
      assert.deepStrictEqual(
        { ...reverting, reverts: reverting.reverts?.reason },
        {
          network: "ethereum" as never,
          gas: null,
          accessList: null,
          gasWithAccessList: null,
          reverts: "ERC20: transfer amount exceeds balance",
          reason: null,
          nodeMessage: null
        }
      )
      const poor = yield* estimate("base", { from, to, value: String(2n ** 256n - 1n) })
      assert.deepStrictEqual([poor.gas, poor.l1Fee, poor.reason], [null, null, "insufficient_funds"])
    })
  )

  it.effect("lists the supported networks, and says what is wrong with a transaction", () =>
    Effect.gen(function* () {
      for (const network of ["moon", "solana", "", ...inherited])
        assert.match(
          yield* detail({ network, transaction: { from: "x" } }),
          /^400 .*network: must be one of ethereum, .*; it is "/,
          network
        )
      for (const [transaction, message] of [
        [{ from: "0x1", to }, /transaction\.from: an address is 0x and 40/],
        [{ from, to: "" }, /transaction\.to: an address is 0x and 40/],
        [{ from, to: usdt.replace("dAC", "dac") }, /transaction\.to: the mix of upper and lower case/],
        [{ from }, /transaction\.data: is missing/],
        [{ from, to: null, data: "0x" }, /transaction\.data: is missing/]
      ] as const)
        assert.match(yield* detail({ network: "eth", transaction }), message, JSON.stringify(transaction))
      assert.match(yield* detail({ network: "zkevm", transaction: { from, to } }), /^501 Polygon zkEVM was shut down/)
    })
  )
})
