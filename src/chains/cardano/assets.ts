import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { lookups } from "../../kernel/collections/lookups.ts"
import { each } from "../../kernel/each.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../Chain.ts"
import { decimalsOf, follow, unread } from "../kit/holdings/tokenList.ts"
import { tokens } from "./CardanoAsset.ts"
import { type AssetDecimals, type CardanoProvider, type Metadata, unanswered } from "./Provider.ts"
import { type Registered, unitsOf } from "./toHoldings.ts"

/** The registered assets of a token list; none before it is loaded. */
export const registeredIn = (known: Option.Option<TokenList>): Registered =>
  Option.match(known, { onNone: () => none, onSome: ({ byAddress }) => byAddress })

/** The token list, and metadata of assets from the first source that returns it, cached for a day. */
export const assetsOf = (sources: ReadonlyArray<CardanoProvider>) =>
  Effect.gen(function* () {
    const names = sources.map(({ name }) => name)
    const { abilities, confirm, list } = yield* follow(tokens, names)
    const metadataOf = yield* lookups({
      capacity: 10_000,
      timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value !== undefined ? "1 day" : "10 seconds"),
      lookup: (unit: string): Effect.Effect<Metadata | undefined, UpstreamError> =>
        Sources.first(sources, (source) => source.metadata(unit), { none: unanswered })
    })
    /** Undefined for an asset that declares none; one that could not be looked up is left. */
    const declaredOf = (unit: string) =>
      Effect.map(Effect.either(metadataOf(unit)), (found) =>
        Either.flatMap(Either.mapLeft(found, unread), (metadata) =>
          metadata === undefined ? Either.left(unknown) : Either.right(metadata.decimals)
        )
      )
    /** Decimals by asset, after this time (ms) at the latest: a slow look-up affects only its asset. */
    const declaredWithin = (units: ReadonlyArray<string>, duration: number) =>
      Effect.map(
        each(units, (unit) =>
          declaredOf(unit).pipe(
            timeoutTo({ duration, onTimeout: () => Effect.succeed(Either.left(late)) }),
            Effect.map((found) => [unit, found] as const)
          )
        ),
        (pairs): AssetDecimals => new Map(pairs)
      )
    /** Confirms decimals of assets that were reported and do not contradict the list. */
    const confirmReported = (reported: AssetDecimals): Effect.Effect<void> =>
      Effect.flatMap(reported.size === 0 ? Effect.succeedNone : list, (known) =>
        confirm(decimalsOf([Either.right(unitsOf(reported, registeredIn(known)))]))
      )
    return {
      abilities,
      confirm,
      list,
      /** Undefined for an asset that was never minted. */
      metadataOf,
      decimalsOf: declaredWithin,
      confirmReported,
      /** Looks up and confirms decimals of assets that did not come with their transactions, at most for this time (ms). */
      confirmWithin: (duration: number) => (units: ReadonlyArray<string>) =>
        Effect.flatMap(declaredWithin(units, duration), confirmReported)
    }
  })

export type CardanoAssets = Effect.Effect.Success<ReturnType<typeof assetsOf>>

const none: Registered = new Map()

const late: ReadFailure = { reason: "timeout", message: "the decimals of the asset were not read in time" }
const unknown: ReadFailure = { reason: "bad_answer", message: "the decimals of the asset are not known" }
