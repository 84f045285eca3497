import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CoinId } from "../domain/CoinId.ts"
import { Token } from "../domain/Token.ts"
import * as Store from "../storage/Store.ts"
import { correcting, listOf, type RegisteredToken, type TokenList } from "./TokenList.ts"

/** A provider may be down for long, and most of a list remains right. */
const storedFor = "60 days"

const StoredTokens = Schema.Array(Schema.Struct({ ...Token.fields, coinId: CoinId }))

/** The newest token list of each platform, in memory and in the store. */
export const make = Effect.map(Store.dated("tokens", 1, StoredTokens), (stored) => {
  const lists = new Map<string, TokenList>()
  /** The decimals that contracts declare, by platform and address. */
  const declared = new Map<string, ReadonlyMap<string, number>>()

  const set = (platform: string, tokens: ReadonlyArray<RegisteredToken>, at: number) => {
    lists.set(platform, listOf(tokens, at))
    return stored.setMany(new Map([[platform, { at, value: tokens }]]), storedFor)
  }

  return {
    current: lists as ReadonlyMap<string, TokenList>,
    /** Loads the list of a platform from the store; whether there is one. */
    restore: Effect.fnUntraced(function* (platform: string) {
      const found = (yield* stored.getMany([platform])).get(platform)
      if (found !== undefined) lists.set(platform, listOf(found.value, found.at))
      return found !== undefined
    }),
    replace: (platform: string, tokens: ReadonlyArray<RegisteredToken>, at: number) =>
      set(platform, correcting(tokens, declared.get(platform)), at),
    /** Corrects the decimals of the list, and of all that follow. */
    correct: (platform: string, decimals: ReadonlyMap<string, number>) =>
      Effect.suspend(() => {
        declared.set(platform, new Map([...(declared.get(platform) ?? []), ...decimals]))
        const list = lists.get(platform)
        const tokens = list === undefined ? [] : correcting(list.tokens, decimals)
        return list === undefined || tokens === list.tokens ? Effect.void : set(platform, tokens, list.at)
      })
  }
})
