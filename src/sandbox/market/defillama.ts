import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { type Coin, coins, isPriced } from "../world/coins.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"

/** Finds the coin of a key: `coingecko:<id>` or `<chain>:<address>`. */
const coinOf = (networks: ReadonlyArray<NetworkFacts>, key: string): Coin | undefined => {
  const at = key.indexOf(":")
  const [chain, name] = [key.slice(0, at), key.slice(at + 1)]
  if (chain === "coingecko") return coins.find(({ id }) => id === name)
  const facts = networks.find(({ llama }) => llama !== undefined && llama === chain)
  const same = (address: string) =>
    address === name || (address.startsWith("0x") && address.toLowerCase() === name.toLowerCase())
  return World.listedOn(facts?.platform).find(({ address }) => same(address))?.coin
}

const units: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 }

/** Converts a period such as `4h` to seconds. */
const seconds = (period: string): number => {
  const [, count = "1", unit = "d"] = /^(\d+)([mhdw])$/.exec(period.toLowerCase()) ?? []
  return Number(count) * (units[unit] ?? 86_400)
}

/** DefiLlama's coins API: current and historical prices, by CoinGecko id or address. */
export const defillama =
  (networks: ReadonlyArray<NetworkFacts>): Simulated =>
  ({ now, path, query }) => {
    const [, what, keys] = /\/(prices\/current|chart)\/(.+)$/.exec(path) ?? []
    if (keys === undefined) return json({ message: "Not Found" }, 404)
    const requested = decodeURIComponent(keys).split(",")
    // Not in the order of the request.
    const found = requested.toReversed().flatMap((key) => {
      const coin = coinOf(networks, key)
      return coin === undefined || !isPriced(coin)
        ? []
        : [{ key, coin, symbol: coin.symbol.toUpperCase(), confidence: 0.99 }]
    })
    if (what === "prices/current")
      return json({
        coins: Object.fromEntries(
          found.map(({ coin, confidence, key, symbol }) => [
            key,
            { symbol, price: World.priceOf(coin, now), timestamp: Math.floor(now / 1000), confidence }
          ])
        )
      })
    const step = seconds(query.get("period") ?? "1d")
    const start = Number(query.get("start"))
    const points = Array.from({ length: Number(query.get("span") ?? 0) }, (_, index) => start + index * step)
    return json({
      coins: Object.fromEntries(
        found.map(({ coin, confidence, key, symbol }) => [
          key,
          {
            symbol,
            confidence,
            prices: points
              .filter((at) => at * 1000 <= now)
              .map((timestamp) => ({ timestamp, price: World.priceOf(coin, timestamp * 1000) }))
          }
        ])
      )
    })
  }
