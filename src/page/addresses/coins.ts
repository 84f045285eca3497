import { namedCoins } from "../coin/candleCoins.ts"
import { ownHoldings } from "../state/recent.ts"
import { service } from "../state/service.ts"

/** A coin that a text names. */
export interface NamedCoin {
  readonly id: string
  readonly name: string
}

/** Coins that no network has as its own, by symbol. */
const symbols: Readonly<Record<string, NamedCoin>> = {
  usdt: { id: "tether", name: "Tether" },
  usdc: { id: "usd-coin", name: "USDC" },
  dai: { id: "dai", name: "Dai" },
  wbtc: { id: "wrapped-bitcoin", name: "Wrapped Bitcoin" },
  shib: { id: "shiba-inu", name: "Shiba Inu" },
  link: { id: "chainlink", name: "Chainlink" }
}

/** The coin with this name, symbol or id, among the coins that the page has loaded; undefined for other texts. */
export const coinOf = (text: string): NamedCoin | undefined => {
  const wanted = text.trim().toLowerCase()
  const is = (...names: ReadonlyArray<string>) => names.some((name) => name.toLowerCase() === wanted)
  const [id, named] = namedCoins.find((coin) => is(...coin)) ?? []
  if (id !== undefined && named !== undefined) return { id, name: named }
  const native = service.get().networks.find(({ nativeCoin: { coinId, symbol } }) => is(coinId, symbol))
  if (native !== undefined) return { id: native.nativeCoin.coinId, name: native.nativeCoin.symbol }
  const known = Object.values(symbols).find((coin) => is(coin.id, coin.name))
  if (known !== undefined) return known
  if (Object.hasOwn(symbols, wanted)) return symbols[wanted]
  const own = ownHoldings.get().find(({ row }) => row.coinId !== "" && is(row.coinId, row.tokenSymbol, row.tokenName))
  return own === undefined ? undefined : { id: own.row.coinId, name: own.row.tokenSymbol }
}
