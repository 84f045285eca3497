import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Multiplier from "../../domain/Multiplier.ts"
import { distance, greatest, type Millis, now, Seconds, toMillis, toSeconds } from "../../domain/units.ts"
import { each } from "../../kernel/each.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { ReadFailure, Scalings } from "../Chain.ts"
import { type ScalingRead, scalingsOf } from "../kit/holdings/scaled.ts"
import { follow, knownDecimals, unread } from "../kit/holdings/tokenList.ts"
import type { SolanaProvider } from "./Provider.ts"
import { accountsPerCall, Mint } from "./providers/agave/calls.ts"
import { tokens } from "./SolanaAddress.ts"

// Mints of the Token and the Token-2022 program; a mint of Token-2022 may have the extension scaled UI amount or
// interest-bearing (github.com/solana-program/token-2022, interface/src/extension).

type Extensions = NonNullable<(typeof Mint.Type)["parsed"]["info"]["extensions"]>

const isMint = Schema.is(Schema.Struct({ data: Mint }))

const Positive = Schema.String.pipe(Schema.filter((text) => Option.isSome(Multiplier.fromDecimal(text))))

/** A time may be any 64-bit number; 0 if the multiplier never changed. */
const Time = Schema.compose(Schema.NonNegativeInt, Seconds)

const Scaled = Schema.Struct({
  multiplier: Positive,
  newMultiplier: Positive,
  newMultiplierEffectiveTimestamp: Time
})

/** Rates in hundredths of a percent per year. */
const Rate = Schema.Int.pipe(Schema.between(-32_768, 32_767))

const InterestBearing = Schema.Struct({
  initializationTimestamp: Time,
  preUpdateAverageRate: Rate,
  lastUpdateTimestamp: Time,
  currentRate: Rate
})

/** The program's year in and a rate of 100 %. */
const [year, whole] = [31_556_736, 10_000]

/** Continuous interest. The program computes with doubles, too. */
const interestFrom = (state: typeof InterestBearing.Type, clock: Seconds): Option.Option<Multiplier.Multiplier> => {
  const { currentRate, initializationTimestamp, lastUpdateTimestamp, preUpdateAverageRate } = state
  const growth = (rate: number, from: Seconds, to: Seconds) => Math.exp((rate * distance(from, to)) / year / whole)
  if (lastUpdateTimestamp < initializationTimestamp) return Option.none()
  return Multiplier.fromNumber(
    growth(preUpdateAverageRate, initializationTimestamp, lastUpdateTimestamp) *
      // The clock of the chain may be ahead of this one.
      growth(currentRate, lastUpdateTimestamp, greatest(clock, lastUpdateTimestamp))
  )
}

const decodeScaled = Schema.decodeUnknownOption(Scaled)
const decodeInterest = Schema.decodeUnknownOption(InterestBearing)

/** The scaling of a mint at a time; undefined if it has none, left if it cannot be read. */
export const scalingIn = (extensions: Extensions, clock: Millis): ScalingRead => {
  const stateOf = (name: string) => extensions.find(({ extension }) => extension === name)
  const [scaled, interest] = [stateOf("scaledUiAmountConfig"), stateOf("interestBearingConfig")]
  const scaling = Option.gen(function* () {
    if (scaled !== undefined) {
      const state = yield* decodeScaled(scaled.state)
      const next = yield* Multiplier.fromDecimal(state.newMultiplier)
      const at = toMillis(state.newMultiplierEffectiveTimestamp)
      if (clock >= at) return Multiplier.scalingOf(next)
      return Multiplier.scalingOf(yield* Multiplier.fromDecimal(state.multiplier), { multiplier: next, at })
    }
    if (interest !== undefined) {
      const state = yield* decodeInterest(interest.state)
      return Multiplier.scalingOf(yield* interestFrom(state, toSeconds(clock)))
    }
    // The name that nodes give to an extension which they do not know: it may be one of the two.
    return yield* stateOf("unparseableExtension") === undefined ? Option.some(undefined) : Option.none()
  })
  return Either.fromOption(scaling, () => unreadable)
}

const unreadable: ReadFailure = { reason: "bad_answer", message: "the multiplier of this mint cannot be read" }

/** Why the amounts of a token are unknown. */
export const noMint: ReadFailure = { reason: "bad_answer", message: "the node does not have the mint of this token" }

/** What a mint declares about its amounts. */
interface MintFacts {
  readonly decimals: number
  /** Undefined without one. */
  readonly scaling: ScalingRead
}

/** The facts of mints that were requested; left if they could not be read. */
export type MintReadings = ReadonlyMap<string, Either.Either<MintFacts, ReadFailure>>

/**
 * The list of tokens, and what their mints declare. A mint can get neither of the two extensions after its creation,
 * and its decimals stay: one without extensions is read once.
 */
export const make = (agave: SolanaProvider) =>
  Effect.gen(function* () {
    const { abilities, confirm, list } = yield* follow(tokens, [agave.name])
    const plain = yield* knownDecimals("solana-plain-mints", list)
    /** The facts of accounts; undefined for one that is no mint. */
    const factsIn = (accounts: ReadonlyArray<readonly [mint: string, account: unknown]>) =>
      Effect.gen(function* () {
        const clock = yield* now
        const found = accounts.map(([mint, account]) => {
          if (!isMint(account)) return undefined
          const { decimals, extensions = [] } = account.data.parsed.info
          const isPlain = !extensions.some(({ extension }) => scaling.has(extension))
          return { mint, isPlain, facts: { decimals, scaling: scalingIn(extensions, clock) } satisfies MintFacts }
        })
        yield* plain.add(
          new Map(found.flatMap((own) => (own?.isPlain === true ? [[own.mint, own.facts.decimals] as const] : [])))
        )
        return found.map((own): MintFacts | undefined => own?.facts)
      })

    const readChunk = (mints: ReadonlyArray<string>) =>
      agave.nodes
        .over((node) =>
          Effect.flatMap(agave.mints(node, mints), (accounts) =>
            factsIn(mints.map((mint, index) => [mint, accounts[index]] as const))
          )
        )
        .pipe(
          Effect.match({
            onFailure: (error) => mints.map((mint) => [mint, Either.left(unread(error))] as const),
            onSuccess: (found) =>
              mints.map((mint, index) => [mint, Either.fromNullable(found[index], () => noMint)] as const)
          })
        )

    const plainFacts = (mint: string): Effect.Effect<MintFacts | undefined> =>
      Effect.map(plain.get(mint), (decimals) =>
        decimals === undefined ? undefined : { decimals, scaling: Either.right(undefined) }
      )

    /** Reads the facts of these mints of listed tokens, and confirms their decimals. Cannot fail. */
    const facts = (mints: ReadonlyArray<string>): Effect.Effect<MintReadings> =>
      Effect.gen(function* () {
        const [open, known] = Arr.separate(
          yield* Effect.forEach(mints, (mint) =>
            Effect.map(plainFacts(mint), (declared) =>
              declared === undefined ? Either.left(mint) : Either.right([mint, Either.right(declared)] as const)
            )
          )
        )
        const read = (yield* each(Arr.chunksOf([...new Set(open)], accountsPerCall), readChunk)).flat()
        const found: MintReadings = new Map([...known, ...read])
        const decimals = Array.from(found).flatMap(([mint, own]) =>
          Either.isLeft(own) ? [] : [[mint, own.right.decimals] as const]
        )
        yield* confirm(new Map(decimals))
        return found
      })

    return {
      abilities,
      list,
      plainFacts,
      facts,
      /** The scalings of these mints. Cannot fail: those that could not be read are left. */
      scalings: (mints: ReadonlyArray<string>): Effect.Effect<Scalings> =>
        Effect.map(facts(mints), (all) =>
          scalingsOf([...all].map(([mint, declared]) => [mint, Either.flatMap(declared, (found) => found.scaling)]))
        ),
      /** Reads a mint from the account that a node returned; none if it is no mint. */
      factsOf: (mint: string, account: MintAnswer): Effect.Effect<Option.Option<MintFacts>, Fault> =>
        Effect.flatMap(account, ({ value }) =>
          Effect.map(factsIn([[mint, value]]), ([own]) => Option.fromNullable(own))
        )
    }
  })

type MintAnswer = NonNullable<Effect.Effect.Success<ReturnType<SolanaProvider["balanceOf"]>>["account"]>

export type Mints = Effect.Effect.Success<ReturnType<typeof make>>

const scaling: ReadonlySet<string> = new Set(["scaledUiAmountConfig", "interestBearingConfig", "unparseableExtension"])
