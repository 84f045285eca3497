import * as Effect from "effect/Effect"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import type { Fees } from "../../../src/domain/fees/Fees.ts"
import * as EvmLedger from "../../../src/sandbox/evm/EvmLedger.ts"
import { body, Service } from "../../support/app.ts"
import { editedSandbox } from "../../support/editedSandbox.ts"
import { as } from "../../support/fees.ts"
import { holders } from "../../support/sandbox.ts"
import { networks } from "../../support/tier.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** A transfer at the standard level: its fee, what its gas costs, and the rest of the response. */
const standardOf = (network: string) =>
  Effect.gen(function* () {
    const { get } = yield* Service
    const fees = as("evm", yield* body<Fees>(yield* get(`/utils/fees/${network}`)))
    const { basis, levels } = fees
    const { gasPriceWei, transferFeeBaseUnits } = levels.standard
    const gas = BigInt(basis.transferGas ?? -1)
    return { gas, l1Fee: basis.l1Fee, paid: BigInt(transferFeeBaseUnits ?? -1) - gas * BigInt(gasPriceWei ?? -1) }
  }).pipe(Effect.provide(Service.layer()))

/** Plain transfers of the past. */
const transfersOf = (network: string) => {
  const facts = Catalogue.all.find(({ id }) => id === network)
  assert.isDefined(facts)
  const chain = EvmLedger.make(facts)
  return holders(8).flatMap((holder) => chain.of(holder).filter(({ input }) => input === "0x"))
}

const rollups = networks.flatMap(({ id, ...facts }) => ("dataFee" in facts ? [id] : []))

/** The own transactions of some holders with their fees, from a service whose nodes' answers are edited. */
const ownFees = (network: string, explorer: string, edit: (text: string) => string) =>
  Effect.gen(function* () {
    const { post } = yield* Service
    const response = yield* post("/history", { networks: { [network]: holders(4) }, limit: 100 })
    const all = yield* body<Record<string, Record<string, ReadonlyArray<HistoryEntry>>>>(response)
    return Object.entries(all[network] ?? {}).flatMap(([holder, entries]) =>
      entries.flatMap(({ fee, from }) => (from.some(({ address }) => address === holder) ? [BigInt(fee ?? -1)] : []))
    )
  }).pipe(
    Effect.provide(
      Service.layer(
        {},
        editedSandbox((text, { upstream }) =>
          upstream === `${network}-rpc`
            ? edit(text)
            : upstream === "etherscan" && explorer !== upstream
              ? refusal
              : text
        )
      )
    )
  )

const refusal = JSON.stringify({ status: "0", message: "NOTOK", result: "Missing/Invalid API Key" })

const unchanged = (text: string) => text
const sum = (fees: ReadonlyArray<bigint>) => fees.reduce((all, fee) => all + fee, 0n)
const more = 10n ** 15n

/** Every data fee, higher by 0.001 ETH. */
const dearer = (text: string) =>
  text.replace(/"l1Fee":"(0x[0-9a-f]+)"/g, (_, fee: string) => `"l1Fee":"0x${(BigInt(fee) + more).toString(16)}"`)

describe("the data fees of the sandbox", () => {
  for (const [network, operatorFee] of [
    ["optimism", 0n],
    ["base", 500_000_042_000n]
  ] as const)
    it.live(`are in the fees of a transfer as in the receipts: ${network}`, function* () {
      const { gas, l1Fee, paid } = yield* standardOf(network)
      assert.strictEqual(gas, 21_000n)
      const feeWei = BigInt(l1Fee?.feeWei ?? -1)
      assert.strictEqual(l1Fee?.operatorFeeWei, String(operatorFee))
      assert.strictEqual(paid, feeWei + operatorFee)
      const past = transfersOf(network).filter(({ price }) => price > 0n)
      assert.isAbove(past.length, 3)
      // The examples are as long as a payment, give or take some bytes.
      for (const { dataFee } of past) assert.closeTo(Number(dataFee) / Number(feeWei), 1, 0.1)
    })

  it.live("are gas on arbitrum, also in the estimate of a transfer", function* () {
    const { gas, l1Fee, paid } = yield* standardOf("arbitrum")
    assert.deepStrictEqual([gas, l1Fee, paid], [28_000n, undefined, 0n])
    assert.deepStrictEqual([...new Set(transfersOf("arbitrum").map(({ gas }) => gas))], [gas])
  })

  for (const explorer of ["etherscan", "blockscout"])
    for (const network of rollups)
      it.live(`are a part of every fee that a history reports: ${network}, ${explorer}`, function* () {
        const fees = yield* ownFees(network, explorer, unchanged)
        assert.isAbove(fees.length, 10)
        assert.isTrue(fees.every((fee) => fee > 0n))
        const higher = yield* ownFees(network, explorer, dearer)
        assert.strictEqual(sum(higher) - sum(fees), more * BigInt(fees.length))
        // Without the member, the fee is unknown: no list has it.
        const without = yield* ownFees(network, explorer, (text) => text.replaceAll('"l1Fee"', '"l1"'))
        assert.deepStrictEqual(
          without,
          fees.map(() => -1n)
        )
      })
})
