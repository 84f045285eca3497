import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { CoinId } from "../../src/domain/CoinId.ts"
import type { Price } from "../../src/domain/Price.ts"
import { type Contract, PriceSource } from "../../src/features/prices/PriceSource.ts"
import * as DefiLlamaPrices from "../../src/features/prices/sources/DefiLlamaPrices.ts"
import { type Days, DefiLlama } from "../../src/providers/DefiLlama.ts"
import { type Exchange, replay } from "../support/fixtures.ts"
import { json, type SentRequest } from "../support/http.ts"
import {
  accepted,
  bitcoin,
  calling,
  elsewhere,
  ids,
  pathOf,
  recordingsIn,
  refusalReasons,
  written
} from "./readers/market.ts"
import { recordingsOf, row } from "./table.ts"

const read = calling(Layer.provideMerge(DefiLlamaPrices.layer, DefiLlama.layer))

const prices = (coins: ReadonlyArray<string>, contract?: Contract) =>
  Effect.flatMap(PriceSource, (source) =>
    source.prices(ids(...coins), contract === undefined ? undefined : () => [contract])
  )

const show = (all: ReadonlyArray<Price>) =>
  all.map(({ coinId, source, symbol, updatedAt, usd }) => `${coinId} ${symbol} ${usd} at ${updatedAt} of ${source}`)

/** The prices in this order, by one request with the path of the recording. */
const listed = (coins: ReadonlyArray<string>, ...lines: ReadonlyArray<string>) =>
  row(read(prices(coins), { show, requests: pathOf }), [lines, true], "in any order, with times in seconds")

const digits = (coins: ReadonlyArray<string>, expected: ReadonlyArray<unknown>) =>
  row(
    read(prices(coins), { show: (all) => all.map((one) => [one.coinId, written(one.usd), one.updatedAt]) }),
    expected,
    "16 digits, without `decimals`"
  )

const nothing = row(read(prices(["nothing"])), [], "an unknown coin is no error")

const isByAddress = ({ url }: SentRequest) => url.pathname.includes("base:")

/** The price of a share in a pool, which has no id. */
const pool = (id: string, address: string, line: string) =>
  row(
    read(prices([id], { chain: "base", address }), {
      show,
      requests: (sent, recording) => (isByAddress(sent) ? pathOf(sent, recording) : sent.url.pathname),
      reply: (recording, sent) => (isByAddress(sent) ? replay(recording) : json({ coins: {} }))
    }),
    [[line], `/prices/current/coingecko:${id}`, true],
    "in the millions, by address"
  )

const chart = (id: CoinId, days: Days = 1) => Effect.flatMap(DefiLlama, (source) => source.chart(id, days))

const none = row(read(chart(CoinId.make("sparrow"))), Option.none(), "is of the requested coin")

/** The recorded chart as that of bitcoin. */
const asBitcoin = ({ response: { body } }: Exchange) => {
  const [coin] = Object.values((body as { readonly coins: object }).coins)
  return json({ coins: { "coingecko:bitcoin": coin } })
}

const foreign = read(accepted(refusalReasons, prices(["bitcoin"])))

recordingsOf("defillama", {
  samples: {
    "current-several": listed(
      ["wren-finance", "finch-dollar", "sparrow"],
      "wren-finance WREN 3.1025 at 1793437477000 of defillama",
      "finch-dollar FUSD 0.999613 at 1793437490000 of defillama",
      "sparrow SPW 20 at 1793437481000 of defillama"
    ),
    "current-sixteen-digits": digits(
      ["bitcoin", "sparrow"],
      [
        ["bitcoin", "61250.73046182593", 1_793_437_500_000],
        ["sparrow", "19.98734612509817", 1_793_437_500_000]
      ]
    ),
    "current-nothing": nothing,
    "current-pool-share": pool(
      "pool",
      "0x7e7e7e7E7e7E7e7e7e7E7e7e7e7E7e7e7e7e7e7E",
      "pool vAMM-WREN/FUSD 24817305.109372847 at 1793437433000 of defillama"
    ),
    chart: [
      row(
        read(chart(bitcoin), { requests: pathOf }),
        [
          Option.some([
            { at: 1_793_264_391_000, price: 61_002.5 },
            { at: 1_793_350_806_000, price: 61_480.25 },
            { at: 1_793_437_200_000, price: 61_250.73046182593 }
          ]),
          true
        ],
        "has prices by time in seconds, with all digits"
      ),
      none
    ],
    ...elsewhere(
      foreign,
      "coinpaprika/ticker",
      "geckoterminal/token-prices",
      "cryptocompare/prices",
      "coingecko/simple-price",
      "coingecko/coins-list",
      "binance/tickers",
      "binance/symbol-unknown"
    )
  },
  recorded: {
    "prices-current-three-coins": listed(
      ["chainlink", "arbitrum", "dai"],
      "chainlink LINK 17.22 at 1741276615000 of defillama",
      "arbitrum ARB 0.415488 at 1741276623000 of defillama",
      "dai DAI 0.99972 at 1741276617000 of defillama"
    ),
    "prices-current-without-decimals": digits(
      ["bitcoin", "ethereum"],
      [
        ["bitcoin", "60580.28121336298", 1_782_315_604_000],
        ["ethereum", "1631.5124365600311", 1_782_315_604_000]
      ]
    ),
    "prices-current-unknown-token-empty": nothing,
    "prices-current-lp-token-13-million": pool(
      "lp",
      "0x61366A4e6b1DB1b85DD701f2f4BFa275EF271197",
      "lp vAMM-OVN/USD+ 13146300.613692524 at 1726052588000 of defillama"
    ),
    "chart-example": [
      ...([1, 365] as const).map((days) =>
        row(
          read(chart(bitcoin, days), { reply: asBitcoin }),
          Option.some([{ at: 1_666_790_570_000, price: 0.984519 }]),
          `has prices by time in seconds, of ${days} days`
        )
      ),
      row(read(chart(bitcoin)), Option.none(), "is of the requested coin")
    ],
    ...elsewhere(foreign, ...recordingsIn("coingecko", "binance"))
  }
})
