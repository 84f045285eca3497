import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import { Count, UnitsText } from "../amounts.ts"
import type { TransactionSide, UtxoTransaction } from "../history.ts"
import * as UtxoAddress from "../UtxoAddress.ts"
import * as Source from "./Source.ts"

// Blockbook's `/api/v2/address/` and `/api/v2/xpub/` with `details=txs`.

/** Of scripts without an address it writes in `addresses` what they are, for people. */
const script = {
  addresses: Schema.optional(Schema.NullOr(Schema.Array(Schema.String))),
  isAddress: Schema.Boolean,
  /** Whether it belongs to the requested account; old versions do not return it. */
  isOwn: Schema.optional(Schema.Boolean)
}

const Input = Schema.Struct({
  ...script,
  /** Absent in a coinbase transaction. */
  txid: Schema.optional(Schema.String),
  vout: Schema.optionalWith(Count, { default: () => 0 }),
  value: Schema.optional(UnitsText)
})

const Output = Schema.Struct({ ...script, value: UnitsText })

const Transaction = Schema.Struct({
  txid: Schema.String,
  vin: Schema.Array(Input),
  vout: Schema.Array(Output),
  /** Below zero, or zero, in the pool; then the time is when it was first seen. */
  blockHeight: Schema.optionalWith(Schema.Int, { default: () => -1 }),
  confirmations: Count,
  blockTime: Schema.Int
})

const Listing = Schema.Struct({
  address: Schema.String,
  page: Count,
  /** -1 where it does not count them. */
  totalPages: Schema.Int,
  /** The most from blocks that a page has. */
  itemsOnPage: Schema.optional(Count),
  /** All of the address that are in blocks. */
  txs: Schema.optional(Count),
  /** Left out where the page has none. */
  transactions: Schema.optionalWith(Schema.Array(Transaction), { default: () => [] }),
  /** The addresses derived from an extended key. */
  tokens: Schema.optionalWith(Schema.Array(Schema.Struct({ name: Schema.String })), { default: () => [] })
})

type Script = Pick<typeof Output.Type, "addresses" | "isAddress" | "isOwn">

/** All addresses of an account are its holder: they are listed under the extended key of the request. */
const naming = (facts: UtxoFacts, account: string | undefined, tokens: ReadonlyArray<{ readonly name: string }>) => {
  const own = new Set(tokens.map(({ name }) => Either.getOrUndefined(UtxoAddress.parse(facts)(name))))
  return ({ addresses, isAddress, isOwn }: Script): string | undefined => {
    const only = isAddress && addresses?.length === 1 ? addresses[0] : undefined
    if (only === undefined || account === undefined) return only
    return isOwn === true || own.has(Either.getOrUndefined(UtxoAddress.parse(facts)(only))) ? account : only
  }
}

const toTransaction = (
  row: typeof Transaction.Type,
  name: (script: Script) => string | undefined
): UtxoTransaction | undefined => {
  const spending = row.vin.filter(({ txid }) => txid !== undefined)
  const inputs = spending.flatMap(
    (input): ReadonlyArray<TransactionSide> =>
      input.value === undefined
        ? []
        : [{ address: name(input), amount: input.value, spends: `${input.txid}:${input.vout}` }]
  )
  if (inputs.length < spending.length) return undefined
  return {
    hash: row.txid,
    block: row.confirmations > 0 && row.blockHeight >= 0 ? row.blockHeight : undefined,
    time: row.blockTime > 0 ? row.blockTime : undefined,
    inputs,
    outputs: row.vout.map((output) => ({ address: name(output), amount: output.value }))
  }
}

/** Unconfirmed transactions come with the first page, in addition to the requested number from blocks. */
const toPage =
  (facts: UtxoFacts, address: string) =>
  ({
    itemsOnPage = 0,
    page,
    tokens,
    totalPages,
    transactions,
    txs
  }: typeof Listing.Type): Source.HistoryPage | undefined => {
    const name = naming(facts, isExtended(address) ? address : undefined, tokens)
    const seen = transactions.flatMap((row) => toTransaction(row, name) ?? [])
    if (seen.length < transactions.length) return undefined
    // Of a range of blocks the pages are not counted.
    const next = page < totalPages || (totalPages < 0 && itemsOnPage > 0 && seen.length >= itemsOnPage)
    const short = itemsOnPage - seen.filter(({ block }) => block !== undefined).length
    return {
      transactions: seen,
      next: next ? String(page + 1) : undefined,
      ...(next && short > 0 ? { missing: `${short} of ${itemsOnPage} transactions of page ${page}` } : {}),
      ...(txs === undefined ? {} : { stated: { count: txs, withPool: false } })
    }
  }

/** No address is as long as an extended key. */
const isExtended = (address: string): boolean => address.length > 100

export const path = (address: string) => `/api/v2/${isExtended(address) ? "xpub" : "address"}/${address}`

export const perPage = 1000

export const history: Source.HistoryKind = {
  perPage,
  request: (facts, { address, after = "1", before, limit }) => ({
    request: HttpClientRequest.get(path(address)).pipe(
      HttpClientRequest.setUrlParams({
        details: "txs",
        pageSize: String(Math.min(limit, perPage)),
        page: after,
        ...(before === undefined ? {} : { to: String(before.height) }),
        ...(isExtended(address) ? { tokens: "used" } : {})
      })
    ),
    interpret: Source.paging(facts, address, Listing, {
      exact: false,
      owner: (listing) => listing.address,
      page: toPage(facts, address)
    })
  })
}
