import { coins } from "./coins.ts"
import * as World from "./World.ts"
import { json, type Simulated } from "./wire.ts"

/** DefiLlama's coins API: current prices by CoinGecko id. */
export const defillama: Simulated = ({ now, path }) => {
  const [, ids] = /\/prices\/current\/(.+)$/.exec(path) ?? []
  if (ids === undefined) return json({ message: "Not Found" }, 404)
  const asked = new Set(decodeURIComponent(ids).split(","))
  return json({
    coins: Object.fromEntries(
      coins
        .filter(({ id }) => asked.has(`coingecko:${id}`))
        .map((coin) => [
          `coingecko:${coin.id}`,
          {
            symbol: coin.symbol.toUpperCase(),
            price: World.priceOf(coin, now),
            timestamp: Math.floor(now / 1000),
            confidence: 0.99
          }
        ])
    )
  })
}
