import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"
import { manyInputs, manyOutputs } from "../world/exhibits/utxo.ts"
import type { Move } from "../world/ledger.ts"
import type { RawSide } from "./utxoRaw.ts"

/** The public key of the first block, and its hash. */
const key =
  "04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5f"
const keyHash = Buffer.from("62e907b15cbf27d5425399ebf6f0fb50ebb88f18", "hex")

/** Equal parts of an amount; the first one also has the remainder. */
const parts = (amount: bigint, count: number): ReadonlyArray<bigint> => {
  const part = amount / BigInt(count)
  return Array.from({ length: count }, (_, index) => (index === 0 ? amount - part * BigInt(count - 1) : part))
}

/** Spent and new outputs of an exhibit; undefined for other moves. `payee` makes an address for an index. */
export const exhibited = (
  { coding }: UtxoFacts,
  { amount, exhibit, fee }: Move,
  holder: string,
  payee: (index: number) => string
): { readonly spent: ReadonlyArray<RawSide>; readonly paid: ReadonlyArray<RawSide> } | undefined => {
  const spent = [{ address: holder, amount: amount + fee }]
  switch (exhibit) {
    case "reward":
      return { spent: [], paid: [{ address: holder, amount }, { amount: 0n }] }
    case "data only":
      return { spent, paid: [{ amount: 0n }] }
    case "many inputs":
      return {
        spent: parts(amount + fee, manyInputs).map((part) => ({ address: holder, amount: part })),
        paid: [{ address: payee(0), amount }]
      }
    case "many outputs":
      return { spent, paid: parts(amount, manyOutputs).map((part, index) => ({ address: payee(index), amount: part })) }
    case "bare key": {
      const address = UtxoAddress.encode(coding, { kind: "keyHash", hash: keyHash })
      return { spent, paid: [{ amount, key: { hex: key, address } }] }
    }
    default:
      return undefined
  }
}
