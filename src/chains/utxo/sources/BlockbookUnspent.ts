import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Rules, UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import { Uint32 } from "../../amounts.ts"
import { Count, UnitsText } from "../amounts.ts"
import { check } from "../rawTransactions/UtxoTransaction.ts"
import * as Unspent from "../Unspent.ts"
import * as UtxoAddress from "../UtxoAddress.ts"
import { path, perPage } from "./BlockbookHistory.ts"

// Blockbook's `/api/v2/utxo/` for an address or an extended public key, and `/api/v2` for its newest block. Outputs that
// a transaction in the pool spends are left out, and those that it makes are listed without a height. Scripts are not
// listed: an output that pays a public key is listed under the address of its hash, and one that carries CashTokens like
// any other. Scripts are read out of the newest transactions.

const Row = Schema.Struct({
  txid: Unspent.TransactionId,
  vout: Uint32,
  value: UnitsText,
  /** Below zero, zero or absent in the pool. */
  height: Schema.optionalWith(Schema.Int, { default: () => 0 }),
  confirmations: Schema.optionalWith(Count, { default: () => 0 }),
  coinbase: Schema.optional(Schema.Boolean),
  /** Of an extended key: the address, and where it is derived. */
  address: Schema.optional(Schema.String),
  path: Schema.optional(Schema.String)
})

const transactions = ResponseDecoder.fitting(
  Schema.Struct({
    transactions: Schema.optionalWith(
      Schema.Array(Schema.Struct({ txid: Schema.String, hex: Schema.optional(Schema.String) })),
      { default: () => [] }
    )
  })
)

/**
 * Whether Blockbook lists outputs under this address only if they have its script. Public keys were paid before there were
 * extended keys, so those are taken to be exact.
 */
const isExact = ({ coding }: UtxoFacts, address: string) =>
  coding.cashaddr === undefined &&
  Option.exists(Either.getRight(UtxoAddress.decode({ coding, name: "" }, address)), ({ kind }) => kind !== "keyHash")

/** What the outputs of a transaction pay; nothing where the text is not that transaction. */
const scriptsOf = (rules: Rules, { hex = "", txid }: { readonly hex?: string | undefined; readonly txid: string }) => {
  const raw = Either.getOrUndefined(check(rules, "")(hex))
  return raw?.hash === txid ? raw.scripts : []
}

const status = ResponseDecoder.fitting(Schema.Struct({ blockbook: Schema.Struct({ bestHeight: Count }) }))

const made = ResponseDecoder.fitting(Schema.Struct({ blockbook: Schema.Struct({ lastBlockTime: Schema.String }) }))

export const unspent: Unspent.UnspentKind = {
  headTime: (endpoint) =>
    Effect.map(
      endpoint.read(HttpClientRequest.get("/api/v2"), made),
      ({ blockbook }) => Date.parse(blockbook.lastBlockTime) / 1000
    ),
  read: (endpoint, facts, requested) =>
    Effect.gen(function* () {
      const exact = isExact(facts, requested)
      const { count, rows } = yield* Unspent.readRows(endpoint, `/api/v2/utxo/${requested}`, Row)
      const height =
        Unspent.heightBy(rows) ??
        (yield* Effect.map(
          endpoint.read(HttpClientRequest.get("/api/v2"), status),
          ({ blockbook }) => blockbook.bestHeight
        ))
      return {
        height,
        count,
        outputs: rows.map(({ address, coinbase = false, confirmations, path, txid, value, vout }) => ({
          txid,
          vout,
          value,
          confirmations,
          coinbase,
          ...(exact ? {} : { script: null }),
          ...(address === undefined ? {} : { address }),
          ...(path === undefined ? {} : { path })
        }))
      }
    }),
  withScripts: (endpoint, { transactions: rules }, address, outputs) => {
    const request = HttpClientRequest.setUrlParams(HttpClientRequest.get(path(address)), {
      details: "txs",
      pageSize: String(perPage)
    })
    return Effect.match(endpoint.read(request, transactions), {
      onFailure: () => outputs,
      onSuccess: ({ transactions: rows }) => {
        const wanted = new Set(outputs.filter(({ script }) => script === null).map(({ txid }) => txid))
        const scripts = new Map(
          rows.filter(({ txid }) => wanted.has(txid)).map((row) => [row.txid, scriptsOf(rules, row)])
        )
        return outputs.map((output) =>
          output.script === null ? { ...output, script: scripts.get(output.txid)?.[output.vout] ?? null } : output
        )
      }
    })
  }
}
