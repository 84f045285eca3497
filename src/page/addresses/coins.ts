import { type KnownCoin, type NamedCoin, namedCoins } from "../coin/candleCoins.ts"
import { ownHoldings } from "../state/recent.ts"
import { service } from "../state/service.ts"

/** Coins that no network has as its own. */
const others: ReadonlyArray<KnownCoin> = [
  { id: "tether", name: "Tether", symbol: "USDT" },
  { id: "usd-coin", name: "USDC", symbol: "USDC" },
  { id: "dai", name: "Dai", symbol: "DAI" },
  { id: "wrapped-bitcoin", name: "Wrapped Bitcoin", symbol: "WBTC" },
  { id: "shiba-inu", name: "Shiba Inu", symbol: "SHIB" },
  { id: "chainlink", name: "Chainlink", symbol: "LINK" }
]

/** The coins that the page has loaded, each once: those of networks, some others, and those of the last portfolio. */
export const knownCoins = (): ReadonlyArray<KnownCoin> => {
  const names = new Map(namedCoins)
  const native = service.get().networks.map(({ name, nativeCoin: { coinId: id, symbol } }) => ({
    id,
    name: names.get(id as never) ?? name,
    symbol
  }))
  const own = ownHoldings
    .get()
    .flatMap(({ row: { coinId: id, tokenName: name, tokenSymbol: symbol } }) =>
      id === "" ? [] : [{ id, name, symbol }]
    )
  const named = namedCoins.map(([id, name]) => ({ id, name, symbol: name }))
  const coins = new Map<string, KnownCoin>()
  for (const coin of [...native, ...others, ...named, ...own]) if (!coins.has(coin.id)) coins.set(coin.id, coin)
  return [...coins.values()]
}

/** The coin with this name, symbol or id, among the coins that the page has loaded; undefined for other texts. */
export const coinOf = (text: string): NamedCoin | undefined => {
  const wanted = text.trim().toLowerCase()
  return knownCoins().find(({ id, name, symbol }) => [id, name, symbol].some((word) => word.toLowerCase() === wanted))
}
