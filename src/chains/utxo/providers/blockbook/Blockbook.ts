import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Rules, UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import * as Call from "../../../../upstream/Call.ts"
import { byKey } from "../../../kit/holdings/amounts.ts"
import { otherTransaction } from "../../../kit/sending/nodeResponse.ts"
import { eachTarget, type FeeCalls, ofCoins } from "../../fees/FeeRates.ts"
import { check } from "../../rawTransactions/UtxoTransaction.ts"
import * as Unspent from "../../Unspent.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import * as Indexer from "../Indexer.ts"
import { balances } from "./BlockbookBalances.ts"
import { history } from "./BlockbookHistory.ts"
import * as BlockbookStatus from "./BlockbookStatus.ts"
import { relay, statuses } from "./BlockbookTransactions.ts"
import * as calls from "./calls.ts"

/** Whether Blockbook lists only outputs with the script of this address: extended keys are younger than bare keys. */
const isExact = ({ coding }: UtxoFacts, address: string) =>
  coding.cashaddr === undefined &&
  Option.exists(Either.getRight(UtxoAddress.decode({ coding, name: "" }, address)), ({ kind }) => kind !== "keyHash")

/** The output scripts of a transaction; empty if `hex` is not that transaction. */
const scriptsOf = (rules: Rules, { hex = "", txid }: { readonly hex?: string | undefined; readonly txid: string }) => {
  const raw = Either.getOrUndefined(check(rules, "")(hex))
  return raw?.hash === txid ? raw.scripts : []
}

/** Scripts are read from the newest transactions, and those of a few older ones one by one. */
const unspent: Unspent.UnspentKind = {
  head: BlockbookStatus.headOf,
  read: (endpoint, facts, requested, head) =>
    Effect.gen(function* () {
      const exact = isExact(facts, requested)
      const { count, rows } = yield* Unspent.readRows(endpoint, calls.utxos, { address: requested })
      const height = Unspent.heightBy(rows) ?? (yield* head).height
      return {
        height,
        count,
        outputs: rows.map(({ address, coinbase = false, confirmations, path, txid, value, vout }) => ({
          txid,
          vout,
          value,
          confirmations,
          origin: Unspent.originBy(facts.transactions, coinbase, confirmations),
          ...(exact ? {} : { script: null }),
          ...(address === undefined ? {} : { address }),
          ...(path === undefined ? {} : { path })
        }))
      }
    }),
  originOf: (endpoint, txid) =>
    Effect.flatMap(Call.readAt(endpoint, calls.origin, { hash: txid }), (found) =>
      found.txid === txid
        ? Effect.succeed(
            Unspent.originOf(
              found.vin.some((input) => input.txid === undefined),
              found.vout[0].hex
            )
          )
        : endpoint.fault(otherTransaction)
    ),
  withScripts: (endpoint, { transactions: rules }, address, outputs) =>
    Effect.gen(function* () {
      const page = yield* Effect.either(Call.readAt(endpoint, calls.scripts, calls.holder(address)))
      if (Either.isLeft(page)) return { outputs, failure: page.left }
      const wanted = new Set(outputs.filter(({ script }) => script === null).map(({ txid }) => txid))
      const rows = page.right.transactions.filter(({ txid }) => wanted.has(txid))
      const scripts = byKey(rows.map((row) => [row.txid, scriptsOf(rules, row)]))
      const known = Unspent.completed(outputs, scripts)
      const older = yield* Unspent.lookUp(
        known.filter(({ script }) => script === null),
        (txid) =>
          Effect.map(Call.readAt(endpoint, calls.raw, { hash: txid }), ({ hex }) => scriptsOf(rules, { hex, txid }))
      )
      return { outputs: Unspent.completed(known, older.found), failure: older.failure }
    })
}

const fees: FeeCalls = {
  rank: 2,
  read: (address) =>
    eachTarget((blocks) =>
      Effect.map(Call.readAt(address, calls.estimate, { blocks: String(blocks) }), ({ result }) =>
        ofCoins(Number(result))
      )
    )
}

export const source = (urls: ReadonlyArray<string>) =>
  Indexer.make(
    {
      id: "blockbook",
      calls,
      title: "Blockbook indexers",
      // Blockbook's default limit: 20 calls per minute.
      publicRate: { perSecond: 1 / 3, burst: 20 },
      supports: () => true,
      perCall: 1,
      request: balances,
      history,
      unspent,
      transactions: relay,
      statuses,
      fees
    },
    urls
  )
