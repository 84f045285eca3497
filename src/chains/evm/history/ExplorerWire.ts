import type * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { evmSupply } from "../../../catalogue/EvmFacts.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import { uint256 } from "../../amounts.ts"

// The account module of Etherscan (docs.etherscan.io/api-reference), as Blockscout and Routescan speak it too.

/** What is asked of an explorer: an address's own transactions, the value that contracts moved for it, its tokens. */
export const kinds = ["txlist", "txlistinternal", "tokentx"] as const
export type Kind = (typeof kinds)[number]

const digits = Schema.String.pipe(Schema.pattern(/^\d+$/))

/** An amount that can be: no explorer is to be believed that more was moved than there is. */
const upTo = (most: bigint) =>
  Schema.String.pipe(
    Schema.pattern(/^\d{1,78}$/),
    Schema.filter((text) => BigInt(text) <= most)
  )

/** Some fields are left empty, or out, where a source has nothing to say. */
const number = Schema.optional(Schema.NullOr(Schema.Union(digits, Schema.Literal(""))))
const text = Schema.optional(Schema.NullOr(Schema.String))

const common = {
  /** Empty while the transaction waits for a block. */
  blockNumber: Schema.optional(Schema.NullOr(Schema.Union(digits, Schema.Literal("")))),
  timeStamp: number,
  from: Schema.String,
  /** Empty where a contract is made. */
  to: text,
  contractAddress: text,
  transactionIndex: number,
  isError: text
}

/** What a transaction costs belongs to the whole of it, on whichever list it stands. */
const gas = {
  gasUsed: number,
  gasPrice: number,
  /** What OP-stack networks charge beside gas: Etherscan has one name for it, Blockscout from v12 on another. */
  L1FeesPaid: text,
  l1Fee: text,
  operatorFee: text
}

const Own = Schema.Struct({
  ...common,
  ...gas,
  /** `GENESIS_` and the address for what an address was given before the first block. */
  hash: Schema.String,
  value: upTo(evmSupply),
  nonce: number,
  input: text,
  /** Empty before Byzantium, when receipts had no status. */
  txreceipt_status: text
})
export type Own = typeof Own.Type

/** Etherscan says `hash` and `traceId`, Blockscout `transactionHash` and `index`: the place of the call. */
const Internal = Schema.Struct({
  ...common,
  hash: text,
  transactionHash: text,
  value: upTo(evmSupply),
  type: text,
  callType: text,
  traceId: text,
  index: text
})
export type Internal = typeof Internal.Type

const Token = Schema.Struct({
  ...common,
  ...gas,
  hash: Schema.String,
  contractAddress: Schema.String,
  /** Missing, and with a `tokenID`, where it is no ERC-20: Blockscout lists all kinds of tokens. */
  value: Schema.optional(Schema.NullOr(Schema.Union(upTo(uint256), Schema.Literal("")))),
  tokenID: text,
  /** The place of the event, where a source tells it: without it equal rows may be several transfers. */
  logIndex: text
})
export type Token = typeof Token.Type

export interface ExplorerRows {
  readonly txlist: Own
  readonly txlistinternal: Internal
  readonly tokentx: Token
}

/** Reads a row of a list; none where it is not understood. */
export const readers: { readonly [K in Kind]: (row: unknown) => Option.Option<ExplorerRows[K]> } = {
  txlist: Schema.decodeUnknownOption(Own),
  txlistinternal: Schema.decodeUnknownOption(Internal),
  tokentx: Schema.decodeUnknownOption(Token)
}

/** `result` is a list; where there is nothing to list, or something is wrong, `status` is "0". */
export const ExplorerResponse = Schema.Struct({
  /** "2" where a part of the range is not processed yet. */
  status: Schema.String,
  message: Schema.optional(Schema.NullOr(Schema.String)),
  result: Schema.NullOr(Schema.Array(Schema.Unknown))
})
export type ExplorerResponse = typeof ExplorerResponse.Type

const nothing = /^No .*found/i

/** The network is not among those that the source (or the plan of its key) serves. */
export const notServed: Fault = { reason: "upstream_error", detail: "does not serve this network", final: true }

const faults: ReadonlyArray<readonly [RegExp, Fault]> = [
  [/daily/i, { reason: "rate_limited", detail: "daily call limit reached", retryAfter: 600_000 }],
  [/rate limit|max calls|too many/i, { reason: "rate_limited", detail: "rate limit reached" }],
  [/upgrade your api plan|chain.*not supported|unsupported chain/i, notServed],
  // A status of this kind keeps the call from being repeated: it would bring the same.
  [/api ?key/i, { reason: "upstream_error", detail: "the API key is not accepted", status: 401 }],
  [
    /deprecated|window is too large|invalid address/i,
    { reason: "bad_answer", detail: "rejected the call", final: true }
  ],
  [/time-?out|timed out/i, { reason: "timeout", detail: "exceeded its own time limit" }]
]

/** HTTP is 200 and `status` "0" for nothing found, for limits and for errors alike: the text tells them apart. */
export const refusal = (body: unknown): Fault | undefined => {
  if (!Predicate.isRecord(body) || !("result" in body)) return undefined
  const message = typeof body.message === "string" ? body.message : ""
  if (Array.isArray(body.result) && (body.result.length > 0 || body.status !== "0" || message === "")) return undefined
  if ((body.result === null || Array.isArray(body.result)) && nothing.test(message)) return undefined
  const told = `${message} ${typeof body.result === "string" ? body.result : ""}`
  return (
    faults.find(([pattern]) => pattern.test(told))?.[1] ?? {
      reason: "upstream_error",
      detail: "returned an error"
    }
  )
}

/** The hash as all lists join by. */
export const hashOf = (row: Pick<Internal, "hash" | "transactionHash">): string => {
  const hash = row.hash ?? row.transactionHash ?? ""
  return hash.startsWith("0x") ? hash.toLowerCase() : hash
}

/** Whether a row is about a transaction at all: only one has a hash. */
export const isTransaction = (row: Pick<Internal, "hash" | "transactionHash">): boolean =>
  /^0x[0-9a-f]{64}$/.test(hashOf(row))

/** Whether a row is about an address in lower case: it gives, gets, or is the contract that was made. */
export const concerns =
  (address: string) =>
  (row: Pick<Own, "from" | "to" | "contractAddress">): boolean =>
    [row.from, row.to, row.contractAddress].some((party) => party?.toLowerCase() === address)

/** What an address was given before there were transactions. */
export const isGenesis = (row: Pick<Internal, "hash" | "transactionHash" | "blockNumber">): boolean =>
  !isTransaction(row) && (hashOf(row).startsWith("GENESIS") || blockOf(row) === 0)

/** A number that a row tells, undefined where the field is empty or missing. */
export const told = (value: string | null | undefined): bigint | undefined =>
  value !== undefined && value !== null && /^\d+$/.test(value) ? BigInt(value) : undefined

/** Undefined while the transaction waits for a block. */
export const blockOf = ({ blockNumber }: Pick<Own, "blockNumber">): number | undefined =>
  blockNumber === undefined || blockNumber === null || blockNumber === "" ? undefined : Number(blockNumber)
