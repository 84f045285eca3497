import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import { Count, UnitsText } from "../../amounts.ts"
import type { AddressSummary } from "../../Provider.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import { type IndexerRequest, reading } from "../reading.ts"

// Blockbook's `/api/v2/address/` and `/api/v2/xpub/` without transactions.

/** Extended keys are longer than all addresses. */
export const isExtended = (address: string): boolean => address.length > 100

export const path = (address: string) => `/api/v2/${isExtended(address) ? "xpub" : "address"}/${address}`

/** The addresses derived from an extended key. */
export const Tokens = Schema.optionalWith(Schema.Array(Schema.Struct({ name: Schema.String })), { default: () => [] })

const Address = Schema.Struct({
  /** In Blockbook's spelling; an extended key as requested. */
  address: Schema.String,
  balance: UnitsText.pipe(Schema.nonNegativeBigInt()),
  /** The change of the balance by mempool transactions; negative if they spend more. */
  unconfirmedBalance: UnitsText,
  /** The number of transactions in the mempool. */
  unconfirmedTxs: Schema.optional(Count),
  txs: Schema.optional(Count),
  /** The number of addresses of an extended key that have transactions in blocks. */
  usedTokens: Schema.optionalWith(Count, { default: () => 0 }),
  tokens: Tokens
})

/** All derived addresses are requested: those with unconfirmed transactions only are not counted as used. */
const ofBalance = (address: string) =>
  isExtended(address) ? { details: "tokens", tokens: "derived" } : { details: "basic" }

const toSummary = (
  facts: UtxoFacts,
  { address, balance, tokens, txs, unconfirmedBalance, unconfirmedTxs, usedTokens }: typeof Address.Type
): AddressSummary => ({
  balance: balance + unconfirmedBalance,
  transactions: txs,
  ...(isExtended(address) ? { derived: derivedOf(facts, tokens, Math.max(usedTokens, txs === 0 ? 0 : 1)) } : {}),
  ...(unconfirmedTxs === 0 ? { unconfirmed: 0n } : {})
})

const derivedOf = (facts: UtxoFacts, tokens: ReadonlyArray<{ readonly name: string }>, least: number) => {
  const addresses = new Set(
    tokens.flatMap(({ name }) => Option.toArray(Either.getRight(UtxoAddress.parse(facts)(name))))
  )
  return addresses.size < least ? undefined : addresses
}

export const balances = (facts: UtxoFacts, addresses: ReadonlyArray<string>): IndexerRequest => ({
  request: HttpClientRequest.get(path(addresses.join())).pipe(
    HttpClientRequest.setUrlParams(ofBalance(addresses.join()))
  ),
  decode: reading(facts, addresses, Address, (found) => [Option.some([found.address, toSummary(facts, found)])])
})
