import * as Either from "effect/Either"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import { height, seconds } from "../../../../domain/units.ts"
import type { HistoryPage } from "../../Provider.ts"
import type { TransactionSide, UtxoTransaction } from "../../toTransaction.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import type { HistoryKind } from "../Indexer.ts"
import { paging, requesting, rowsIn } from "../reading.ts"
import * as calls from "./calls.ts"

type Script = Pick<typeof calls.Output.Type, "addresses" | "hex" | "isAddress" | "isOwn">

const listedAddress = ({ addresses, isAddress }: Script) =>
  isAddress && addresses?.length === 1 ? addresses[0] : undefined

/** Blockbook knows no address of an output with CashTokens, nor of what spends it, and has no name for MWEB. */
const onlyAddress = ({ coding }: UtxoFacts, script: Script, spends: boolean) => {
  if (script.isAddress) return listedAddress(script)
  if (!spends) return UtxoAddress.addressOf(coding, script.hex ?? "")
  const isNameless = coding.cashaddr !== undefined || coding.hidden !== undefined
  return isNameless ? UtxoAddress.addressOfSpender(coding, script.hex ?? "") : undefined
}

/** Names all addresses of an account by the requested extended key: together they are the holder. */
export const naming = (
  facts: UtxoFacts,
  account: string | undefined,
  tokens: ReadonlyArray<{ readonly name: string }>
) => {
  const own = new Set(tokens.map(({ name }) => Either.getOrUndefined(UtxoAddress.parse(facts)(name))))
  return (script: Script, spends: boolean): string | undefined => {
    const only = onlyAddress(facts, script, spends)
    if (only === undefined || account === undefined) return only
    return script.isOwn === true || own.has(Either.getOrUndefined(UtxoAddress.parse(facts)(only))) ? account : only
  }
}

export const toTransaction = (
  row: typeof calls.Transaction.Type,
  name: (script: Script, spends: boolean) => string | undefined
): UtxoTransaction | undefined => {
  const spending = row.vin.filter(({ txid }) => txid !== undefined)
  const inputs = spending.flatMap(
    (input): ReadonlyArray<TransactionSide> =>
      input.value === undefined
        ? []
        : [{ address: name(input, true), amount: input.value, spends: `${input.txid}:${input.vout}` }]
  )
  if (inputs.length < spending.length) return undefined
  return {
    hash: row.txid,
    block: row.confirmations > 0 && row.blockHeight >= 0 ? height(row.blockHeight) : undefined,
    time: row.blockTime > seconds(0) ? row.blockTime : undefined,
    inputs,
    outputs: row.vout.map((output) => ({ address: name(output, false), amount: output.value })),
    statedFee: row.fees
  }
}

const isMissingNames = ({ vin, vout }: typeof calls.Transaction.Type): boolean =>
  [...vin, ...vout].some(({ addresses, isAddress }) => isAddress && !addresses?.length)

/** Whether the addresses of a row are not those of its scripts. */
const isContradictory = (facts: UtxoFacts, { vin, vout }: typeof calls.Transaction.Type): boolean => {
  const stated = (side: Script) => ({ address: listedAddress(side), script: side.hex })
  return (
    vin.map(stated).some(UtxoAddress.contradictsSpender(facts)) ||
    vout.map(stated).some(UtxoAddress.contradictsScript(facts))
  )
}

const toPage =
  (facts: UtxoFacts, address: string) =>
  ({
    itemsOnPage = 0,
    page,
    tokens,
    totalPages,
    transactions,
    txs
  }: typeof calls.transactions.response.Type): HistoryPage => {
    const name = naming(facts, calls.isExtended(address) ? address : undefined, tokens)
    const { read, unread } = rowsIn(transactions, (row) =>
      isMissingNames(row) || isContradictory(facts, row) ? undefined : toTransaction(row, name)
    )
    const seen = read.map(({ transaction }) => transaction)
    // Blockbook does not count the pages of a block range, so a request for one has room for a row more than needed.
    const next = page < totalPages || (totalPages < 0 && itemsOnPage > 0 && transactions.length >= itemsOnPage)
    const short = itemsOnPage - unread - seen.filter(({ block }) => block !== undefined).length
    return {
      transactions: seen,
      unread,
      next: next ? String(page + 1) : undefined,
      ...(next && short > 0 ? { missing: `${short} of ${itemsOnPage} transactions of page ${page}` } : {}),
      ...(txs === undefined ? {} : { stated: { count: txs, withPool: false } })
    }
  }

export const history: HistoryKind = {
  perPage: calls.perPage,
  request: (facts, { address, after = "1", before, limit }) =>
    requesting(
      calls.transactions,
      {
        ...calls.holder(address),
        pageSize: Math.min(before === undefined ? limit : limit + 1, calls.perPage),
        page: after,
        to: before?.height
      },
      paging(facts, address, calls.transactions.response, {
        exact: false,
        owner: (listing) => listing.address,
        page: toPage(facts, address)
      })
    )
}
