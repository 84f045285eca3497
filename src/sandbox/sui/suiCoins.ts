import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as CoinType from "../../chains/sui/CoinType.ts"
import * as World from "../world/World.ts"
import * as SuiSystem from "./SuiSystem.ts"

export const canonical = (type: string) => Option.getOrElse(CoinType.canonical(type), () => type)

interface OwnedCoin {
  readonly type: string
  readonly amount: bigint
  readonly contract?: World.Contract
}

/** All coins of an address by canonical type, without those of balance zero. */
export const coinsOf = (facts: NetworkFacts, address: string): ReadonlyArray<OwnedCoin> =>
  [
    { type: CoinType.sui, amount: World.native(facts, address) },
    ...World.contractsOn(facts.platform).map((contract) => ({
      contract,
      type: canonical(contract.address),
      amount: World.tokenBalance(facts, contract, address)
    }))
  ].filter(({ amount }) => amount > 0n)

/** As the GraphQL service returns it. */
export const balance = (type: string, amount: bigint) => ({
  coinType: { repr: type },
  totalBalance: String(amount),
  coinBalance: String(amount),
  addressBalance: "0"
})

/** As the GraphQL service returns it; null where there is no such coin. */
export const metadata = (facts: NetworkFacts, type: string) => {
  const wanted = canonical(type)
  const coin = World.contractsOn(facts.platform).find(({ address }) => canonical(address) === wanted)
  const { native } = facts
  if (coin === undefined && wanted !== CoinType.sui) return null
  return {
    address: SuiSystem.objectId("metadata", wanted),
    decimals: coin?.decimals ?? native.decimals,
    symbol: coin?.coin.symbol.toUpperCase() ?? native.symbol,
    name: coin?.coin.name ?? native.name,
    description: "",
    iconUrl: null,
    supply: coin === undefined ? "10000000000000000000" : null
  }
}
