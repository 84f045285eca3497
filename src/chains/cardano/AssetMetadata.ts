import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { lookups } from "../../kernel/collections/lookups.ts"
import { each } from "../../kernel/each.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../Chain.ts"
import { unread } from "../tokenList.ts"
import type { Decimals } from "./Holdings.ts"
import { type CardanoSource, type Metadata, unanswered } from "./Source.ts"

/** Metadata of assets, from the first source that returns it; cached for a day. */
export const make = (sources: ReadonlyArray<CardanoSource>) =>
  Effect.map(
    lookups({
      capacity: 10_000,
      timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value !== undefined ? "1 day" : "10 seconds"),
      lookup: (unit: string): Effect.Effect<Metadata | undefined, UpstreamError> =>
        Sources.first(sources, (source) => source.metadata(unit), { none: unanswered })
    }),
    (metadataOf) => {
      /** An asset without registered decimals has 0; one that could not be looked up must not get 0. */
      const decimals = (unit: string) =>
        Effect.map(Effect.either(metadataOf(unit)), (found) =>
          Either.flatMap(Either.mapLeft(found, unread), (declared) =>
            declared === undefined ? Either.left(unknown) : Either.right(declared.decimals ?? 0)
          )
        )
      return {
        /** Undefined for an asset that was never minted. */
        of: metadataOf,
        /** Decimals by asset, after this time (ms) at the latest: a slow look-up affects only its asset. */
        decimalsOf: (units: ReadonlyArray<string>, duration: number) =>
          Effect.map(
            each(units, (unit) =>
              decimals(unit).pipe(
                timeoutTo({ duration, onTimeout: () => Effect.succeed(Either.left(late)) }),
                Effect.map((found) => [unit, found] as const)
              )
            ),
            (pairs): Decimals => new Map(pairs)
          )
      }
    }
  )

const late: ReadFailure = { reason: "timeout", message: "the decimals of the asset were not read in time" }
const unknown: ReadFailure = { reason: "bad_answer", message: "the decimals of the asset are not known" }
