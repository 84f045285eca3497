import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import { Seconds } from "../../../../domain/units.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../../upstream/Upstream.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { eachLevel } from "../../../kit/fees/feeLevels.ts"
import { Uint32 } from "../../../kit/holdings/amounts.ts"
import { otherTransaction } from "../../../kit/sending/nodeResponse.ts"
import { BlockHeight, Count, isConsistent, Units } from "../../amounts.ts"
import { type FeeCalls, plausible, targets } from "../../fees/FeeRates.ts"
import type { HistoryPage } from "../../Provider.ts"
import {
  acceptedAs,
  done,
  isHash,
  isMissing,
  isTransaction,
  lookupOutcome,
  noAnswer,
  type RelayCalls,
  type Reported,
  saysMissing,
  sendOutcome
} from "../../rawTransactions/Relay.ts"
import { signalsIn, type TransactionSide, type UtxoTransaction } from "../../toTransaction.ts"
import * as Unspent from "../../Unspent.ts"
import type { Spelling } from "../../UtxoAddress.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import * as Indexer from "../Indexer.ts"
import { lookedUp, paging, rowsIn } from "../reading.ts"
import { balances } from "./EsploraBalances.ts"

// Esplora's HTTP API (github.com/Blockstream/esplora/blob/master/API.md), also spoken by mempool.space and its forks.

// Esplora's `/address/:address/txs` and `/address/:address/txs/chain/:last_seen_txid`. Like the balance, they cover
// only the script of the address itself, not payments to its bare public key.

/** A script that has an address: the hash of a key or of a script, or a witness program of version 0 or 1. */
const addressable =
  /^(76a914[0-9a-f]{40}88ac|a914[0-9a-f]{40}87|aa20[0-9a-f]{64}87|0014[0-9a-f]{40}|(00|51)20[0-9a-f]{64})$/

const Output = Schema.Struct({
  scriptpubkey: Schema.optional(Schema.NullOr(Schema.String)),
  /** Empty or absent if the script has no address, such as that of a bare public key. */
  scriptpubkey_address: Schema.optional(Schema.NullOr(Schema.String)),
  value: Units
}).pipe(
  Schema.filter(
    ({ scriptpubkey, scriptpubkey_address }) =>
      Boolean(scriptpubkey_address) || scriptpubkey == null || !addressable.test(scriptpubkey)
  )
)

/** A transaction that is in no block has no height. */
const Unconfirmed = Schema.Struct({
  confirmed: Schema.Literal(false),
  block_height: Schema.NullishOr(Schema.Number.pipe(Schema.nonPositive()))
})

const Spent = Schema.Struct({
  txid: Schema.String,
  vout: Units,
  is_coinbase: Schema.Boolean,
  prevout: Schema.NullOr(Output),
  sequence: Schema.optional(Uint32)
})

const Transaction = Schema.Struct({
  txid: Schema.String,
  vin: Schema.NonEmptyArray(Spent.pipe(Schema.filter(({ is_coinbase, txid }) => isConsistent(is_coinbase, txid)))),
  vout: Schema.Array(Output),
  status: Schema.Union(
    Schema.Struct({
      confirmed: Schema.Literal(true),
      block_height: BlockHeight,
      block_time: Schema.compose(Count, Seconds)
    }),
    Unconfirmed
  ),
  fee: Schema.optional(Units),
  /** Only forks return it, for unconfirmed transactions. */
  firstSeen: Schema.optional(Seconds)
})

/** An instance may have no address for MWEB's outputs. */
const side =
  (facts: UtxoFacts | undefined) =>
  ({ scriptpubkey, scriptpubkey_address, value }: typeof Output.Type): TransactionSide => ({
    address:
      scriptpubkey_address ||
      (facts?.coding.hidden === undefined ? undefined : UtxoAddress.addressOf(facts.coding, scriptpubkey ?? "")),
    amount: value
  })

/** Undefined if the amount of an input is missing. */
const toTransaction = (
  { fee, firstSeen, status, txid, vin, vout }: typeof Transaction.Type,
  facts?: UtxoFacts
): UtxoTransaction | undefined => {
  const sideOf = side(facts)
  const spending = vin.filter(({ is_coinbase }) => !is_coinbase)
  const inputs = spending.flatMap(({ prevout, txid, vout }) =>
    prevout === null ? [] : [{ ...sideOf(prevout), spends: `${txid}:${vout}` }]
  )
  if (inputs.length < spending.length) return undefined
  return {
    hash: txid,
    block: status.confirmed ? status.block_height : undefined,
    time: status.confirmed ? status.block_time : firstSeen,
    inputs,
    outputs: vout.map(sideOf),
    statedFee: fee
  }
}

/** Whether the addresses of a row are not those of its scripts. */
const isContradictory = (facts: UtxoFacts, { vin, vout }: typeof Transaction.Type): boolean =>
  [...vin.flatMap(({ prevout }) => prevout ?? []), ...vout]
    .map(({ scriptpubkey, scriptpubkey_address }) => ({ address: scriptpubkey_address, script: scriptpubkey }))
    .some(UtxoAddress.contradictsScript(facts))

/** Confirmed transactions on a full page. */
const confirmedPerPage = 25
/** Transactions on a full page of forks with an Electrum server, unconfirmed ones included. */
const fullOfForks = 10
/** Maximum unconfirmed transactions on the first page. */
const fullOfPool = 50

const decodeHash = Schema.decodeUnknownOption(Schema.Struct({ txid: Unspent.TransactionId }))

const toPage = (facts: UtxoFacts, rows: ReadonlyArray<unknown>): HistoryPage => {
  const { read, unread } = rowsIn(Transaction, rows, (row) =>
    isContradictory(facts, row) ? undefined : toTransaction(row, facts)
  )
  // A repeated row does not end the list, nor does one that cannot be read.
  const all = new Set(read.map(({ row }) => row.txid)).size + unread
  const waiting = read.filter(({ row }) => !row.status.confirmed).length
  const mined = new Set(read.flatMap(({ row }) => (row.status.confirmed ? row.txid : []))).size
  const isFull = mined <= confirmedPerPage && mined + unread >= confirmedPerPage
  const last = Option.getOrElse(decodeHash(rows.at(-1)), () => ({ txid: read.at(-1)?.row.txid }))
  return {
    transactions: read.map(({ transaction }) => transaction),
    unread,
    next: isFull || all === fullOfForks ? last.txid : undefined,
    ...(waiting === fullOfPool ? { missing: "unconfirmed transactions beyond the newest 50" } : {})
  }
}

export const history = (spelling: Spelling): Indexer.HistoryKind => ({
  perPage: confirmedPerPage,
  // Electrum servers sort the transactions of a block by their hashes.
  unordered: true,
  request: (facts, { address, before, after = before?.above }) => ({
    request: HttpClientRequest.get(
      `/address/${spelling(facts, address)}/txs${after === undefined ? "" : `/chain/${encodeURIComponent(after)}`}`
    ),
    decode: paging(facts, address, Schema.Array(Schema.Unknown), { page: (rows) => toPage(facts, rows) })
  })
})

// Esplora's `/address/:address/utxo`, `/blocks/tip/hash`, `/block/:hash` and `/tx/:txid`. An
// instance rejects addresses with more outputs than it is configured for (500 by default).

const Row = Schema.Struct({
  txid: Unspent.TransactionId,
  vout: Uint32,
  value: Units,
  status: Schema.Union(
    Schema.Struct({ confirmed: Schema.Literal(true), block_height: Schema.NullishOr(BlockHeight) }),
    Unconfirmed
  )
})

const SpentTransaction = Schema.Struct({
  txid: Schema.String,
  vin: Schema.Array(Schema.Struct({ is_coinbase: Schema.Boolean })),
  /** Servers with the interface of Esplora over a node may leave them out. */
  vout: Schema.optionalWith(Schema.Array(Schema.Struct({ scriptpubkey: Schema.String })), { default: () => [] })
})

const hash: ResponseDecoder.Decoder<string> = (response) => {
  const fault = ResponseDecoder.statusFault(response)
  if (fault !== undefined) return Either.left(fault)
  return /^[0-9a-f]{64}$/.test(response.text) ? Either.right(response.text) : Either.left(ResponseDecoder.unreadable)
}
const block = ResponseDecoder.fitting(Schema.Struct({ height: BlockHeight, timestamp: Schema.compose(Count, Seconds) }))
const transaction = ResponseDecoder.fitting(SpentTransaction)

const unspent = (spelling: UtxoAddress.Spelling): Unspent.UnspentKind => ({
  head: (endpoint) =>
    Effect.flatMap(endpoint.read(HttpClientRequest.get("/blocks/tip/hash"), hash), (tip) =>
      Effect.map(endpoint.read(HttpClientRequest.get(`/block/${tip}`), block), ({ height, timestamp }) => ({
        height,
        time: timestamp
      }))
    ),
  read: (endpoint, facts, address, head) =>
    Effect.gen(function* () {
      const path = `/address/${spelling(facts, address)}/utxo`
      const [{ count, rows }, { height }] = yield* Effect.all([Unspent.readRows(endpoint, path, Row), head], {
        concurrency: 2
      })
      return {
        height,
        count,
        outputs: rows.map(({ status, txid, value, vout }) => ({
          txid,
          vout,
          value,
          confirmations: status.confirmed ? Unspent.confirmationsAt(height, status.block_height ?? height) : 0,
          origin: undefined
        }))
      }
    }),
  originOf: (endpoint, txid) =>
    Effect.flatMap(endpoint.read(HttpClientRequest.get(`/tx/${txid}`), transaction), (found) =>
      found.txid === txid
        ? Effect.succeed(
            Unspent.originOf(
              found.vin.some(({ is_coinbase }) => is_coinbase),
              found.vout[0]?.scriptpubkey ?? ""
            )
          )
        : endpoint.fault(otherTransaction)
    )
})

// Esplora's HTTP API: `POST /tx` and `/tx/:txid/hex` (github.com/Blockstream/esplora/blob/master/API.md).

/** The node's error, by fork: `sendrawtransaction RPC error: {"code":-26,"message":"…"}`, `… error -26: …`. */
const errors = [/RPC error: \{"code": ?(-?\d+), ?"message": ?"(.*)"\}/s, /RPC error (-?\d+): ?(.*)/s]

const reported = (answer: ResponseDecoder.UpstreamResponse): Reported => {
  const text = answer.text.trim()
  const about = answer.status === 400 || answer.status === 404
  if (!about || text === "" || text.startsWith("<")) return Either.left(noAnswer(answer))
  for (const pattern of errors) {
    const [, code, words = ""] = pattern.exec(text) ?? []
    if (code !== undefined) return Either.right({ code: Number(code), words })
  }
  const isOwn = answer.status === 400 || isMissing({ words: text })
  return isOwn ? Either.right({ words: text }) : Either.left(noAnswer(answer))
}

const transactions: RelayCalls = {
  rank: 2,
  send: (_, raw) => ({
    request: HttpClientRequest.bodyText(HttpClientRequest.post("/tx"), raw.hex),
    decode: (answer) => {
      const hash = answer.text.trim()
      return answer.status === 200 && isHash(hash)
        ? acceptedAs(hash, raw, done(hash))
        : sendOutcome(reported(answer), answer, raw)
    }
  }),
  find: (facts, hash) => ({
    request: HttpClientRequest.get(`/tx/${hash}/hex`),
    decode: (answer) => {
      const hex = answer.text.trim()
      return answer.status === 200 && isTransaction(facts.transactions, hex, hash)
        ? Either.right(done(hex))
        : lookupOutcome(reported(answer), answer)
    }
  })
}

// `/tx/:txid`, `/tx/:txid/outspend/:vout` and `/tx/:txid/outspends`.

const SizedTransaction = Schema.Struct({ ...Transaction.fields, weight: Schema.optional(Count) })

const Spending = Schema.Struct({
  spent: Schema.Boolean,
  txid: Schema.optional(Unspent.TransactionId),
  status: Schema.optional(Schema.Struct({ confirmed: Schema.Boolean }))
})

const statuses: Indexer.StatusKind = {
  transaction: (hash, facts) => ({
    request: HttpClientRequest.get(`/tx/${hash}`),
    decode: lookedUp(SizedTransaction, {
      isAbsent: (answer) => answer.status === 404 && saysMissing(reported(answer)),
      transaction: (row) => {
        const found = toTransaction(row, facts)
        const vbytes = row.weight === undefined ? undefined : Math.ceil(row.weight / 4)
        return found && { ...found, vbytes, signals: signalsIn(row.vin), isContradictory: isContradictory(facts, row) }
      }
    })
  }),
  spenders: ({ hash, outputs }) => ({
    request: HttpClientRequest.get(`/tx/${hash}/outspends`),
    decode: (answer) =>
      Either.flatMap(ResponseDecoder.fitting(Schema.Array(Spending))(answer), (all) => {
        const isWhole = all.length === outputs.length && all.every(({ spent, txid }) => !spent || txid !== undefined)
        return isWhole ? Either.right([...new Set(all.flatMap(({ txid }) => txid ?? []))]) : Either.left(notAllOutputs)
      })
  }),
  spender: (output) => ({
    request: HttpClientRequest.get(`/tx/${output.replace(":", "/outspend/")}`),
    decode: (answer) =>
      Either.map(ResponseDecoder.fitting(Spending)(answer), ({ status, txid }) =>
        status?.confirmed === true ? txid : undefined
      )
  })
}

const notAllOutputs: Fault = { reason: "bad_answer", detail: "did not return the spender of each output" }

// `/v1/fees/recommended` of mempool (mempool.space/docs/api/rest): base units per virtual byte for the next block,
// within an hour, and economy, which is at most twice the lowest rate that its mempool keeps. `/fee-estimates` of Esplora
// (github.com/Blockstream/esplora/blob/master/API.md), which lacks the former: rates by number of blocks; targets
// without an estimate of its node are absent.

const Rate = Schema.Number.pipe(Schema.finite(), Schema.nonNegative(), Schema.lessThan(1e8))

const Recommended = Schema.Struct({ fastestFee: Rate, hourFee: Rate, economyFee: Rate })

const Estimates = Schema.Record({
  key: Schema.String,
  value: Rate
})

/** Per 1,000 virtual bytes; fractions of a base unit are rounded up. */
const perThousand = (rate: number): bigint => BigInt(Math.ceil(Number((rate * 1000).toFixed(3))))

const rateOf = (rate: number | undefined) => (rate === undefined ? undefined : plausible(perThousand(rate)))

const estimated = (address: Endpoint) =>
  Effect.map(address.read(HttpClientRequest.get("/fee-estimates"), ResponseDecoder.fitting(Estimates)), (estimates) =>
    eachLevel((name) => rateOf(estimates[String(targets[name])]))
  )

const fees: FeeCalls = {
  rank: 1,
  read: (address) =>
    Effect.flatMap(
      address.read(
        HttpClientRequest.get("/v1/fees/recommended"),
        ResponseDecoder.fitting(Schema.UndefinedOr(Recommended), {}, { value: undefined })
      ),
      (recommended) =>
        recommended === undefined
          ? estimated(address)
          : Effect.succeed({
              slow: rateOf(recommended.economyFee),
              standard: rateOf(recommended.hourFee),
              fast: rateOf(recommended.fastestFee)
            })
    )
}

const canonical: UtxoAddress.Spelling = (_, address) => address

export const source = (
  urls: ReadonlyArray<string>,
  {
    balancesOnly = false,
    base58Only = false
  }: Partial<Pick<UtxoFacts["indexers"][number], "balancesOnly" | "base58Only">> = {}
) => {
  const spelling = base58Only ? UtxoAddress.toBase58 : canonical
  return Indexer.make(
    {
      id: "esplora",
      title: "Esplora indexers",
      // No rate limit is published.
      publicRate: { perSecond: 10, burst: 30 },
      supports: Indexer.isAddress,
      perCall: 1,
      request: balances(spelling),
      history: { ...history(spelling), ownInstancesOnly: balancesOnly },
      unspent: unspent(spelling),
      transactions,
      statuses,
      fees
    },
    urls
  )
}
