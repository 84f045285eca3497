import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { cardano } from "../../../../catalogue/cardano.ts"
import { each } from "../../../../kernel/each.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Budget from "../../../../upstream/budget/Budget.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../../upstream/UpstreamError.ts"
import type { EpochJson } from "../../../Chain.ts"
import { isStake } from "../../CardanoAddress.ts"
import { Decimals, supplyIn } from "../../formats.ts"
import { type CardanoBalances, type CardanoProvider, nothing } from "../../Provider.ts"
import * as SubmitApi from "../../submit/SubmitApi.ts"
import * as BlockfrostHistory from "./BlockfrostHistory.ts"
import * as BlockfrostUnspent from "./BlockfrostUnspent.ts"
import * as calls from "./calls.ts"
import { type Get, getting, orNone, paging, refusal } from "./reading.ts"

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
    calls,
    keys: { project_id: key },
    rate: granted,
    refusal,
    canary: (address) => address.read(Call.requestOf(calls.genesis, {}), Call.decoding(calls.genesis, {}, { refusal }))
  })
})

/** Returned unchanged. */
const latest = <A extends { readonly epoch: number }, I>(
  upstream: Upstream.Upstream,
  call: Call.Call<string, object, unknown, A, I>
) =>
  upstream.over((address) =>
    address.read(Call.requestOf(call, {}), (answer) =>
      Either.map(
        Call.decoding(call, {}, { refusal })(answer),
        ({ epoch }): EpochJson => ({ epoch, json: answer.text.trim() })
      )
    )
  )

/** Undefined without a project id. */
export const make = Effect.gen(function* () {
  const upstream = yield* connect
  if (upstream === undefined) return undefined
  const [get, pages] = [getting(upstream), paging(upstream)]

  const payment = (requested: string): Effect.Effect<CardanoBalances, UpstreamError> =>
    Effect.map(
      get(calls.address, { address: requested }),
      Option.match({ onNone: () => nothing, onSome: ({ amount }) => toBalances(amount) })
    )

  const account = (requested: string, withAssets: boolean): Effect.Effect<CardanoBalances, UpstreamError> =>
    Effect.gen(function* () {
      const [found, assets] = yield* Effect.all(
        [
          get(calls.account, { address: requested }),
          Effect.either(
            withAssets
              ? pages(calls.accountAssets, requested, ({ unit }) => unit)
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
    Effect.map(get(calls.asset, { unit }), (found) => Option.getOrUndefined(Option.map(found, toMetadata)))

  const find: CardanoProvider["find"] = (id) =>
    upstream.over((address) =>
      address.read(Call.requestOf(calls.cbor, { hash: id }), (answer) =>
        Either.map(orNone(Call.decoding(calls.cbor, { hash: id }, { refusal }))(answer), (found) =>
          SubmitApi.verdictOf(Option.isNone(found) ? "unknown" : "done", answer.text)
        )
      )
    )

  const { name, standing } = upstream
  return {
    name,
    standing,
    balances,
    metadata,
    unspent: yield* BlockfrostUnspent.make(get, pages),
    history: BlockfrostHistory.make(upstream, get),
    transaction: BlockfrostHistory.transaction(get),
    send: SubmitApi.sending(upstream, calls.submit, refusal),
    find,
    lookUp: (ids) => each(ids, (id) => Effect.either(lookUpAt(get, id)), 4),
    fault: upstream.fault,
    parameters: latest(upstream, calls.parameters),
    block: latest(upstream, calls.newestBlock),
    head: Call.reading(upstream, { refusal })(calls.newestBlock, {})
  } satisfies CardanoProvider as CardanoProvider
})

/** Looks up a transaction in the blocks, then in the mempool. */
const lookUpAt = (get: Get, hash: string) =>
  Effect.gen(function* () {
    const included = yield* get(calls.transaction, { hash })
    if (Option.isSome(included)) {
      const { block_height: height, block_time: timestamp, fees: fee, valid_contract: valid } = included.value
      return { height, timestamp, fee, valid }
    }
    return Option.isSome(yield* get(calls.waiting, { hash })) ? ("mempool" as const) : undefined
  })

const toMetadata = ({
  metadata,
  onchain_metadata,
  onchain_metadata_standard: standard,
  quantity
}: typeof calls.asset.response.Type) => ({
  decimals:
    metadata?.decimals ??
    (standard?.startsWith("CIP68") === true ? Option.getOrUndefined(onChain(onchain_metadata))?.decimals : undefined),
  name: metadata?.name ?? "",
  symbol: metadata?.ticker ?? "",
  ...supplyIn(quantity)
})

const toBalances = (amounts: typeof calls.accountAssets.response.Type): CardanoBalances => ({
  lovelace: amounts.find(({ unit }) => unit === "lovelace")?.quantity ?? 0n,
  // A unit may be listed twice.
  assets: [...new Map(amounts.map((amount) => [amount.unit, amount])).values()]
    .filter(({ unit }) => unit !== "lovelace")
    .map(({ decimals, quantity, unit }) => ({ unit, quantity, decimals }))
})
