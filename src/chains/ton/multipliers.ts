import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Multiplier from "../../domain/Multiplier.ts"
import { now, numberOf } from "../../domain/units.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { continuing } from "../../kernel/continuing.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { ReadFailure, Scalings } from "../Chain.ts"
import { type ScalingRead, scalingsOf } from "../kit/holdings/scaled.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { each, type Jetton, type JettonInfo, type TonProviders } from "./Provider.ts"

// Jettons whose displayed amounts have a multiplier (TEP-526): `get_display_multiplier` of the master returns a fraction.

/** How long a multiplier is used without another read, ms. */
const lifetime = 60_000

/** How long a jetton counts as one without a multiplier, ms: an upgrade of its master can add one. */
const plainLifetime = 24 * 60 * 60 * 1000

/** The time limit for the jettons of one request, ms. Most of them are known. */
const readWithin = 2_000

/** Maximum number of jettons of which it is known whether they have a multiplier. */
const capacity = 20_000

const late: ReadFailure = { reason: "timeout", message: "the multiplier of the jetton was not read in time" }
export const unreadable = (): ReadFailure => ({ reason: "bad_answer", message: impossible.detail })

/** The multiplier in a response; left if it is not possible. */
export const toMultiplier = (numerator: bigint, denominator: bigint): Either.Either<Multiplier.Multiplier, Fault> =>
  Either.fromOption(Multiplier.make(numerator, denominator), () => impossible)

/** The contract of a jetton returns it, so it is no fault of the indexer. */
export const impossible: Fault = {
  reason: "bad_answer",
  detail: "the multiplier of the jetton cannot be read",
  final: true
}

/** The scaling of a jetton. No source returns an announced multiplier. */
export const scalingIn = (multiplier: NonNullable<Jetton["multiplier"]>): ScalingRead =>
  Either.map(multiplier, (found) => found && Multiplier.scalingOf(found))

/** What masters declare; left if it could not be read. */
export type JettonInfos = ReadonlyMap<string, Either.Either<JettonInfo, ReadFailure>>

/** The declarations of the master of every jetton. The second indexer is preferred: one call reads many. */
export const infosOf = ([first, ...others]: TonProviders, masters: ReadonlyArray<string>) => {
  const [second = first] = others
  return each([second, first], masters, (provider) => provider.infos)
}

/**
 * Reads what masters declare. Whether a jetton has a multiplier is learnt once a day. `confirm` gets the decimals that
 * come with it.
 */
export const multipliers = (
  providers: TonProviders,
  confirm: (decimals: ReadonlyMap<string, number>) => Effect.Effect<void>
) =>
  Effect.map(BoundedMap.sized<JettonInfo>("ton-multipliers", capacity), (known) => {
    const start = continuing((masters) =>
      Effect.zipWith(infosOf(providers, masters), now, (found, clock) => {
        for (const [index, master] of masters.entries()) {
          const result = found[index]
          if (result === undefined || Either.isLeft(result)) continue
          const { multiplier } = result.right
          known.set(master, result.right, numberOf(clock) + (multiplier === undefined ? plainLifetime : lifetime))
        }
        return found.flatMap((result) => Option.toArray(Either.getLeft(result))).map(unread)[0] ?? unreadable()
      })
    )

    /** Cannot fail. */
    const infos = (masters: ReadonlyArray<string>): Effect.Effect<JettonInfos> =>
      Effect.gen(function* () {
        if (masters.length === 0) return new Map()
        const clock = numberOf(yield* now)
        const current = new Map(masters.map((master) => [master, known.get(master, clock)]))
        const open = [...new Set(masters.filter((master) => current.get(master) === undefined))]
        const reasons = yield* Effect.forEach(yield* start(open), Deferred.await).pipe(
          timeoutTo({ duration: readWithin, onTimeout: () => Effect.succeed([late]) })
        )
        const reason = reasons[0] ?? unreadable()
        const found = [...current].map(([master, before]) => [master, before ?? known.get(master, clock)] as const)
        yield* confirm(
          new Map(found.flatMap(([master, info]) => (info?.decimals === undefined ? [] : [[master, info.decimals]])))
        )
        return new Map(found.map(([master, info]) => [master, Either.fromNullable(info, () => reason)]))
      })

    return {
      infos,
      /** The scalings of jettons by their masters. Cannot fail: those that could not be read are left. */
      scalings: (masters: ReadonlyArray<string>): Effect.Effect<Scalings> =>
        Effect.map(infos(masters), (found) =>
          scalingsOf(
            [...found].map(([master, info]) => [master, scalingIn(Either.map(info, ({ multiplier }) => multiplier))])
          )
        )
    }
  })
