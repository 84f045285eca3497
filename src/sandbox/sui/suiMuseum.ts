import { createHash } from "node:crypto"
import * as CoinType from "../../chains/sui/CoinType.ts"
import { zero } from "../../chains/sui/SuiWire.ts"
import type { Move } from "../world/ledger.ts"
import { outOfCoins } from "./SuiExecution.ts"

/** A change of an address' balance of a coin. */
export interface SuiChange {
  readonly address: string
  readonly coinType: string
  readonly amount: bigint
}

const recipient = (seed: string, index: number) => `0x${createHash("sha256").update(`${seed} ${index}`).digest("hex")}`

/** Pays the gas of the museum, or lets the museum pay its gas. */
const thirdParty = `0x${"7".repeat(64)}`

/** Changes of an exhibit; `usual` are those of other transactions with its move. */
export const changesOf = (
  { amount, exhibit, seed }: Move,
  usual: ReadonlyArray<SuiChange>
): ReadonlyArray<SuiChange> => {
  const paid = (first: number, amounts: ReadonlyArray<bigint>) => [
    ...amounts.map((part, index) => ({
      address: recipient(seed, first + index),
      coinType: CoinType.sui,
      amount: part
    })),
    // The sender is the last.
    ...usual.filter((change) => change.amount < 0n)
  ]
  switch (exhibit) {
    case "two recipients":
      return paid(0, [500n, 300n])
    case "many recipients":
      return paid(
        2,
        Array.from({ length: Number(amount) }, () => 1n)
      )
    case "sponsored":
      return [...usual, { address: thirdParty, coinType: CoinType.sui, amount: -1_997_880n }]
    case "sponsor":
      return [
        { address: recipient(seed, 0), coinType: CoinType.sui, amount: 70n },
        { address: thirdParty, coinType: CoinType.sui, amount: -70n },
        ...usual
      ]
    case "negative fee":
      return usual.filter(({ amount, coinType }) => coinType !== CoinType.sui || amount > 0n)
    default:
      return usual
  }
}

/** Costs of storage and computation of an exhibit; undefined if they are the usual ones. */
export const gasOf = ({ exhibit }: Move) => {
  switch (exhibit) {
    case "negative fee":
      return { computationCost: 740_000, storageCost: 3_632_800, storageRebate: 4_574_592 }
    case "failed in a command":
      return { computationCost: 1_000_000, storageCost: 7_904_000, storageRebate: 7_824_960 }
    case "sponsored":
      return { computationCost: 1_000_000, storageCost: 1_976_000, storageRebate: 978_120 }
    case "sponsor":
      return { computationCost: 2_000_000, storageCost: 1_976_000, storageRebate: 978_120 }
    default:
      return undefined
  }
}

/** The sender, the payer of the gas, and the kind of an exhibit. */
export const signedOf = ({ exhibit }: Move, usual: string) => ({
  sender: { address: exhibit === "system" ? zero : exhibit === "sponsor" ? thirdParty : usual },
  gasInput: {
    gasSponsor: { address: exhibit === "system" ? zero : exhibit === "sponsored" ? thirdParty : usual }
  },
  kind: { __typename: exhibit === "system" ? "ConsensusCommitPrologueTransaction" : "ProgrammableTransaction" }
})

export const errorOf = ({ exhibit }: Move) =>
  exhibit === "failed in a command" ? { ...outOfCoins, message: "InsufficientCoinBalance in command 2" } : outOfCoins

/** The type of a coin; older versions of the schema return it as a text. */
export const typeOf = ({ exhibit }: Move, coinType: string) =>
  exhibit === "two recipients" ? coinType : { repr: coinType }
