import * as Schema from "effect/Schema"
import * as Call from "../../../../upstream/Call.ts"
import { Count } from "../../amounts.ts"
import type { ParsedTransaction } from "../../rawTransactions/UtxoTransaction.ts"

// The methods of bitcoind and its forks. Errors have the HTTP status 500.

/** The address of the documentation. @public */
export const documentation = "https://developer.bitcoin.org/reference/rpc"

export const blockCount = Call.rpc("getblockcount", { params: () => [] as const, response: Count })

/** Coins per 1,000 virtual bytes. */
export const smartFee = Call.rpc("estimatesmartfee", {
  note: "Has no rate while the node has no estimate.",
  params: ({ blocks }: { readonly blocks: number }) => [blocks] as const,
  response: Schema.Struct({ feerate: Schema.optional(Schema.Number) })
})

export const estimateFee = Call.rpc("estimatefee", {
  note: "Of nodes without `estimatesmartfee` (Bitcoin Cash Node).",
  params: () => [] as const,
  response: Schema.Number
})

export const mempoolInfo = Call.rpc("getmempoolinfo", {
  params: () => [] as const,
  response: Schema.Struct({ mempoolminfee: Schema.Number })
})

export const submit = Call.rpc("sendrawtransaction", {
  params: ({ hex }: Pick<ParsedTransaction, "hex">) => [hex] as const,
  response: Schema.String
})

export const raw = Call.rpc("getrawtransaction", {
  note: "Without an index of transactions (`-txindex`), finds only those in the mempool.",
  params: ({ hash }: { readonly hash: string }) => [hash] as const,
  response: Schema.String
})
