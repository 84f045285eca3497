import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { evmSupply } from "../../../catalogue/evm/EvmFacts.ts"
import { type Height, height, type Seconds, seconds } from "../../../domain/units.ts"
import { uint64, uint256 } from "../../kit/holdings/amounts.ts"

// The account module of Etherscan (docs.etherscan.io/api-reference), which Blockscout and Routescan implement too.

/** The lists of an explorer: transactions of an address, value that contracts moved for it, token transfers. */
export const kinds = ["txlist", "txlistinternal", "tokentx"] as const
export type Kind = (typeof kinds)[number]

/** An amount up to `most`: a row with an impossible amount is rejected. */
const upTo = (most: bigint) =>
  Schema.String.pipe(
    Schema.pattern(/^\d{1,78}$/),
    Schema.filter((text) => BigInt(text) <= most)
  )

/** Some fields are empty or missing if a source has no value. */
const number = (most: bigint) => Schema.optional(Schema.NullOr(Schema.Union(upTo(most), Schema.Literal(""))))
const text = Schema.optional(Schema.NullOr(Schema.String))

/** Upper bound for the transactions of a block. */
export const perBlock = 65_536

/** Upper bound for heights. */
const uint32 = 2n ** 32n - 1n

const common = {
  /** Empty while the transaction is pending. */
  blockNumber: number(uint32),
  timeStamp: number(BigInt(Number.MAX_SAFE_INTEGER)),
  from: Schema.String,
  /** Empty if the transaction creates a contract. */
  to: text,
  contractAddress: text,
  transactionIndex: number(BigInt(perBlock - 1)),
  isError: text
}

/** On every list, the cost is that of the whole transaction. */
const gas = {
  gasUsed: number(uint256),
  gasPrice: number(uint256),
  /** The data fee of OP-stack networks: `L1FeesPaid` at Etherscan, `l1Fee` at Blockscout from v12 on. */
  L1FeesPaid: text,
  l1Fee: text,
  operatorFee: text
}

const Own = Schema.Struct({
  ...common,
  ...gas,
  /** `GENESIS_` and the address for an allocation of the first block. */
  hash: Schema.String,
  value: upTo(evmSupply),
  /** Of an account, up to the limit of EIP-2681; empty for an allocation of the first block. */
  nonce: number(uint64),
  input: text,
  /** Empty before Byzantium, when receipts had no status. */
  txreceipt_status: text
}).pipe(
  Schema.filter((row) => !hasHash(row) || (!!row.nonce && (!!row.to || !!row.contractAddress || isUncreated(row))))
)
export type Own = typeof Own.Type

/** Etherscan has `hash` and `traceId`, Blockscout `transactionHash` and `index`: the position of the call. */
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
  to: Schema.NonEmptyString,
  contractAddress: Schema.String,
  /** Missing, with a `tokenID` instead, for tokens other than ERC-20: Blockscout lists all kinds of tokens. */
  value: Schema.optional(Schema.NullOr(Schema.Union(upTo(uint256), Schema.Literal("")))),
  tokenID: text,
  /** As the explorer read them from the contract. */
  tokenDecimal: text,
  /** The position of the event, if a source has it: without it, equal rows may be several transfers. */
  logIndex: text
}).pipe(Schema.filter((row) => !!row.value || !!row.tokenID))
export type Token = typeof Token.Type

export interface ExplorerRows {
  readonly txlist: Own
  readonly txlistinternal: Internal
  readonly tokentx: Token
}

/** Decodes a row of a list; none if it does not fit the schema. */
export const readers: { readonly [K in Kind]: (row: unknown) => Option.Option<ExplorerRows[K]> } = {
  txlist: Schema.decodeUnknownOption(Own),
  txlistinternal: Schema.decodeUnknownOption(Internal),
  tokentx: Schema.decodeUnknownOption(Token)
}

/** `result` is a list; if it is empty, or on an error, `status` is "0". */
export const ExplorerResponse = Schema.Struct({
  /** "2" if a part of the range is not processed yet. */
  status: Schema.String,
  message: Schema.optional(Schema.NullOr(Schema.String)),
  result: Schema.NullOr(Schema.Array(Schema.Unknown))
})
export type ExplorerResponse = typeof ExplorerResponse.Type

/** The hash by which the lists are merged. */
export const hashOf = (row: Pick<Internal, "hash" | "transactionHash">): string => {
  const hash = row.hash ?? row.transactionHash ?? ""
  return hash.startsWith("0x") ? hash.toLowerCase() : hash
}

/** Whether a row without a recipient may have no contract: it failed, or is pending. */
const isUncreated = (
  row: Readonly<Partial<Record<"blockNumber" | "isError" | "txreceipt_status", string | null | undefined>>>
): boolean => row.isError === "1" || row.txreceipt_status === "0" || !row.blockNumber

const hasHash = (row: Pick<Internal, "hash" | "transactionHash">): boolean => /^0x[0-9a-f]{64}$/.test(hashOf(row))

/** Whether a row is about a transaction: only those have a hash, and a time if they are in a block. */
export const isTransaction = (row: Pick<Internal, "hash" | "transactionHash" | "blockNumber" | "timeStamp">): boolean =>
  hasHash(row) && (blockOf(row) === undefined || timeOf(row) !== undefined)

/** Whether a row is about an address in lower case: as sender, recipient, or the contract that was created. */
export const concerns =
  (address: string) =>
  (row: Pick<Own, "from" | "to" | "contractAddress">): boolean =>
    [row.from, row.to, row.contractAddress].some((party) => party?.toLowerCase() === address)

const firstBlock = height(0)

/** Whether a row is an allocation of the first block. */
export const isGenesis = (row: Pick<Internal, "hash" | "transactionHash" | "blockNumber">): boolean =>
  !hasHash(row) && (hashOf(row).startsWith("GENESIS") || blockOf(row) === firstBlock)

/** The number in a field; undefined if the field is empty or missing. */
export const numberIn = (value: string | null | undefined): bigint | undefined =>
  value !== undefined && value !== null && /^\d+$/.test(value) ? BigInt(value) : undefined

/** The time of a row; undefined if it has none. */
export const timeOf = ({ timeStamp }: Pick<Own, "timeStamp">): Seconds | undefined => {
  const time = numberIn(timeStamp)
  return time === undefined ? undefined : seconds(Number(time))
}

/** Undefined while the transaction is pending. */
export const blockOf = ({ blockNumber }: Pick<Own, "blockNumber">): Height | undefined =>
  blockNumber === undefined || blockNumber === null || blockNumber === "" ? undefined : height(Number(blockNumber))
