import * as Effect from "effect/Effect"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import type { Family, NetworkFacts } from "../../src/catalogue/NetworkFacts.ts"
import { accounts } from "../../src/chains/cardano/koios/KoiosBalances.ts"
import type { Balance } from "../../src/domain/Balance.ts"
import { type Part, parts } from "../../src/domain/Breakdown.ts"
import { samples } from "../chains/families/samples.ts"
import { body, Service } from "../support/app.ts"
import { assert, layer } from "../support/vitest.ts"

interface Rule {
  /** The parts whose sum is the balance. */
  readonly within: ReadonlyArray<Part>
  /** Parts that the balance does not include. */
  readonly beside?: ReadonlyArray<Part>
}

/** The rules of docs/networks.md. */
const rules: Readonly<Record<Family, Rule>> = {
  evm: { within: ["spendable"] },
  ton: { within: ["spendable"] },
  cardano: { within: ["spendable", "rewards"] },
  polkadot: { within: ["spendable", "reserved", "staked"] },
  ripple: { within: ["spendable", "reserved"] },
  solana: { within: ["spendable", "reserved"], beside: ["staked"] },
  sui: { within: ["spendable"], beside: ["staked"] },
  tron: { within: ["spendable"], beside: ["staked", "rewards"] },
  utxo: { within: ["spendable", "unconfirmed", "immature"] }
}

const count = 8

const live = Catalogue.all.filter(({ sunset }) => sunset === undefined)

const addressesOf = (info: NetworkFacts) =>
  info.family === "cardano" ? [...samples(info, count), accounts.usedAddress] : samples(info, count)

const networks = Object.fromEntries(live.map((info) => [info.id, addressesOf(info)]))

/** Base units of a decimal. */
const units = (text: string | null | undefined, { native }: NetworkFacts): bigint => {
  const [whole = "", rest = ""] = (text ?? "0").split(".")
  return BigInt(whole + rest.padEnd(native.decimals, "0"))
}

layer(Service.layer(), { excludeTestServices: true })("detailed balances in the simulated world", (it) => {
  it("are the sum of their parts by each network's rule, and agree with balances without detail", function* () {
    const { post } = yield* Service
    const natives = (path: string) =>
      Effect.map(Effect.flatMap(post(path, { networks }), body<ReadonlyArray<Balance>>), (rows) =>
        rows.filter(({ tokenType }) => tokenType === "NATIVE")
      )
    const [detailed, plain] = [yield* natives("/balance?detail=true"), yield* natives("/balance")]
    for (const info of live) {
      const { beside = [], within } = rules[info.family]
      const own = detailed.filter(({ blockchain }) => blockchain === info.id)
      assert.strictEqual(own.length, addressesOf(info).length)
      for (const { balance, breakdown = {}, holderAddress } of own) {
        const of = (part: Part) => units(breakdown[part], info)
        const known = parts.filter((part) => breakdown[part] !== undefined)
        assert.notProperty(breakdown, "error", holderAddress)
        assert.includeMembers([...within, ...beside], known)
        assert.include(known, "spendable", holderAddress)
        const sum = within.reduce((all, part) => all + of(part), 0n)
        assert.strictEqual(sum, units(balance, info), `${holderAddress} ${JSON.stringify(breakdown)}`)
        const before = plain.find((row) => row.blockchain === info.id && row.holderAddress === holderAddress)
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
})
