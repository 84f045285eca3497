import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { cardano } from "../../catalogue/cardano.ts"
import type { HistoryPart, HistoryQuery } from "../../domain/Transaction.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import type { RegisteredToken } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/Deadline.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import { Chain, type Unread } from "../Chain.ts"
import { follow, missingTokens, unread } from "../tokenList.ts"
import * as Blockfrost from "./blockfrost/Blockfrost.ts"
import * as CardanoAddress from "./CardanoAddress.ts"
import * as CardanoAsset from "./CardanoAsset.ts"
import * as Holdings from "./Holdings.ts"
import * as Koios from "./koios/Koios.ts"
import * as RawTransactions from "./RawTransactions.ts"
import { type CardanoBalances, type Metadata, nothing, type Source } from "./Source.ts"

// The ledger of Cardano as Blockfrost and Koios index it; addresses of CIP-19 and of the Byron era, metadata of CIP-26
// and CIP-68.

type Result = Either.Either<CardanoBalances, UpstreamError>

const make = Effect.gen(function* () {
  const blockfrost = yield* Blockfrost.make
  const koios = yield* Koios.make
  const sources = blockfrost === undefined ? ([koios] as const) : ([blockfrost, koios] as const)
  const names = sources.map(({ name }) => name)
  // Koios tells thirteen transactions at a call, Blockfrost takes two calls for each of them.
  const tellers = [...sources].reverse()
  const patience = Deadline.make(yield* requestDeadline).share("read")
  const tokenList = yield* follow(
    { platform: "cardano", canonical: CardanoAsset.parse, unlisted: { decimals: 0 } },
    names
  )
  const metadata = yield* Cache.makeWith({
    capacity: 10_000,
    timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value !== undefined ? "1 day" : "10 seconds"),
    lookup: (unit: string) => ask(sources, unit)
  })

  /** Of held assets. One that nobody has given decimals has none; one that is not known at all must not pass for that. */
  const decimalsOf = (units: ReadonlyArray<string>) =>
    Effect.map(
      each(units, (unit) =>
        Effect.map(
          Effect.either(metadata.get(unit)),
          (found) =>
            [
              unit,
              Either.flatMap(Either.mapLeft(found, unread), (item) =>
                item === undefined ? Either.left(unknown) : Either.right(item.decimals ?? 0)
              )
            ] as const
        )
      ),
      (pairs): Holdings.Decimals => new Map(pairs)
    )

  const holdings: Chain["Type"]["holdings"] = (addresses) =>
    Effect.gen(function* () {
      const known = yield* tokenList.list
      const registered = Option.match(known, { onNone: () => none, onSome: ({ byAddress }) => byAddress })
      const results = yield* heldBy(sources, addresses, Option.isSome(known))
      const asked = yield* decimalsOf(Holdings.unclear(results.flatMap(Either.match(whatIsThere)), registered))
      return {
        addresses: results.map(
          Either.mapBoth({ onLeft: unread, onRight: (held) => Holdings.toHoldings(held, registered, asked) })
        ),
        missing: missingTokens(known)
      }
    }).pipe(span("Cardano.holdings", { attributes: { addresses: addresses.length } }))

  const holding: Chain["Type"]["holding"] = (address, text) =>
    Effect.gen(function* () {
      const unit = Option.flatMap(text, CardanoAsset.parse)
      if (Option.isSome(text) && Option.isNone(unit)) return yield* Effect.fail(invalidToken)
      const [result = Either.right(nothing)] = yield* heldBy(sources, [address], Option.isSome(unit))
      const held = yield* result
      if (Option.isNone(unit)) return Holdings.native(held)
      const asset = held.assets.find((element) => element.unit === unit.value)
      const known = Option.flatMapNullable(yield* tokenList.list, ({ byAddress }) => byAddress.get(unit.value))
      const found = asset ?? { unit: unit.value, quantity: 0n, decimals: undefined }
      if (Option.isSome(known)) {
        const asked = yield* decimalsOf(
          Holdings.unclear([{ ...held, assets: [found] }], new Map([[unit.value, known.value]]))
        )
        return Holdings.toHolding(found, known.value, asked)
      }
      const told = yield* metadata.get(unit.value)
      if (told === undefined) return yield* Effect.fail(noAsset)
      const decimals = found.decimals ?? told.decimals ?? 0
      const { name, symbol } = told
      return {
        asset: { address: unit.value, name, symbol, decimals, thumbnail: "" },
        amount: Either.right(found.quantity)
      }
    }).pipe(Effect.mapError(unread))

  /** The first source that tells all that is wanted; else the one that tells most. Each leaves time for the next. */
  const history = Effect.fnUntraced(
    function* (question: HistoryQuery) {
      const start = yield* Clock.currentTimeMillis
      const read = (source: Source, others: ReadonlyArray<Source>) =>
        source.history(question, start + (patience * (tellers.length - others.length)) / tellers.length)
      return yield* Sources.firstOf(tellers, read, {
        none: unanswered,
        isWhole: ({ missing }: HistoryPart) => missing.length === 0,
        isBetter: (part, best) => part.transactions.length > best.transactions.length,
        reason: ([first]) => first
      })
    },
    Effect.mapError(unread),
    span("Cardano.history")
  )

  return {
    facts: cardano,
    address: CardanoAddress.parse,
    // As many as one question to Koios may hold.
    batchSize: 9,
    holdings,
    holding,
    history,
    rawTransactions: RawTransactions.make(sources),
    protocolParameters: { current: first(sources, "parameters"), block: first(sources, "block") },
    abilities: Effect.map(tokenList.abilities, (abilities) => ({
      ...abilities,
      history: Either.right(tellers.map(({ name }) => name)),
      rawTransactions: Either.right(names)
    }))
  } satisfies Chain["Type"] as Chain["Type"]
})

/** What one source could not tell the next one is asked for. */
const heldBy = (
  sources: ReadonlyArray<Source>,
  addresses: ReadonlyArray<string>,
  withAssets: boolean
): Effect.Effect<ReadonlyArray<Result>> =>
  Effect.map(
    Sources.each<Source, string, CardanoBalances, UpstreamError>(sources, addresses, (source, open, tell) =>
      source.held(open, withAssets, tell)
    ),
    (found) => addresses.map((address) => found.get(address) ?? Either.left(unanswered))
  )

const ask = (sources: ReadonlyArray<Source>, unit: string): Effect.Effect<Metadata | undefined, UpstreamError> =>
  Sources.first(sources, (source) => source.metadata(unit), { none: unanswered })

/** What the first source that can tells. */
const first = (sources: ReadonlyArray<Source>, what: "parameters" | "block") =>
  Sources.first(sources, (source) => source[what], { none: unanswered }).pipe(
    Effect.mapError(unread),
    span(`Cardano.${what}`)
  )

const unanswered = new UpstreamError({ upstream: "cardano", reason: "timeout", detail: "timed out" })

const whatIsThere = {
  onLeft: (): ReadonlyArray<CardanoBalances> => [],
  onRight: (held: CardanoBalances): ReadonlyArray<CardanoBalances> => [held]
}

const none: ReadonlyMap<string, RegisteredToken> = new Map()

const noAsset: Unread = { reason: "bad_answer", message: "no asset with this policy and name was ever minted" }

const unknown: Unread = { reason: "bad_answer", message: "the decimals of the asset are not known" }

const invalidToken: Unread = {
  reason: "invalid_address",
  message: "tokenAddress: an asset is its policy id (56 hexadecimal digits) and the hexadecimal digits of its name"
}

export const layer = Layer.effect(Chain, make)
