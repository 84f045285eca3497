import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { TokenFacts, TokenName } from "../../domain/tokens/TokenFacts.ts"
import { span } from "../../kernel/span.ts"
import type { Chain, ReadFailure } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { typesPerQuery } from "./CoinDecimals.ts"
import type { SuiProvider } from "./Provider.ts"

// A coin has its name, its supply and its rules in its metadata, which its creator may keep private. Coins cannot be taken
// from their owners; those with a deny list can be stopped.

type Metadata = Effect.Effect.Success<ReturnType<SuiProvider["coin"]>>["metadata"]

const hidden: ReadFailure = { reason: "not_listed", message: "the coin has no public metadata" }
const incomplete: ReadFailure = { reason: "not_listed", message: "the metadata of the coin does not have all values" }

const factsOf = (metadata: Metadata): TokenFacts => {
  const { allowGlobalPause, decimals, name, regulatedState, supply, supplyState, symbol } = metadata ?? nothing
  const isRegulated = regulatedState === null ? null : regulatedState !== "UNREGULATED"
  const facts = {
    standard: "Coin",
    name,
    symbol,
    decimals,
    supply: supply === null ? null : BigInt(supply),
    powers: {
      freeze: isRegulated,
      pause: isRegulated === false ? false : allowGlobalPause,
      mint: supplyState === null ? null : supplyState !== "FIXED" && supplyState !== "BURN_ONLY"
    }
  }
  const isWhole = ![...Object.values(facts), ...Object.values(facts.powers)].includes(null)
  return { ...facts, ...(isWhole ? {} : { unread: metadata === null ? hidden : incomplete }) }
}

const nothing: NonNullable<Metadata> = {
  name: null,
  symbol: null,
  decimals: null,
  supply: null,
  supplyState: null,
  regulatedState: null,
  allowGlobalPause: null
}

/** Reads the metadata of a coin; none if its type cannot exist, because its package does not. */
export const tokenFacts =
  (provider: SuiProvider): NonNullable<Chain["Type"]["tokenFacts"]> =>
  (type) =>
    Effect.map(
      provider.hosts.over((host) => provider.coin(host, type)),
      ({ hasPackage, metadata }) => (metadata === null && !hasPackage ? Option.none() : Option.some(factsOf(metadata)))
    ).pipe(Effect.mapError(unread), span("Sui.tokenFacts"))

/** Reads what coins call themselves; a coin without public decimals is absent. Cannot fail. */
export const tokenNames =
  (provider: SuiProvider): NonNullable<Chain["Type"]["tokenNames"]> =>
  (types) =>
    Effect.map(
      Effect.forEach(
        Arr.chunksOf(types, typesPerQuery),
        (part) =>
          provider.hosts
            .over((host) => provider.names(host, part))
            .pipe(
              Effect.map((names) => part.flatMap((type, index) => nameOf(type, names[index]))),
              Effect.catchAll((error) => Effect.as(Effect.logDebug(error), []))
            ),
        { concurrency: 2 }
      ),
      (parts) => new Map(parts.flat())
    )

type CoinName = Effect.Effect.Success<ReturnType<SuiProvider["names"]>>[number]

const nameOf = (type: string, read: CoinName | undefined): ReadonlyArray<readonly [string, TokenName]> => {
  const found = read === undefined ? undefined : Either.getOrUndefined(read)
  if (found == null || found.decimals === null) return []
  return [[type, { name: found.name ?? "", symbol: found.symbol ?? "", decimals: found.decimals }]]
}
