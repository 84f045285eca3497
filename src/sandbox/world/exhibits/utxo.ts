import { type Exhibit, sends } from "./exhibit.ts"

/** Parties of large transactions. BlockCypher lists at most 200 outputs in one response. */
export const manyInputs = 115
export const manyOutputs = 250

/** Exhibits of a network of the Bitcoin family, oldest first. */
export const utxo = (): ReadonlyArray<Exhibit> => [
  { ...sends("reward"), direction: "in", amount: 312_500_000n, fee: 0n },
  sends("data only"),
  sends("many inputs", { amount: 1_000n * BigInt(manyInputs) }),
  sends("many outputs", { amount: 1_000n * BigInt(manyOutputs) }),
  sends("bare key", { amount: 10_000n, fee: 0n })
]
