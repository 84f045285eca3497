import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { CoinId } from "../domain/CoinId.ts"
import type { Token } from "../domain/Token.ts"
import type { ListedCoin, ListedToken } from "./CoinGecko.ts"

/** A token that has a coin id, and so can have a price. */
export type RegisteredToken = Token & { readonly coinId: CoinId }

/** The tokens of one platform. Immutable: a refresh makes a new list. */
export interface TokenList {
  readonly tokens: ReadonlyArray<RegisteredToken>
  /** By canonical address. */
  readonly byAddress: ReadonlyMap<string, RegisteredToken>
  /** One contract for each coin, which may have several on a platform. */
  readonly byCoin: ReadonlyMap<CoinId, RegisteredToken>
  /** When the list was made, ms. */
  readonly at: number
}

/** The facts of a platform from which its list is made. */
export interface PlatformFacts {
  /** Its id at CoinGecko. */
  readonly platform: string
  /** The canonical form of a contract address; none for one that is malformed. */
  readonly canonical: (address: string) => Option.Option<string>
  /**
   * For platforms without a token list of their own: the tokens of the list of coins are added, with these decimals until
   * the network itself returns theirs.
   */
  readonly unlisted?: { readonly decimals: number }
}

export const listOf = (tokens: ReadonlyArray<RegisteredToken>, at: number): TokenList => ({
  tokens,
  byAddress: new Map(tokens.map((token) => [token.address, token])),
  byCoin: new Map(tokens.map((token) => [token.coinId, token])),
  at
})

/** The same tokens with these decimals, by address; the same array where none of them differs. */
export const correcting = (
  tokens: ReadonlyArray<RegisteredToken>,
  decimals: ReadonlyMap<string, number> = new Map()
): ReadonlyArray<RegisteredToken> => {
  const differs = (token: RegisteredToken) => (decimals.get(token.address) ?? token.decimals) !== token.decimals
  return tokens.some(differs)
    ? tokens.map((token) => (differs(token) ? { ...token, decimals: decimals.get(token.address) ?? 0 } : token))
    : tokens
}

/** The tokens of a list that have a coin id; an address that is listed twice counts once. */
export const join = (
  tokens: ReadonlyArray<ListedToken>,
  coins: ReadonlyArray<ListedCoin>,
  { canonical, platform, unlisted }: PlatformFacts
): ReadonlyArray<RegisteredToken> => {
  const claims = new Map<string, Map<CoinId, ListedCoin>>()
  for (const coin of coins) {
    const address = Option.flatMap(Option.fromNullable(coin.platforms[platform]), canonical)
    const coinId = asCoinId(coin.id)
    if (Option.isNone(address) || Option.isNone(coinId)) continue
    claims.set(address.value, new Map([...(claims.get(address.value) ?? []), [coinId.value, coin]]))
  }
  const joined = new Map<string, RegisteredToken>()
  for (const token of tokens) {
    const address = Option.getOrUndefined(canonical(token.address))
    const [coinId] = (address === undefined ? undefined : single(claims.get(address), token.symbol)) ?? []
    if (address !== undefined && coinId !== undefined)
      joined.set(address, {
        address,
        coinId,
        name: token.name,
        symbol: token.symbol,
        decimals: token.decimals,
        thumbnail: token.logoURI ?? ""
      })
  }
  if (unlisted !== undefined)
    for (const [address, claim] of claims) {
      const [coinId, coin] = single(claim) ?? []
      if (coinId !== undefined && coin !== undefined && !joined.has(address))
        joined.set(address, {
          address,
          coinId,
          name: coin.name,
          symbol: coin.symbol.toUpperCase(),
          decimals: unlisted.decimals,
          thumbnail: ""
        })
    }
  return [...joined.values()]
}

const asCoinId = Schema.decodeUnknownOption(CoinId)

/** Several coins may claim one contract: then only a coin with the symbol of the token, for a wrong price is worse than none. */
const single = (claim: ReadonlyMap<CoinId, ListedCoin> | undefined, symbol?: string) => {
  const coins = [...(claim ?? [])]
  const namesakes = coins.filter(([, coin]) => coin.symbol.toLowerCase() === symbol?.toLowerCase())
  return coins.length === 1 ? coins[0] : namesakes.length === 1 ? namesakes[0] : undefined
}
