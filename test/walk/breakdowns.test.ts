import * as Effect from "effect/Effect"
import { parseUnits } from "viem/utils"
import { usedAddress } from "../../src/chains/cardano/providers/koios/KoiosBalances.ts"
import type { AddressContexts } from "../../src/contract/TransactionsApi.ts"
import type { Balance } from "../../src/domain/Balance.ts"
import { type Part, parts } from "../../src/domain/Breakdown.ts"
import type { TransactionContext } from "../../src/domain/TransactionContext.ts"
import { samples } from "../chains/families/samples.ts"
import { body, Service } from "../support/app.ts"
import { assert, layer } from "../support/vitest.ts"
import { ruleOf } from "./sums.ts"
import { live, makeWalk, type Network } from "./walk.ts"

const count = 8

const addressesOf = (info: Network) =>
  info.family === "cardano" ? [...samples(info, count), usedAddress.stake_address] : samples(info, count)

const networks = Object.fromEntries(live.map((info) => [info.id, addressesOf(info)]))

const detailed = Effect.gen(function* () {
  const { post } = yield* Service
  return yield* body<ReadonlyArray<Balance>>(yield* post("/balance?detail=true", { networks }))
})

/** Base units of a decimal. */
const units = (text: string | null | undefined, { native }: Network) => parseUnits(text ?? "0", native.decimals)

const sum = (amounts: ReadonlyArray<string>) => amounts.reduce((all, amount) => all + BigInt(amount), 0n)

/** Sums of amounts by asset, without those of zero. */
const byAsset = (amounts: ReadonlyArray<readonly [asset: string, amount: string]>) =>
  Object.fromEntries(
    [...Map.groupBy(amounts, ([asset]) => asset)].flatMap(([asset, own]) => {
      const all = sum(own.map(([, amount]) => amount))
      return all === 0n ? [] : [[asset, all]]
    })
  )

/** The parts of a balance and the tokens that a context lists: outputs, coin objects and token accounts. */
const listed = (context: TransactionContext) => {
  switch (context.family) {
    case "utxo": {
      const { coinbaseMaturity, utxos } = context
      const valueOf = (is: (output: (typeof utxos)[number]) => boolean) =>
        sum(utxos.filter(is).map(({ value }) => value))
      const isYoung = ({ coinbase, confirmations }: (typeof utxos)[number]) =>
        coinbase === true && confirmations < coinbaseMaturity
      return {
        parts: {
          unconfirmed: valueOf(({ confirmations }) => confirmations === 0),
          immature: valueOf((output) => output.confirmations > 0 && isYoung(output)),
          spendable: valueOf((output) => output.confirmations > 0 && output.spendable)
        }
      }
    }
    case "cardano":
      return {
        parts: { spendable: sum(context.utxos.map(({ lovelace }) => lovelace)) },
        tokens: byAsset(context.utxos.flatMap(({ assets }) => assets.map(({ quantity, unit }) => [unit, quantity])))
      }
    case "sui":
      return {
        parts: { spendable: sum([...context.gasCoins.map(({ balance }) => balance), context.addressBalance ?? "0"]) }
      }
    case "solana":
      return { parts: {}, tokens: byAsset(context.tokenAccounts.map(({ amount, mint }) => [mint, amount])) }
    default:
      return { parts: {} }
  }
}

layer(makeWalk().layer, { excludeTestServices: true })("detailed balances in the simulated world", (it) => {
  it("are the sum of their parts by each network's rule, and agree with balances without detail", function* () {
    const { post } = yield* Service
    const rows = yield* detailed
    const plain = yield* body<ReadonlyArray<Balance>>(yield* post("/balance", { networks }))
    const isNative = ({ tokenType }: Balance) => tokenType === "NATIVE"
    for (const info of live) {
      const { beside = [], within } = ruleOf(info)
      const own = rows.filter((row) => row.blockchain === info.id && isNative(row))
      assert.strictEqual(own.length, addressesOf(info).length)
      for (const { balance, breakdown = {}, holderAddress } of own) {
        const of = (part: Part) => units(breakdown[part], info)
        const known = parts.filter((part) => breakdown[part] !== undefined)
        assert.notProperty(breakdown, "error", holderAddress)
        assert.includeMembers([...within, ...beside], known)
        assert.include(known, "spendable", holderAddress)
        const sum = within.reduce((all, part) => all + of(part), 0n)
        assert.strictEqual(sum, units(balance, info), `${holderAddress} ${JSON.stringify(breakdown)}`)
        const before = plain.find(
          (row) => row.blockchain === info.id && row.holderAddress === holderAddress && isNative(row)
        )
        assert.strictEqual(before?.balance, balance)
        for (const part of parts) {
          const without = before?.breakdown?.[part]
          // Without detail, staked amounts count as reserved.
          const expected = part === "reserved" ? of("reserved") + of("staked") : of(part)
          if (without !== undefined) assert.strictEqual(units(without, info), expected, `${holderAddress} ${part}`)
        }
      }
      for (const part of beside)
        assert.isTrue(
          own.some(({ breakdown }) => units(breakdown?.[part], info) > 0n),
          `${info.id} ${part}`
        )
    }
  })

  it("are those of the outputs, coins and token accounts that transaction contexts list", function* () {
    const { post } = yield* Service
    const rows = yield* detailed
    const contexts = yield* body<typeof AddressContexts.Type>(yield* post("/utils/transaction-context", { networks }))
    for (const info of live)
      for (const address of addressesOf(info)) {
        const own = rows.filter((row) => row.blockchain === info.id && row.holderAddress === address)
        const native = own.find(({ tokenType }) => tokenType === "NATIVE")
        const context = contexts[info.id]?.[address]?.context
        assert(native !== undefined && context != null, address)
        if ("balance" in context) assert.strictEqual(BigInt(context.balance), units(native.balance, info), address)
        const entries = "utxos" in context ? context.utxos : "gasCoins" in context ? context.gasCoins : undefined
        if (entries !== undefined && "count" in context)
          assert.deepStrictEqual([context.count, context.truncated], [entries.length, false])
        const { parts, tokens } = listed(context)
        for (const [part, amount] of Object.entries(parts))
          assert.strictEqual(amount, units(native.breakdown?.[part as Part], info), `${address} ${part}`)
        if (tokens === undefined) continue
        const held = own.flatMap(({ balance, contractAddress, tokenDecimals }) =>
          contractAddress === null ? [] : [[contractAddress, String(parseUnits(balance ?? "", tokenDecimals))] as const]
        )
        assert.deepStrictEqual(tokens, byAsset(held), address)
      }
  })
})
