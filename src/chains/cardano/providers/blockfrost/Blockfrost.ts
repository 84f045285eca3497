import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { cardano } from "../../../../catalogue/cardano.ts"
import { each } from "../../../../kernel/each.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Budget from "../../../../upstream/budget/Budget.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { byKeyOrFault } from "../../../amounts.ts"
import type { EpochJson, NodeResponse } from "../../../Chain.ts"
import { isStake } from "../../CardanoAddress.ts"
import type { Submission } from "../../CardanoTransaction.ts"
import { Cbor, Decimals, Hash, hasCoins, Lovelace, Quantity } from "../../formats.ts"
import { Parameters as AllParameters, Block } from "../../Parameters.ts"
import { type CardanoBalances, type CardanoProvider, nothing } from "../../Provider.ts"
import * as SubmitApi from "../../SubmitApi.ts"
import { maxOutputs, readPages } from "../readPages.ts"
import * as BlockfrostHistory from "./BlockfrostHistory.ts"
import * as BlockfrostUnspent from "./BlockfrostUnspent.ts"

// Blockfrost API v0 for Cardano (docs.blockfrost.io; github.com/blockfrost/openapi): one address per call.

const pageSize = 100

const Amounts = Schema.Array(
  Schema.Struct({
    unit: Schema.String.pipe(Schema.pattern(/^(lovelace|[0-9a-f]{56}([0-9a-f]{2}){0,32})$/)),
    quantity: Quantity,
    /** From the registry or from the asset itself, null if neither has any; only in `/extended`. */
    decimals: Schema.optional(Schema.NullOr(Decimals))
  })
).pipe(Schema.filter((amounts) => Either.isRight(byKeyOrFault(amounts.map((amount) => [amount.unit, amount])))))

/** Coins are always included, even if zero. */
const Payment = Schema.Struct({ address: Schema.String, amount: Amounts.pipe(Schema.filter(hasCoins)) })

/** `controlled_amount` is the balance of all addresses of the account, plus withdrawable rewards. */
const Account = Schema.Struct({
  stake_address: Schema.String,
  controlled_amount: Lovelace,
  withdrawable_amount: Schema.optional(Lovelace)
})

const Asset = Schema.Struct({
  asset: Schema.String,
  /** From the registry. */
  metadata: Schema.NullishOr(
    Schema.Struct({
      name: Schema.NullishOr(Schema.String),
      ticker: Schema.NullishOr(Schema.String),
      decimals: Schema.NullishOr(Decimals)
    })
  ),
  onchain_metadata: Schema.NullishOr(Schema.Unknown),
  onchain_metadata_standard: Schema.NullishOr(Schema.String)
})

/** Costs by language and by name; the digits of large ones are in the text that is returned. */
const Costs = Schema.Record({
  key: Schema.String,
  value: Schema.Record({ key: Schema.String, value: Schema.Number.pipe(Schema.between(-(2 ** 63), 2 ** 63)) })
})

const Parameters = Schema.extend(AllParameters, Schema.Struct({ cost_models: Costs }))

/** The main network's magic number. */
const Genesis = Schema.Struct({ network_magic: Schema.Literal(764_824_073) })

const onChain = Schema.decodeUnknownOption(Schema.Struct({ decimals: Decimals }))

const granted: Budget.Granted = { source: "BLOCKFROST", keyless: { perSecond: 10, burst: 500 } }

/** Undefined without a project id. */
const connect = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "BLOCKFROST_URL",
    default: cardano.indexers.blockfrost,
    meaning: "Base address of Blockfrost (Cardano), used before Koios when a project id is set"
  })
  const key = yield* declare.secret({
    name: "BLOCKFROST_PROJECT_ID",
    allowed: "the id of a project on the Cardano main network",
    meaning: "Blockfrost project id"
  })
  // Declares the settings of its limits even if it is not used.
  if (key === undefined) return yield* Effect.as(Budget.configured(granted, false), undefined)
  return yield* Upstream.make({
    name: "blockfrost",
    urls: [url],
    keys: { project_id: key },
    rate: granted,
    refusal,
    canary: (address) => address.read(HttpClientRequest.get("/genesis"), ResponseDecoder.fitting(Genesis, { refusal }))
  })
})

const get = <A, I>(
  upstream: Upstream.Upstream,
  path: string,
  schema: Schema.Schema<A, I>,
  about: (found: A) => boolean,
  parameters: Readonly<Record<string, string>> = {}
) =>
  upstream.over((address) =>
    address.read(HttpClientRequest.setUrlParams(HttpClientRequest.get(path), parameters), orNone(schema, about))
  )

/** Reads a list page by page; one that does not exist is empty. */
const pages = <Row, I>(
  upstream: Upstream.Upstream,
  path: string,
  schema: Schema.Schema<ReadonlyArray<Row>, I>,
  keyOf: (row: Row) => string,
  maxRows?: number
) => {
  const read = (page: number) =>
    Effect.map(
      get(upstream, path, schema, () => true, page === 0 ? {} : { page: String(page + 1) }),
      Option.getOrElse((): ReadonlyArray<Row> => [])
    )
  return readPages(upstream, pageSize, read, keyOf, maxRows)
}

const unspent = (upstream: Upstream.Upstream) =>
  BlockfrostUnspent.make(
    (path, schema, about) => get(upstream, path, schema, about),
    (path, schema, keyOf) => pages(upstream, path, schema, keyOf, maxOutputs)
  )

const newestBlock = "/blocks/latest"

/** Returned unchanged. */
const latest = <A extends { readonly epoch: number }, I>(
  upstream: Upstream.Upstream,
  path: string,
  schema: Schema.Schema<A, I>
) =>
  upstream.over((address) =>
    address.read(HttpClientRequest.get(path), (answer) =>
      Either.map(
        ResponseDecoder.fitting(schema, { refusal })(answer),
        ({ epoch }): EpochJson => ({ epoch, json: answer.text.trim() })
      )
    )
  )

const submit = Call.post("/tx/submit", { body: ({ bytes }: Submission) => bytes, response: Hash })

const SubmittedTransaction = Schema.Struct({ cbor: Cbor })

/** The verdict on a transaction that was looked up. */
const found: ResponseDecoder.Decoder<NodeResponse> = (answer) =>
  Either.map(
    orNone(SubmittedTransaction, () => true)(answer),
    Option.match({
      onNone: () => SubmitApi.verdictOf("unknown", answer.text),
      onSome: () => SubmitApi.verdictOf("done", answer.text)
    })
  )

/** Undefined without a project id. */
export const make = Effect.gen(function* () {
  const upstream = yield* connect
  if (upstream === undefined) return undefined

  const payment = (requested: string): Effect.Effect<CardanoBalances, UpstreamError> =>
    Effect.map(
      get(upstream, `/addresses/${requested}/extended`, Payment, ({ address }) => address === requested),
      Option.match({ onNone: () => nothing, onSome: ({ amount }) => toBalances(amount) })
    )

  const account = (requested: string, withAssets: boolean): Effect.Effect<CardanoBalances, UpstreamError> =>
    Effect.gen(function* () {
      const [found, assets] = yield* Effect.all(
        [
          get(upstream, `/accounts/${requested}`, Account, ({ stake_address }) => stake_address === requested),
          Effect.either(
            withAssets
              ? pages(upstream, `/accounts/${requested}/addresses/assets`, Amounts, ({ unit }) => unit)
              : Effect.succeed({ rows: [], more: false })
          )
        ],
        { concurrency: 2 }
      )
      const { controlled_amount: lovelace = 0n, withdrawable_amount: rewards } = Option.getOrElse(found, () => ({
        controlled_amount: 0n,
        withdrawable_amount: 0n
      }))
      return {
        ...toBalances(Either.match(assets, { onLeft: () => [], onRight: ({ rows }) => rows })),
        ...(Either.isLeft(assets) ? { unreadAssets: assets.left } : {}),
        lovelace,
        ...(rewards === undefined ? {} : { rewards })
      }
    })

  const balances: CardanoProvider["balances"] = (addresses, withAssets, report) =>
    Effect.forEach(
      addresses,
      (address) =>
        Effect.map(Effect.either(isStake(address) ? account(address, withAssets) : payment(address)), (result) =>
          report(address, result)
        ),
      { concurrency: "unbounded", discard: true }
    )

  const metadata: CardanoProvider["metadata"] = (unit) =>
    Effect.map(
      get(upstream, `/assets/${unit}`, Asset, ({ asset }) => asset === unit),
      (found) => Option.getOrUndefined(Option.map(found, toMetadata))
    )

  const getAny: BlockfrostHistory.Get = (path, schema, parameters) =>
    get(upstream, path, schema, () => true, parameters)
  const history = BlockfrostHistory.make(upstream, getAny)

  const find: CardanoProvider["find"] = (id) =>
    upstream.over((address) => address.read(HttpClientRequest.get(`/txs/${id}/cbor`), found))
  const send = SubmitApi.sending(upstream, submit, refusal)

  const lookUp: CardanoProvider["lookUp"] = (ids) => each(ids, (id) => Effect.either(lookUpAt(upstream, id)), 4)

  const { name, standing } = upstream
  return {
    name,
    standing,
    balances,
    metadata,
    unspent: yield* unspent(upstream),
    history,
    transaction: BlockfrostHistory.transaction(getAny),
    send,
    find,
    lookUp,
    fault: upstream.fault,
    parameters: latest(upstream, "/epochs/latest/parameters", Parameters),
    block: latest(upstream, newestBlock, Block),
    head: upstream.read(HttpClientRequest.get(newestBlock), Block)
  } satisfies CardanoProvider as CardanoProvider
})

/** Looks up a transaction in the blocks, then in the mempool. */
const lookUpAt = (upstream: Upstream.Upstream, id: string) =>
  Effect.gen(function* () {
    const isIt = ({ hash }: { readonly hash: string }) => hash === id
    const included = yield* get(upstream, `/txs/${id}`, BlockfrostHistory.Content, isIt)
    if (Option.isSome(included)) {
      const { block_height: height, block_time: timestamp, fees: fee, valid_contract: valid } = included.value
      return { height, timestamp, fee, valid }
    }
    const waiting = yield* get(upstream, `/mempool/${id}`, MempoolTransaction, ({ tx }) => isIt(tx))
    return Option.isSome(waiting) ? ("mempool" as const) : undefined
  })

const MempoolTransaction = Schema.Struct({ tx: Schema.Struct({ hash: Hash }) })

const toMetadata = ({ metadata, onchain_metadata, onchain_metadata_standard: standard }: typeof Asset.Type) => ({
  decimals:
    metadata?.decimals ??
    (standard?.startsWith("CIP68") === true ? Option.getOrUndefined(onChain(onchain_metadata))?.decimals : undefined),
  name: metadata?.name ?? "",
  symbol: metadata?.ticker ?? ""
})

const toBalances = (amounts: typeof Amounts.Type): CardanoBalances => ({
  lovelace: amounts.find(({ unit }) => unit === "lovelace")?.quantity ?? 0n,
  // A unit may be listed twice.
  assets: [...new Map(amounts.map((amount) => [amount.unit, amount])).values()]
    .filter(({ unit }) => unit !== "lovelace")
    .map(({ decimals, quantity, unit }) => ({ unit, quantity, decimals }))
})

/** None for a 404 from Blockfrost itself: the address is unused. Any other 404 means a wrong path. */
const orNone =
  <A, I>(schema: Schema.Schema<A, I>, about: (found: A) => boolean): ResponseDecoder.Decoder<Option.Option<A>> =>
  (answer) =>
    answer.status === 404
      ? Either.flatMap(ResponseDecoder.json(answer), (body) =>
          isNotFound(body) ? Either.right(Option.none()) : Either.left({ ...elsewhere, status: 404 })
        )
      : Either.map(
          Either.filterOrLeft(ResponseDecoder.fitting(schema, { refusal })(answer), about, () => elsewhere),
          Option.some
        )

const isNotFound = (body: unknown) =>
  Predicate.isRecord(body) && body.status_code === 404 && String(body.message).includes("component has not been found")

const elsewhere: Fault = { reason: "bad_answer", detail: "returned something other than what was requested" }

/** 402: daily quota used up. 418: banned for continuing after that. Both end in time: retried after ten minutes. */
const refusal = (body: unknown): Fault | undefined => {
  const code = Predicate.isRecord(body) ? body.status_code : undefined
  return code === 402 || code === 418
    ? { reason: "rate_limited", detail: `call limit reached (${code})`, retryAfter: 10 * 60 * 1000 }
    : undefined
}
