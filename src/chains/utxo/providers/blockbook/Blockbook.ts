import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Rules, UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import { height, Seconds, seconds } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { byKey, Uint32 } from "../../../kit/holdings/amounts.ts"
import { isRejectedByGateway, otherTransaction } from "../../../kit/sending/nodeResponse.ts"
import { Count, Hash, UnitsText } from "../../amounts.ts"
import { eachTarget, type FeeCalls, ofCoins } from "../../fees/FeeRates.ts"
import type { HistoryPage } from "../../Provider.ts"
import {
  acceptedAs,
  done,
  isHash,
  isTransaction,
  lookupOutcome,
  noAnswer,
  type RelayCalls,
  type Reported,
  saysMissing,
  sendOutcome
} from "../../rawTransactions/Relay.ts"
import { check } from "../../rawTransactions/UtxoTransaction.ts"
import { signalsIn, type TransactionSide, type UtxoTransaction } from "../../toTransaction.ts"
import * as Unspent from "../../Unspent.ts"
import * as UtxoAddress from "../../UtxoAddress.ts"
import * as Indexer from "../Indexer.ts"
import { lookedUp, paging, rowsIn } from "../reading.ts"
import { balances, isExtended, path, Tokens } from "./BlockbookBalances.ts"
import * as BlockbookStatus from "./BlockbookStatus.ts"

// Blockbook's HTTP API v2 (github.com/trezor/blockbook/blob/master/docs/api.md).

// Blockbook's `/api/v2/address/` and `/api/v2/xpub/` with `details=txs`.

/** For a script without an address, `addresses` contains a description of the script. */
const script = {
  addresses: Schema.optional(Schema.NullOr(Schema.Array(Schema.String))),
  isAddress: Schema.Boolean,
  /** Whether it belongs to the requested account; old versions do not return it. */
  isOwn: Schema.optional(Schema.Boolean),
  /** The script, in hexadecimal digits: that of an input is the one that spends. */
  hex: Schema.optional(Schema.NullOr(Schema.String))
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
  /** Negative or zero in the mempool; then the time is when it was first seen. */
  blockHeight: Schema.optionalWith(Schema.Int, { default: () => -1 }),
  confirmations: Count,
  blockTime: Seconds,
  fees: Schema.optional(UnitsText)
})

const Listing = Schema.Struct({
  address: Schema.String,
  page: Count,
  /** -1 if it does not count them. */
  totalPages: Schema.Int,
  /** Maximum confirmed transactions per page. */
  itemsOnPage: Schema.optional(Count),
  /** The number of confirmed transactions of the address. */
  txs: Schema.optional(Count),
  /** Absent if the page has none. */
  transactions: Schema.optionalWith(rowsOf(Transaction), { default: () => [] }),
  tokens: Tokens
})

type Script = Pick<typeof Output.Type, "addresses" | "hex" | "isAddress" | "isOwn">

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
const naming = (facts: UtxoFacts, account: string | undefined, tokens: ReadonlyArray<{ readonly name: string }>) => {
  const own = new Set(tokens.map(({ name }) => Either.getOrUndefined(UtxoAddress.parse(facts)(name))))
  return (script: Script, spends: boolean): string | undefined => {
    const only = onlyAddress(facts, script, spends)
    if (only === undefined || account === undefined) return only
    return script.isOwn === true || own.has(Either.getOrUndefined(UtxoAddress.parse(facts)(only))) ? account : only
  }
}

const toTransaction = (
  row: typeof Transaction.Type,
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

const isMissingNames = ({ vin, vout }: typeof Transaction.Type): boolean =>
  [...vin, ...vout].some(({ addresses, isAddress }) => isAddress && !addresses?.length)

/** Whether the addresses of a row are not those of its scripts. */
const isContradictory = (facts: UtxoFacts, { vin, vout }: typeof Transaction.Type): boolean => {
  const stated = (side: Script) => ({ address: listedAddress(side), script: side.hex })
  return (
    vin.map(stated).some(UtxoAddress.contradictsSpender(facts)) ||
    vout.map(stated).some(UtxoAddress.contradictsScript(facts))
  )
}

/** The first page also contains unconfirmed transactions, in addition to the requested number of confirmed ones. */
const toPage =
  (facts: UtxoFacts, address: string) =>
  ({ itemsOnPage = 0, page, tokens, totalPages, transactions, txs }: typeof Listing.Type): HistoryPage => {
    const name = naming(facts, isExtended(address) ? address : undefined, tokens)
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

const perPage = 1000

export const history: Indexer.HistoryKind = {
  perPage,
  request: (facts, { address, after = "1", before, limit }) => ({
    request: HttpClientRequest.get(path(address)).pipe(
      HttpClientRequest.setUrlParams({
        details: "txs",
        pageSize: String(Math.min(before === undefined ? limit : limit + 1, perPage)),
        page: after,
        ...(before === undefined ? {} : { to: String(before.height) }),
        ...(isExtended(address) ? { tokens: "used" } : {})
      })
    ),
    decode: paging(facts, address, Listing, {
      exact: false,
      owner: (listing) => listing.address,
      page: toPage(facts, address)
    })
  })
}

// Blockbook's `/api/v2/utxo/` for an address or an extended public key, and `/api/v2` for its newest block. Outputs
// spent in the mempool are omitted; outputs created there have no height. Scripts are not returned: outputs that pay a
// bare public key (listed under the address of its hash) and outputs with CashTokens look like any other. The scripts
// are read from the newest transactions, and those of a few older ones one by one.

const Row = Schema.Struct({
  txid: Hash,
  vout: Uint32,
  value: UnitsText,
  /** Negative, zero or absent in the mempool. */
  height: Schema.optionalWith(Schema.Int, { default: () => 0 }),
  confirmations: Schema.optionalWith(Count, { default: () => 0 }),
  coinbase: Schema.optional(Schema.Boolean),
  /** For an extended key: the address and its derivation path. */
  address: Schema.optional(Schema.String),
  path: Schema.optional(Schema.String)
})

const utxos = Call.get("/api/v2/utxo/{address}", { response: Schema.Array(Row) })

const transactions = ResponseDecoder.fitting(
  Schema.Struct({
    transactions: Schema.optionalWith(
      Schema.Array(Schema.Struct({ txid: Schema.String, hex: Schema.optional(Schema.String) })),
      { default: () => [] }
    )
  })
)

const RawTransaction = Schema.Struct({ hex: Schema.String })

const spentTransaction = ResponseDecoder.fitting(
  Schema.Struct({
    txid: Schema.String,
    vin: Schema.Array(Schema.Struct({ txid: Schema.optional(Schema.String) })),
    vout: Schema.NonEmptyArray(Schema.Struct({ hex: Schema.String }))
  })
)

/** Whether Blockbook lists only outputs with the script of this address: extended keys are younger than bare keys. */
const isExact = ({ coding }: UtxoFacts, address: string) =>
  coding.cashaddr === undefined &&
  Option.exists(Either.getRight(UtxoAddress.decode({ coding, name: "" }, address)), ({ kind }) => kind !== "keyHash")

/** The output scripts of a transaction; empty if `hex` is not that transaction. */
const scriptsOf = (rules: Rules, { hex = "", txid }: { readonly hex?: string | undefined; readonly txid: string }) => {
  const raw = Either.getOrUndefined(check(rules, "")(hex))
  return raw?.hash === txid ? raw.scripts : []
}

const unspent: Unspent.UnspentKind = {
  head: BlockbookStatus.headOf,
  read: (endpoint, facts, requested, head) =>
    Effect.gen(function* () {
      const exact = isExact(facts, requested)
      const { count, rows } = yield* Unspent.readRows(endpoint, utxos, { address: requested })
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
    Effect.flatMap(endpoint.read(HttpClientRequest.get(`/api/v2/tx/${txid}`), spentTransaction), (found) =>
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
      const request = HttpClientRequest.setUrlParams(HttpClientRequest.get(path(address)), {
        details: "txs",
        pageSize: String(perPage)
      })
      const page = yield* Effect.either(endpoint.read(request, transactions))
      if (Either.isLeft(page)) return { outputs, failure: page.left }
      const wanted = new Set(outputs.filter(({ script }) => script === null).map(({ txid }) => txid))
      const rows = page.right.transactions.filter(({ txid }) => wanted.has(txid))
      const scripts = byKey(rows.map((row) => [row.txid, scriptsOf(rules, row)]))
      const known = Unspent.completed(outputs, scripts)
      const older = yield* Unspent.lookUp(
        known.filter(({ script }) => script === null),
        (txid) =>
          Effect.map(
            endpoint.read(HttpClientRequest.get(`/api/v2/tx/${txid}`), ResponseDecoder.fitting(RawTransaction)),
            ({ hex }) => scriptsOf(rules, { hex, txid })
          )
      )
      return { outputs: Unspent.completed(known, older.found), failure: older.failure }
    })
}

// Blockbook's HTTP API v2: `sendtx` and `tx` (github.com/trezor/blockbook/blob/master/docs/api.md).

const Taken = Schema.Struct({ result: Schema.String })
const Refused = Schema.Struct({
  error: Schema.Union(Schema.String, Schema.Struct({ message: Schema.String }))
})

const fitting = <A, I>(schema: Schema.Schema<A, I>, answer: ResponseDecoder.UpstreamResponse) =>
  Either.getOrUndefined(Either.flatMap(ResponseDecoder.json(answer), Schema.decodeUnknownEither(schema)))

/** Its errors are those of its node (code and message), or its own messages. */
const reported = (answer: ResponseDecoder.UpstreamResponse): Reported => {
  const said = answer.status === 400 || answer.status === 200 ? fitting(Refused, answer)?.error : undefined
  if (isRejectedByGateway(answer) || said === undefined) return Either.left(noAnswer(answer))
  const text = typeof said === "string" ? said : said.message
  const [, code, words = ""] = /^(-\d+): ?(.*)$/s.exec(text) ?? []
  return Either.right(code === undefined ? { words: text } : { code: Number(code), words })
}

const transactionCalls: RelayCalls = {
  rank: 1,
  send: (_, raw) => ({
    request: HttpClientRequest.bodyText(HttpClientRequest.post("/api/v2/sendtx/"), raw.hex),
    decode: (answer) => {
      const result = answer.status === 200 ? fitting(Taken, answer)?.result : undefined
      return isHash(result) ? acceptedAs(result, raw, done(result)) : sendOutcome(reported(answer), answer, raw)
    }
  }),
  find: (facts, hash) => ({
    request: HttpClientRequest.get(`/api/v2/tx/${hash}`),
    decode: (answer) => {
      const hex = answer.status === 200 ? fitting(RawTransaction, answer)?.hex : undefined
      return isTransaction(facts.transactions, hex, hash)
        ? Either.right(done(hex))
        : lookupOutcome(reported(answer), answer)
    }
  })
}

const SizedTransaction = Schema.Struct({
  ...Transaction.fields,
  vsize: Schema.optional(Count),
  vin: Schema.Array(Schema.Struct({ ...Input.fields, sequence: Schema.optional(Uint32) }))
})

const statuses: Indexer.StatusKind = {
  transaction: (hash, facts) => ({
    request: HttpClientRequest.get(`/api/v2/tx/${hash}`),
    decode: lookedUp(SizedTransaction, {
      isAbsent: (answer) => saysMissing(reported(answer)),
      transaction: (row) => {
        const found = toTransaction(row, naming(facts, undefined, []))
        return found && { ...found, vbytes: row.vsize, signals: signalsIn(row.vin) }
      }
    })
  })
}

// `/api/v2/estimatefee/{blocks}` of Blockbook (github.com/trezor/blockbook/blob/master/docs/api.md): coins per 1,000
// bytes, one target per call.

const Estimated = Schema.Struct({ result: Schema.String.pipe(Schema.pattern(/^-?\d{1,9}(\.\d{1,8})?$/)) })

const fees: FeeCalls = {
  rank: 2,
  read: (address) =>
    eachTarget((blocks) =>
      Effect.map(
        address.read(HttpClientRequest.get(`/api/v2/estimatefee/${blocks}`), ResponseDecoder.fitting(Estimated)),
        ({ result }) => ofCoins(Number(result))
      )
    )
}

export const source = (urls: ReadonlyArray<string>) =>
  Indexer.make(
    {
      id: "blockbook",
      title: "Blockbook indexers",
      // Blockbook's default limit: 20 calls per minute.
      publicRate: { perSecond: 1 / 3, burst: 20 },
      supports: () => true,
      perCall: 1,
      request: balances,
      history,
      unspent,
      transactions: transactionCalls,
      statuses,
      fees
    },
    urls
  )
