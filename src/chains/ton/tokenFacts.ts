import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { TokenFacts } from "../../domain/tokens/TokenFacts.ts"
import { span } from "../../kernel/span.ts"
import type { Chain, ReadFailure } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import type { Declarations } from "./declarations.ts"
import { firstSuccess, type JettonMaster, type TonProviders } from "./Provider.ts"

// Masters of jettons (TEP-74). Their code may be anything, and is not read: who can stop or take tokens is not known.

const hidden: ReadFailure = { reason: "not_listed", message: "the code of the jetton does not show who may do what" }
const incomplete: ReadFailure = { reason: "bad_answer", message: "the jetton does not declare all values" }

const factsOf = ({ decimals, hasAdmin, isMintable, name, supply, symbol }: JettonMaster): TokenFacts => {
  const values = { name: name ?? null, symbol: symbol ?? null, decimals: decimals ?? null, supply: supply ?? null }
  const canMint = isMintable === undefined || hasAdmin === undefined ? null : isMintable && hasAdmin
  return {
    standard: "Jetton",
    ...values,
    powers: { mint: isMintable === false ? false : canMint, freeze: null, take: null, upgrade: null },
    unread: Object.values(values).includes(null) ? incomplete : hidden
  }
}

/** None only if every indexer follows the network and has no such jetton: one that lags may lack it. */
const masterOf = (providers: TonProviders, master: string) =>
  Effect.gen(function* () {
    const found = yield* firstSuccess(providers, (provider) => provider.master(master))
    if (Option.isSome(found)) return found
    for (const provider of providers) {
      yield* provider.notBehind
      const again = yield* provider.master(master)
      if (Option.isSome(again)) return again
    }
    return Option.none()
  })

/** Reads the master of a jetton, and its multiplier. */
export const tokenFacts =
  (providers: TonProviders, declared: Declarations): NonNullable<Chain["Type"]["tokenFacts"]> =>
  (master) =>
    Effect.zipWith(
      Effect.mapError(masterOf(providers, master), unread),
      declared.scalings([master]),
      (found, scalings) =>
        Option.map(found, (own): TokenFacts => {
          const facts = factsOf(own)
          const scaling = scalings.get(master)
          if (scaling === undefined) return facts
          return Either.isLeft(scaling) ? { ...facts, unread: scaling.left } : { ...facts, scaling: scaling.right }
        }),
      { concurrent: true }
    ).pipe(span("Ton.tokenFacts"))

/** Masters whose names are read for a request: each takes a call. */
const maxNames = 20

/** Reads the names of the first jettons. */
export const tokenNames =
  (providers: TonProviders): NonNullable<Chain["Type"]["tokenNames"]> =>
  (masters) =>
    Effect.map(
      Effect.forEach(
        masters.slice(0, maxNames),
        (master) =>
          Effect.map(
            Effect.option(firstSuccess(providers, (provider) => provider.master(master))),
            (found) => [master, Option.flatten(found)] as const
          ),
        { concurrency: 4 }
      ),
      (all) =>
        new Map(
          all.flatMap(([master, found]) =>
            Option.match(found, {
              onNone: () => [],
              onSome: ({ decimals = 0, name = "", symbol = "" }) => [[master, { name, symbol, decimals }] as const]
            })
          )
        )
    ).pipe(span("Ton.tokenNames", { attributes: { tokens: masters.length } }))
