import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as CoinType from "../../chains/sui/CoinType.ts"
import { typeName } from "../../chains/sui/SuiWire.ts"
import { isBusy, spread } from "../world/busy.ts"
import * as Landmarks from "../world/Landmarks.ts"
import * as World from "../world/World.ts"
import * as SuiSystem from "./SuiSystem.ts"

export const canonical = (type: string) => Option.getOrElse(CoinType.canonical(type), () => type)

interface OwnedCoin {
  readonly type: string
  readonly amount: bigint
  readonly contract?: World.Contract
}

/** Non-zero coin balances of an address, by canonical type; a busy one has others between them. */
export const coinsOf = (facts: NetworkFacts, address: string): ReadonlyArray<OwnedCoin> => {
  const own: ReadonlyArray<OwnedCoin> = [
    { type: CoinType.sui, amount: World.native(facts, address) },
    ...World.contractsOn(facts.platform).map((contract) => ({
      contract,
      type: canonical(contract.address),
      amount: World.tokenBalance(facts, contract, address)
    }))
  ].filter(({ amount }) => amount > 0n)
  return spread(facts, address, own, 180, (index) => ({
    type: canonical(`${SuiSystem.objectId("busy", String(index))}::busy::BUSY`),
    amount: 1n
  }))
}

/** Coin objects with SUI of a busy address, and objects with its stakes, besides the first. */
const objectsOfBusy = 130

/** The part of a balance that is in no coin object. */
export const inAddress = (facts: NetworkFacts, address: string, type: string): bigint =>
  type === CoinType.sui && address === Landmarks.museum(facts) ? 1_000_000n : 0n

/** Balance in the format of the GraphQL service. */
export const balance = (type: string, amount: bigint, inAddress: bigint) => ({
  coinType: { repr: type },
  totalBalance: String(amount),
  coinBalance: String(amount - inAddress),
  addressBalance: String(inAddress)
})

/** Coin metadata in the format of the GraphQL service; null for an unknown coin. */
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
    supply: coin === undefined ? "10000000000000000000" : null,
    supplyState: null,
    regulatedState: "UNREGULATED",
    allowGlobalPause: null
  }
}

/** A coin object on the chain. */
export interface CoinObject {
  readonly id: string
  readonly owner: string
  readonly type: string
  readonly amount: bigint
  readonly contract?: World.Contract
  readonly version: number
  readonly digest: string
}

/** An amount in two objects, the second with its `share`; in many if the owner is busy. */
export const partsOf = (facts: World.InWorld, owner: string, amount: bigint, share: bigint): ReadonlyArray<bigint> => {
  if (!isBusy(facts, owner)) return [amount - amount / share, amount / share]
  const parts = Array.from({ length: objectsOfBusy }, (_, index) => amount / BigInt(objectsOfBusy + 1) + BigInt(index))
  return [amount - parts.reduce((sum, part) => sum + part), ...parts]
}

/** Coin objects of an owner: two for SUI, or many if it is busy; one for each other coin. Each event of the owner increases their versions. */
export const objectsOf = (
  facts: World.InWorld,
  owner: string,
  coins: ReadonlyArray<{ readonly type: string; readonly amount: bigint; readonly contract?: World.Contract }>
): ReadonlyArray<CoinObject> => {
  const events = [
    ...(facts.world?.state.final(facts.id, owner) ?? []),
    ...(facts.world?.state.pending(facts.id, owner) ?? [])
  ].length
  return coins.flatMap(({ amount, contract, type }) => {
    const parts = type !== CoinType.sui ? [amount] : partsOf(facts, owner, amount, 4n)
    return parts
      .filter((part) => part > 0n)
      .map((part, index) => {
        const id = SuiSystem.objectId(facts.id, owner, type, String(index))
        const version = 300_000_000 + Math.floor(World.randomOf(id) * 1e8) + events
        const token = contract === undefined ? {} : { contract }
        return { id, owner, type, amount: part, ...token, version, digest: SuiSystem.digest(id, String(version)) }
      })
  })
}

/** Object in the formats of both MoveObject and Object. */
export const objectWire = ({ amount, digest, id, owner, type, version }: CoinObject) => {
  const object = {
    address: id,
    version,
    digest,
    owner: { __typename: "AddressOwner", address: { address: owner } },
    previousTransaction: { digest: SuiSystem.digest("previous", id) },
    storageRebate: "988000",
    hasPublicTransfer: true,
    contents: SuiSystem.coin(type, id, amount)
  }
  return { ...object, asMoveObject: object, asMovePackage: null }
}

/** Whether an object's type matches the filter: a package, a module, or a type with or without type parameters. */
export const isOf = ({ type }: CoinObject, filter: unknown): boolean => {
  const { type: wanted } = (filter ?? {}) as { readonly type?: string }
  if (wanted === undefined) return true
  const [own, prefix] = [`0x2::coin::Coin<${typeName(type)}>`, typeName(wanted)]
  return own === prefix || own.startsWith(`${prefix}<`) || own.startsWith(`${prefix}::`)
}
