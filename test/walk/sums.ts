import type { Family } from "../../src/catalogue/NetworkFacts.ts"
import type { HistoryEntry, Party } from "../../src/contract/HistoryApi.ts"
import type { Part } from "../../src/domain/Breakdown.ts"
import type { Network } from "./walk.ts"

/** The key of the native coin. */
export const native = ""

const assetOf = ({ currency }: Party) => (typeof currency === "object" ? currency.address : (currency ?? native))

/** Received minus sent amounts and the holder's fees of each asset that a balance includes, base units. */
export const sums = (
  { family }: Pick<Network, "family">,
  holder: string,
  entries: ReadonlyArray<HistoryEntry>
): Map<string, bigint> => {
  const all = new Map<string, bigint>()
  const add = (asset: string, amount: bigint) => all.set(asset, (all.get(asset) ?? 0n) + amount)
  for (const { fee, from, status, to } of entries) {
    // The indexers of the Bitcoin family include unconfirmed amounts in the balance.
    if (status === "Pending" && family !== "utxo") continue
    for (const party of to) if (party.address === holder) add(assetOf(party), BigInt(party.amount))
    for (const party of from) if (party.address === holder) add(assetOf(party), -BigInt(party.amount))
    if (from.some(({ address }) => address === holder)) add(native, -BigInt(fee ?? 0))
  }
  return all
}

/** NFTs have no amounts. */
export const isOfNfts = (what: string) => what.startsWith("NFT transfers:")

/** No list of transactions contains withdrawals of validators, imports from other chains, rewards or minted jettons. */
export const isUnlisted = (what: string) =>
  /withdraw|imports from|staking rewards|of miners|minted jettons/.test(what) || isOfNfts(what)

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

/** The rule of a network: outputs with tokens exist only on bch. */
export const ruleOf = ({ family, id }: Network): Rule =>
  id === "bch" ? { within: [...rules.utxo.within, "reserved"] } : rules[family]
