import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { ChainFacts, Family } from "../catalogue/NetworkFacts.ts"

/** The abilities that a wallet app uses when a user opens it. */
export const openAbilities = ["balance", "history"] as const
export type OpenAbility = (typeof openAbilities)[number]

/** Calls per ability, of every upstream or by its name. */
type Calls = Readonly<Record<OpenAbility, number | Readonly<Record<string, number>>>>

const calls: Readonly<Record<Family, Calls>> = {
  // A history reads three lists; receipts, which complete some of its fees, are read from the nodes.
  evm: { balance: 1, history: 3 },
  tron: { balance: 1, history: 2 },
  utxo: { balance: 1, history: 1 },
  // One call, on these three networks, is for the decimals of tokens that no other wallet had. Blockfrost reads each
  // entry of a history with two calls.
  cardano: { balance: { koios: 2, blockfrost: 1 }, history: { koios: 3, blockfrost: 41 } },
  solana: { balance: 2, history: 4 },
  sui: { balance: 2, history: 2 },
  ton: { balance: 1, history: { toncenter: 3, tonapi: 1 } },
  ripple: { balance: 2, history: 1 },
  // Half of the calls of a history go to the relay chain, where DOT was until November 2025.
  polkadot: { balance: 1, history: 4 }
}

const gauge = Metric.gauge("open_calls", {
  description: "Calls to upstreams that opening a wallet costs, by network and ability"
})

/** Sets the gauges of a network, for its preferred upstream. */
export const measure = ({ family, id }: Pick<ChainFacts, "family" | "id">) =>
  Effect.forEach(
    openAbilities,
    (ability) => {
      const ofFamily = (calls as Readonly<Record<string, Calls>>)[family]?.[ability]
      const count = typeof ofFamily === "object" ? Object.values(ofFamily)[0] : ofFamily
      return count === undefined
        ? Effect.void
        : Metric.set(gauge.pipe(Metric.tagged("network", id), Metric.tagged("ability", ability)), count)
    },
    { discard: true }
  )

/**
 * Calls of an upstream for an ability when a wallet is opened: one address that was not read before, with its balances
 * or 20 entries of its history. Undefined for other abilities, and for networks of a custom build.
 */
export const openCalls = (
  { family }: Pick<ChainFacts, "family">,
  ability: string,
  upstream: string
): number | undefined => {
  // It reads several addresses at once; one address is read from the others.
  if (upstream === "bitcoin-blockchain-info") return undefined
  const ofFamily = (calls as Readonly<Record<string, Calls>>)[family]?.[ability as OpenAbility]
  return typeof ofFamily === "object" ? ofFamily[upstream] : ofFamily
}
