import * as Schema from "effect/Schema"
import { evmSupply } from "../../../../catalogue/evm/EvmFacts.ts"
import { type Height, numberOf } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { uint64, uint256 } from "../../../kit/holdings/amounts.ts"
import { hasHash } from "../../history/ExplorerRow.ts"

// The account module of Etherscan, which Blockscout (docs.blockscout.com) and Routescan (routescan.io/documentation)
// serve too, with different networks and limits. Blockscout has it at this path.

/** The address of the documentation. @public */
export const documentation = "https://docs.etherscan.io/api-reference"

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

export const Own = Schema.Struct({
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
export const Internal = Schema.Struct({
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

export const Token = Schema.Struct({
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

/** Whether a row without a recipient may have no contract: it failed, or is pending. */
const isUncreated = (
  row: Readonly<Partial<Record<"blockNumber" | "isError" | "txreceipt_status", string | null | undefined>>>
): boolean => row.isError === "1" || row.txreceipt_status === "0" || !row.blockNumber

/** If the list is empty, or on an error, the status is "0". */
const response = <A, I>(row: Schema.Schema<A, I>) =>
  Schema.Struct({
    /** "2" if a part of the range is not processed yet. */
    status: Schema.String,
    message: Schema.optional(Schema.NullOr(Schema.String)),
    result: Schema.NullOr(rowsOf(row))
  })

/** A page of a list of an address. */
export interface ExplorerQuery {
  readonly address: string
  readonly page: number
  readonly size: number
  readonly sort: "asc" | "desc"
  /** The last block. */
  readonly end?: Height | undefined
}

const list = <A, I>(action: string, row: Schema.Schema<A, I>, note: string, perOpen: Call.PerOpen = {}) =>
  Call.get("/api", {
    perOpen,
    note: `\`${action}\`: ${note}`,
    query: ({ address, end, page, size, sort }: ExplorerQuery) => ({
      module: "account",
      action,
      address,
      page: String(page),
      offset: String(size),
      sort,
      ...(end === undefined ? {} : { startblock: "0", endblock: String(numberOf(end)) })
    }),
    response: response(row)
  })

export const txlist = list("txlist", Own, "transactions of an address.", { history: 1 })
export const txlistinternal = list(
  "txlistinternal",
  Internal,
  "value that contracts moved, also for one transaction.",
  {
    history: 1
  }
)
export const tokentx = list("tokentx", Token, "token transfers; those of NFTs too, at Blockscout.", { history: 1 })
export const tokennfttx = list("tokennfttx", Token, "NFT transfers, at Etherscan.")
export const token1155tx = list("token1155tx", Token, "transfers of ERC-1155, at Etherscan.")

/** A token that an address owns, by Blockscout's index; older instances write `address`. */
const OwnedToken = Schema.Struct({
  token: Schema.Struct({
    address_hash: text,
    address: text,
    type: Schema.String,
    /** `scam` where the instance marks it as such. */
    reputation: text
  }).pipe(Schema.filter(({ address, address_hash }) => !!(address_hash ?? address)))
})

export const tokenBalances = Call.get("/api/v2/addresses/{address}/token-balances", {
  note: "Blockscout's second API: the tokens of an address, listed or not, and NFTs. Only which tokens there are is used; amounts are read from nodes.",
  response: rowsOf(OwnedToken)
})

export const internalsOf = Call.get("/api", {
  query: ({ hash }: { readonly hash: string }) => ({ module: "account", action: "txlistinternal", txhash: hash }),
  response: response(Internal)
})

export const balance = Call.get("/api", {
  query: ({ address }: { readonly address: string }) => ({ module: "account", action: "balance", address }),
  response: Schema.Struct({ result: Schema.String.pipe(Schema.pattern(/^\d+$/)) })
})
