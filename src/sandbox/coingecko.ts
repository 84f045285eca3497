import type { NetworkInfo } from "../networks/Network.ts"
import { type Coin, coins } from "./coins.ts"
import * as World from "./World.ts"
import { json, type Simulated } from "./wire.ts"

const image = (coin: Coin) => `https://assets.coingecko.com/coins/images/sandbox/large/${coin.id}.png`

const market = (coin: Coin, now: number) => {
  const price = World.priceOf(coin, now)
  const before = World.priceOf(coin, now - 24 * 3_600_000)
  return {
    id: coin.id,
    symbol: coin.symbol,
    name: coin.name,
    image: image(coin),
    current_price: price,
    market_cap: Math.round(price * 1e8),
    fully_diluted_valuation: Math.round(price * 1.1e8),
    price_change_24h: price - before,
    price_change_percentage_24h: ((price - before) / before) * 100,
    // The real one is a minute or so behind.
    last_updated: new Date(now - 20_000).toISOString()
  }
}

/** CoinGecko's API: markets, the list of coins and of platforms. */
export const api =
  (infos: ReadonlyArray<NetworkInfo>): Simulated =>
  ({ now, path, query }) => {
    if (path.endsWith("/ping")) return json({ gecko_says: "(V3) To the Moon!" })
    if (path.endsWith("/coins/markets")) {
      const ids = new Set(query.get("ids")?.split(","))
      return json(coins.filter(({ id }) => ids.has(id)).map((coin) => market(coin, now)))
    }
    if (path.endsWith("/coins/list"))
      return json(
        coins.map((coin) => ({
          id: coin.id,
          symbol: coin.symbol,
          name: coin.name,
          platforms: Object.fromEntries(
            Object.keys(coin.contracts).flatMap((platform) =>
              World.contractsOn(platform)
                .filter((one) => one.coin === coin)
                .map(({ address }) => [platform, address])
            )
          )
        }))
      )
    if (path.endsWith("/asset_platforms"))
      return json(
        infos.flatMap(({ chainId, name, native, platform }) =>
          platform === undefined
            ? []
            : [
                {
                  id: platform,
                  chain_identifier: chainId ?? null,
                  name,
                  shortname: "",
                  native_coin_id: native.coinId
                }
              ]
        )
      )
    return json({ error: "coin not found" }, 404)
  }

/** CoinGecko's token lists: `/<platform>/all.json`. */
export const lists =
  (infos: ReadonlyArray<NetworkInfo>): Simulated =>
  ({ now, path }) => {
    const platform = path.split("/").at(-2)
    const info = infos.find((one) => one.platform === platform)
    if (info === undefined) return new Response("<html>Not Found</html>", { status: 404 })
    return json({
      name: "CoinGecko",
      timestamp: new Date(now).toISOString(),
      tokens: World.contractsOn(platform).map(({ address, coin, decimals }) => ({
        chainId: info.chainId,
        address,
        name: coin.name,
        symbol: coin.symbol.toUpperCase(),
        decimals,
        logoURI: image(coin).replace("/large/", "/thumb/")
      })),
      version: { major: 1, minor: 0, patch: 0 }
    })
  }
