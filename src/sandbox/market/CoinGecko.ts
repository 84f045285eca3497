import { getAddress, isAddress } from "viem/utils"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { type Coin, coins, contractOn, isPriced } from "../world/coins.ts"
import { rateAt, rates } from "../world/rates.ts"
import { candles, times } from "../world/series.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"

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
    // Real data is up to about a minute old.
    last_updated: new Date(now - 20_000).toISOString(),
    ...coin.odd
  }
}

/** The image of a coin, also at the address that the facts of its network name: its symbol on a disc. */
export const images =
  (networks: ReadonlyArray<NetworkFacts>): Simulated =>
  ({ path }) => {
    const native = networks.find(({ native }) => native.thumbnail.endsWith(path))?.native.coinId
    const coin = coins.find(({ id }) => id === native || path.endsWith(`/${id}.png`))
    if (coin === undefined) return notFound()
    const hue = (coin.id.length * 47 + coin.id.charCodeAt(0) * 11) % 360
    const symbol = coin.symbol.toUpperCase().slice(0, 4)
    return new Response(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><circle cx="32" cy="32" r="31" fill="hsl(${hue},60%,38%)" stroke="hsl(${hue},60%,25%)" stroke-width="2"/><text x="32" y="38" text-anchor="middle" font-family="sans-serif" font-size="${symbol.length > 3 ? 16 : 19}" font-weight="700" fill="#fff">${symbol}</text></svg>`,
      { headers: { "content-type": "image/svg+xml" } }
    )
  }

/** CoinGecko's response for an unknown coin. */
const notFound = () => json({ error: "coin not found" }, 404)

/** CoinGecko's response for a time that the plan does not include. */
const beyondPlan = (now: number) =>
  json(
    {
      error: {
        status: {
          timestamp: new Date(now).toISOString(),
          error_code: 10012,
          error_message:
            "Your request exceeds the allowed time range. Public API users are limited to querying historical data within the past 365 days."
        }
      }
    },
    401
  )

const hour = 3_600_000
const day = 24 * hour

/**
 * `/coins/markets`: the given coins or all, by rank in descending order. A rank is not always that of the listed market
 * capitalisation; coins without a rank are last.
 */
const markets = (now: number, query: URLSearchParams) => {
  if (!query.has("vs_currency")) return json({ error: "Missing parameter vs_currency" }, 422)
  const ids = query.get("ids")?.split(",")
  const perPage = Math.min(250, Number(query.get("per_page") ?? 100))
  const first = (Number(query.get("page") ?? 1) - 1) * perPage
  return json(
    coins
      .filter(({ id }) => ids === undefined || ids.includes(id))
      .map((coin) => market(coin, now))
      .sort((a, b) => sizeOf(b) - sizeOf(a))
      .slice(first, first + perPage)
  )
}

const sizeOf = ({ market_cap, market_cap_rank }: ReturnType<typeof market>) =>
  market_cap_rank === 1 ? Number.POSITIVE_INFINITY : (market_cap ?? 0)

/**
 * `/coins/{id}/market_chart`: points every five minutes, hour or day, the last at the current time. Each point uses the
 * exchange rate of its time.
 */
const chart = (coin: Coin, now: number, days: number, currency: string) => {
  const step = days <= 1 ? hour / 12 : days <= 90 ? hour : day
  const prices = times(now - days * day, now, step).map(
    (at) => [at, World.priceOf(coin, at) * (rateAt(currency, at) ?? 0)] as const
  )
  return {
    prices,
    market_caps: prices.map(([at, price]) => [at, price * 1e8]),
    total_volumes: prices.map(([at, price]) => [at, price * 1e6])
  }
}

/** `/coins/{id}/ohlc`: candles of half an hour, four hours or four days, each with the time of its end. */
const ohlc = (coin: Coin, now: number, days: number) => {
  const step = days <= 1 ? hour / 2 : days <= 30 ? 4 * hour : 4 * day
  return candles(coin, now, step, Math.ceil((days * day) / step)).map(({ close, endsAt, high, low, open }) => [
    endsAt,
    open,
    high,
    low,
    close
  ])
}

const platformsOf = (coin: Coin) =>
  Object.fromEntries(
    Object.keys(coin.contracts).map((platform) => [platform, contractOn(coin, platform)?.address ?? ""])
  )

/** Contracts with decimals by platform; those of a native coin are null. */
const detailedPlatforms = (platforms: Readonly<Record<string, string>>, coin: Coin) =>
  Object.fromEntries(
    Object.entries(platforms).map(([platform, address]) => [
      platform,
      { decimal_place: contractOn(coin, platform)?.decimals ?? null, contract_address: address }
    ])
  )

/** Starts of CoinGecko's descriptions, which have several paragraphs and links; other coins have none. */
const descriptions: Readonly<Record<string, string>> = {
  bitcoin:
    'Bitcoin is the first successful internet money based on peer-to-peer technology; whereby no central bank or authority is involved in the transaction and production of the Bitcoin currency.\r\n\r\nBitcoin is designed to have only 21 million BTC ever created, thus making it a deflationary currency. Bitcoin uses the <a href="https://www.coingecko.com/en?hashing_algorithm=SHA-256">SHA-256</a> hashing algorithm with an average transaction confirmation time of 10 minutes.',
  tether:
    'Tether (USDT) is a cryptocurrency with a value meant to mirror the value of the U.S. dollar. Coins that serve this purpose of being a stable dollar substitute are called “stable coins.” The primary use of Tether is that it offers liquidity to exchanges who can’t deal in dollars (for example to <a href="https://www.coingecko.com/en/exchanges/bitfinex">Bitfinex</a>).\r\n\r\nThe digital coins are issued by a company called Tether Limited.'
}

/** `/coins/{id}`: details of a coin, without market data if the query says so. */
const details = (coin: Coin, now: number, query: URLSearchParams) => {
  const { current_price, image: large, last_updated, market_cap } = market(coin, now)
  const contracts = platformsOf(coin)
  // CoinGecko returns an empty name and address for native coins.
  const platforms = Object.keys(contracts).length === 0 ? { "": "" } : contracts
  const currencies = isPriced(coin)
    ? { current_price: { usd: current_price }, market_cap: { usd: market_cap } }
    : { current_price: {}, market_cap: {} }
  return {
    id: coin.id,
    symbol: coin.symbol,
    name: coin.name,
    asset_platform_id: Object.keys(contracts)[0] ?? null,
    platforms,
    detail_platforms: detailedPlatforms(platforms, coin),
    description: { en: descriptions[coin.id] ?? "" },
    image: { thumb: large.replace("/large/", "/thumb/"), small: large.replace("/large/", "/small/"), large },
    ...(query.get("market_data") === "false" ? {} : { market_data: { ...currencies, last_updated } }),
    last_updated
  }
}

const contract = (platform: string, address: string, now: number, query: URLSearchParams) => {
  const same = (text: string) => text === address || (text.startsWith("0x") && text === address.toLowerCase())
  const found = World.listedOn(platform).find((listed) => same(listed.address))
  return found === undefined
    ? notFound()
    : json({ ...details(found.coin, now, query), asset_platform_id: platform, contract_address: found.address })
}

/** Handles `/coins/{id}` and the paths below it. */
const ofCoin = ([id = "", what, address]: ReadonlyArray<string>, now: number, query: URLSearchParams) => {
  if (what === "contract") return contract(id, address ?? "", now, query)
  const coin = coins.find((listed) => listed.id === id)
  const days = query.get("days") === "max" ? Number.POSITIVE_INFINITY : Number(query.get("days") ?? Number.NaN)
  if (coin === undefined) return notFound()
  if (what === "market_chart") {
    const currency = query.get("vs_currency")?.toLowerCase() ?? ""
    if (rateAt(currency, now) === undefined) return json({ error: "invalid vs_currency" }, 400)
    if (Number.isNaN(days)) return json({ error: "Missing parameter days" }, 422)
    return days > 365 ? beyondPlan(now) : json(chart(coin, now, days, currency))
  }
  // The real answer to a request without its parameters.
  if (what === "ohlc")
    return Number.isFinite(days)
      ? json(ohlc(coin, now, days))
      : json({ status: 500, error: "Internal Server Error" }, 500)
  return what === undefined ? json(details(coin, now, query)) : notFound()
}

/** CoinGecko's API: markets, charts, coin details, exchange rates, the lists of coins and platforms. */
export const api =
  (networks: ReadonlyArray<NetworkFacts>): Simulated =>
  ({ now, path, query }) => {
    if (path.endsWith("/ping")) return json({ gecko_says: "(V3) To the Moon!" })
    if (path.endsWith("/exchange_rates")) return json(rates(now))
    if (path.endsWith("/coins/markets")) return markets(now, query)
    if (path.endsWith("/coins/list"))
      return json(
        coins.map((coin) => ({
          id: coin.id,
          symbol: coin.symbol,
          name: coin.name,
          ...(query.get("include_platform") === "true" ? { platforms: platformsOf(coin) } : {})
        }))
      )
    if (path.endsWith("/asset_platforms"))
      return json(
        networks.flatMap(({ chainId, name, native, platform }) =>
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
    const [, rest] = /\/coins\/(.+)$/.exec(path) ?? []
    return rest === undefined ? notFound() : ofCoin(rest.split("/").map(decodeURIComponent), now, query)
  }

/** An address as community lists write it: one in two EVM addresses has a checksum. */
const written = (address: string, index: number) =>
  index % 2 === 1 && isAddress(address, { strict: false }) ? getAddress(address) : address

/** CoinGecko's token lists, `/<platform>/all.json`: each has a malformed entry, and odd coins have no image. */
export const lists =
  (networks: ReadonlyArray<NetworkFacts>): Simulated =>
  ({ now, path }) => {
    const platform = path.split("/").at(-2)
    const network = networks.find((network) => network.platform === platform)
    if (network === undefined) return new Response("<html>Not Found</html>", { status: 404 })
    return json({
      name: "CoinGecko",
      timestamp: new Date(now).toISOString(),
      tokens: [
        { chainId: network.chainId, address: "", name: null, symbol: "", decimals: null },
        ...World.listedOn(platform).map(({ address, coin, decimals }, index) => ({
          chainId: network.chainId,
          address: written(address, index),
          name: coin.name,
          symbol: coin.symbol.toUpperCase(),
          decimals,
          ...(coin.odd === undefined ? { logoURI: image(coin).replace("/large/", "/thumb/") } : {})
        }))
      ],
      version: { major: 1, minor: 0, patch: 0 }
    })
  }
