import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Token } from "../../domain/Token.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import { follow } from "../kit/holdings/tokenList.ts"
import { multipliers } from "./multipliers.ts"
import { type Jetton, type TonProviders, timedOut } from "./Provider.ts"
import { tokens as platformTokens, standardDecimals } from "./TonAddress.ts"

/** The list of jettons; reads the declarations of their masters, and confirms their decimals. */
export const declarations = (providers: TonProviders) =>
  Effect.gen(function* () {
    const tokens = yield* follow(
      platformTokens,
      providers.map(({ name }) => name)
    )
    /** Confirms decimals that do not contradict the list. */
    const confirm = (decimals: ReadonlyMap<string, number>) =>
      Effect.flatMap(decimals.size === 0 ? Effect.succeedNone : tokens.list, (known) => {
        const isPossible = ([master, own]: readonly [string, number]) => {
          const token = Option.getOrUndefined(known)?.byAddress.get(master)
          return token !== undefined && agrees(token, own)
        }
        return tokens.confirm(new Map([...decimals].filter(isPossible)))
      })
    const { infos, scalings } = yield* multipliers(providers, confirm)
    const confirmAlone = (master: string) =>
      decimalsOf(providers, master).pipe(
        Effect.flatMap((decimals) => confirm(new Map([[master, decimals]]))),
        Effect.catchAll(({ message }) => Effect.logDebug(`decimals of jettons: ${message}`))
      )
    return {
      abilities: tokens.abilities,
      list: tokens.list,
      confirm,
      infos,
      scalings,
      /** Confirms the decimals of these masters, each alone if they do not come with its multiplier. Cannot fail. */
      confirmAll: (masters: ReadonlyArray<string>) =>
        Effect.flatMap(infos(masters), (found) => {
          const open = masters.filter((master) => {
            const info = found.get(master)
            return info === undefined || Either.isLeft(info) || info.right.decimals === undefined
          })
          return Effect.forEach(open, confirmAlone, { concurrency: 4, discard: true })
        })
    }
  })

export type Declarations = Effect.Effect.Success<ReturnType<typeof declarations>>

/**
 * Nine decimals in the token list may be a default: six read as nine would show a thousandth of the balance. Any other
 * number in the list must equal the decimals that the jetton declares.
 */
export const agrees = (token: Token, decimals: number): boolean =>
  token.decimals === standardDecimals || token.decimals === decimals

/** The decimals of the list, if they are certain enough for an amount. */
export const listedDecimals = (token: Token, { amount }: Jetton): number | undefined =>
  token.decimals === standardDecimals && amount !== 0n ? undefined : token.decimals

/** The decimals of a jetton. If an indexer has not indexed the jetton yet, the next indexer is used. */
export const decimalsOf = (providers: TonProviders, master: string): Effect.Effect<number, UpstreamError> =>
  Sources.firstOf(providers, (provider) => Effect.flatMap(provider.decimals(master), Option.match(decimalsOrNone)), {
    none: timedOut,
    reason: (failures) => failures.find((failure) => failure !== noJetton)
  })

const noJetton = new UpstreamError({
  upstream: "ton",
  reason: "bad_answer",
  detail: "there is no jetton at this address, or its decimals are unknown"
})
const decimalsOrNone = { onNone: () => Effect.fail(noJetton), onSome: (found: number) => Effect.succeed(found) }
