import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import type { AddressSummary } from "../../Provider.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import type { IndexerKind } from "../Indexer.ts"
import { reading, requesting } from "../reading.ts"
import * as calls from "./calls.ts"

const toSummary = (
  facts: UtxoFacts,
  { address, balance, tokens, txs, unconfirmedBalance, unconfirmedTxs, usedTokens }: typeof calls.balance.response.Type
): AddressSummary => ({
  balance: balance + unconfirmedBalance,
  transactions: txs,
  ...(calls.isExtended(address) ? { derived: derivedOf(facts, tokens, Math.max(usedTokens, txs === 0 ? 0 : 1)) } : {}),
  ...(unconfirmedTxs === 0 ? { unconfirmed: 0n } : {})
})

const derivedOf = (facts: UtxoFacts, tokens: ReadonlyArray<{ readonly name: string }>, least: number) => {
  const addresses = new Set(
    tokens.flatMap(({ name }) => Option.toArray(Either.getRight(UtxoAddress.parse(facts)(name))))
  )
  return addresses.size < least ? undefined : addresses
}

export const balances: IndexerKind["request"] = (facts, addresses) =>
  requesting(
    calls.balance,
    calls.holder(addresses.join()),
    reading(facts, addresses, calls.balance.response, (found) => [
      Option.some([found.address, toSummary(facts, found)])
    ])
  )
