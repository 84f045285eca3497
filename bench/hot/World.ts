import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"

export const tokens = Number(process.env.TOKENS ?? 10_000)

const platforms = Catalogue.all.flatMap(({ family, platform }) =>
  family === "evm" && platform !== undefined ? [platform] : []
)

/** Coins with one contract each, distributed over the EVM networks. */
const coins = Array.from({ length: tokens }, (_, index) => ({
  id: `made-up-coin-${index}`,
  symbol: `muc${index}`,
  name: `Made-up Coin ${index}`,
  platform: platforms[index % platforms.length] ?? "",
  address: `0x${(0xabcdef0123456789n * BigInt(index + 1)).toString(16).padStart(40, "0")}`
}))

const imageOf = (id: string) => `https://assets.coingecko.com/coins/images/12345/large/${id}.png?1696501400`

const list = (path: string) => ({
  tokens: coins
    .filter(({ platform }) => platform === path.split("/").at(-2))
    .map(({ address, id, name, symbol }) => ({
      chainId: 1,
      address,
      name,
      symbol: symbol.toUpperCase(),
      decimals: 18,
      logoURI: imageOf(id)
    }))
})

const market = (id: string, now: number) => ({
  id,
  symbol: id.slice(0, 8),
  name: id,
  image: imageOf(id),
  current_price: 1.234567 + id.length,
  market_cap: 123_456_789,
  fully_diluted_valuation: 234_567_890,
  price_change_24h: -0.0123456789,
  price_change_percentage_24h: -1.23456,
  last_updated: new Date(now - 20_000).toISOString()
})

/** DefiLlama's prices of coins by CoinGecko id or contract. */
const current = (path: string, now: number) => {
  const keys = decodeURIComponent(path.split("/").at(-1) ?? "").split(",")
  const price = {
    decimals: 18,
    symbol: "MUC",
    price: 1.234567,
    timestamp: Math.floor(now / 1000) - 20,
    confidence: 0.99
  }
  return { coins: Object.fromEntries(keys.map((key) => [key, price])) }
}

const reply = (name: string, url: URL, now: number): unknown => {
  if (name === "coingecko-tokens") return list(url.pathname)
  if (name === "defillama" && url.pathname.includes("/prices/current/")) return current(url.pathname, now)
  if (name !== "coingecko") return undefined
  if (url.pathname.endsWith("/coins/list"))
    return coins.map(({ address, id, name, platform, symbol }) => ({
      id,
      symbol,
      name,
      platforms: { [platform]: address }
    }))
  if (!url.pathname.endsWith("/coins/markets")) return undefined
  const ids = url.searchParams.get("ids")?.split(",") ?? coins.slice(0, 250).map(({ id }) => id)
  return ids.map((id) => market(id, now))
}

/** The sandbox with 10,000 more tokens, as in the largest responses. */
export const layer = Layer.map(Sandbox.layer(Catalogue.all), (context) => {
  const sandbox = Context.get(context, HttpClient.HttpClient)
  return Context.make(
    HttpClient.HttpClient,
    HttpClient.make((request, url) =>
      Effect.gen(function* () {
        const { name } = yield* CurrentUpstream
        const found = reply(name, url, yield* Clock.currentTimeMillis)
        return found === undefined
          ? yield* sandbox.execute(request)
          : HttpClientResponse.fromWeb(request, Response.json(found))
      })
    )
  )
})
