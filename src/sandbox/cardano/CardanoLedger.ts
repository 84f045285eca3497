import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { usedAddresses } from "../../chains/cardano/providers/koios/KoiosBalances.ts"
import * as World from "../world/World.ts"
import * as CardanoChain from "./CardanoChain.ts"
import * as CardanoHistory from "./CardanoHistory.ts"
import * as CardanoOutputs from "./CardanoOutputs.ts"
import { poolOf } from "./CardanoPool.ts"
import { unlistedAssets } from "./cardanoMuseum.ts"

/** State of the simulated ledger. */
export interface CardanoLedger {
  readonly facts: NetworkFacts
  readonly histories: ReturnType<typeof CardanoHistory.histories>
  readonly sent: ReturnType<typeof poolOf>
  readonly outputs: ReturnType<typeof CardanoOutputs.outputs>
}

/** Lovelace in outputs; the rewards of an account are not included. */
export const spendable = (facts: NetworkFacts, address: string) =>
  address.startsWith("stake1") ? BigInt(account(facts, address).utxo) : World.native(facts, address)

/** Entry of an asset in the token registry. */
export const registered = ({ coin, decimals }: World.Contract) => ({
  name: coin.name,
  ticker: coin.symbol.toUpperCase(),
  decimals
})

/** `decimals` is null for assets that are in no registry. */
export const assetsOf = (facts: NetworkFacts, address: string) => {
  const others = Array.from(unlistedAssets(facts, address), ([unit, quantity]) => ({
    unit,
    decimals: null,
    quantity: String(quantity)
  }))
  const registered = World.contractsOn(facts.platform).flatMap(({ address: unit, decimals, ...contract }) => {
    const quantity = World.tokenBalance(facts, { address: unit, decimals, ...contract }, address)
    return quantity === 0n ? [] : [{ unit, decimals, quantity: String(quantity) }]
  })
  // The second and the last page of Blockfrost have registered assets.
  return [...others.slice(0, 150), ...registered.slice(0, 1), ...others.slice(150), ...registered.slice(1)]
}

/** Two thirds of an account's coins are at its addresses; the rest are rewards. */
export const account = (facts: NetworkFacts, address: string) => {
  const total = World.native(facts, address)
  const rewards = total / 3n
  return { total: String(total), rewards: String(rewards), utxo: String(total - rewards) }
}

export const used = (facts: NetworkFacts, address: string) =>
  usedAddresses.includes(address) || World.native(facts, address) > 0n

export const seconds = (now: number) => Math.floor(now / 1000)

export const newestBlock = (now: number) => CardanoChain.blockAt(CardanoChain.heightAt(seconds(now)), seconds(now))

export const ledgerOf = (facts: NetworkFacts): CardanoLedger => {
  const outputs = CardanoOutputs.outputs(facts)
  const sent = poolOf(facts, outputs)
  return { facts, histories: CardanoHistory.histories(facts, sent.senderOf), outputs, sent }
}
