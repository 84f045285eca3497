import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { usedAddresses } from "../../chains/cardano/koios/kinds.ts"
import * as World from "../world/World.ts"
import * as CardanoChain from "./CardanoChain.ts"
import * as CardanoHistory from "./CardanoHistory.ts"
import type * as CardanoOutputs from "./CardanoOutputs.ts"
import type * as CardanoSent from "./CardanoSent.ts"

// What the simulated indexers of Cardano report, each in its own format.

/** The state of the simulated ledger. */
export interface CardanoLedger {
  readonly facts: NetworkFacts
  readonly histories: ReturnType<typeof CardanoHistory.histories>
  readonly sent: CardanoSent.CardanoPool
  readonly outputs: ReturnType<typeof CardanoOutputs.outputs>
}

/** What is in outputs: of an account its rewards are not. */
export const spendable = (facts: NetworkFacts, address: string) =>
  address.startsWith("stake1") ? BigInt(account(facts, address).utxo) : World.native(facts, address)

/** The token registry's entry of an asset. */
export const registered = ({ coin, decimals }: World.Contract) => ({
  name: coin.name,
  ticker: coin.symbol.toUpperCase(),
  decimals
})

export const split = (unit: string) => ({ policy_id: unit.slice(0, 56), asset_name: unit.slice(56) })

export const assetsOf = (facts: NetworkFacts, address: string) =>
  World.contractsOn(facts.platform).flatMap((contract) => {
    const quantity = World.tokenBalance(facts, contract, address)
    return quantity === 0n ? [] : [{ contract, quantity: String(quantity) }]
  })

/** Two thirds of an account's coins are on its addresses, the rest are rewards. */
export const account = (facts: NetworkFacts, address: string) => {
  const total = World.native(facts, address)
  const rewards = total / 3n
  return { total: String(total), rewards: String(rewards), utxo: String(total - rewards) }
}

export const used = (facts: NetworkFacts, address: string) =>
  usedAddresses.includes(address) || World.native(facts, address) > 0n

export const seconds = (now: number) => Math.floor(now / 1000)

export const newestBlock = (now: number) => CardanoChain.blockAt(CardanoHistory.heightAt(seconds(now)), seconds(now))
