import * as Effect from "effect/Effect"
import { CoinGecko, type ListedToken } from "../../src/providers/CoinGecko.ts"
import { json } from "../support/http.ts"
import { calling } from "./readers/market.ts"
import { recordingsOf, row } from "./table.ts"

const read = calling(CoinGecko.layer)
const tokens = Effect.flatMap(CoinGecko, (coingecko) => coingecko.tokens("ethereum"))

const show = (all: ReadonlyArray<ListedToken>) =>
  all.map(({ address, decimals, logoURI, symbol }) => [address.slice(0, 6), symbol, decimals, logoURI])

recordingsOf("tokenlist", {
  samples: {
    platform: row(read(tokens, { show }), [
      ["0x7e7e", "WREN", 18, "https://icons.example/wren.png"],
      ["0xf1f1", "FUSD", 6, undefined]
    ]),
    "odd-names": row(read(tokens, { show }), [
      ["0x7e7e", "A++", 2, undefined],
      ["0xf1f1", "Ä-B/50%", 18, undefined],
      ["0x3c3c", "雀∞", 0, "ipfs://Qm7"],
      ["0x4d4d", "$FOUR", 8, undefined]
    ])
  },
  recorded: {
    "coingecko-token-list": row(
      read(tokens, {
        requests: ({ url }) => url.href,
        show: (all) => all.map(({ address, decimals, symbol }) => [address, symbol, decimals])
      }),
      [
        [
          ["0x77c6e4a580c0dce4e5c7a17d0bc077188a83a059", "SWUSD", 18],
          ["0xf8e57ac2730d3088d98b79209739b0d5ba085a03", "OPAI", 18]
        ],
        "https://tokens.coingecko.com/ethereum/all.json"
      ]
    ),
    "schema-special-characters": row(read(tokens, { show: (all) => all.map(({ symbol }) => symbol) }), [
      "USD++",
      "UNI-USDC/ETH+50/50%",
      "DIACRITIC",
      "DMG",
      "$TRDL",
      "symbol",
      "天津神",
      "∞-waUSDC-xPYT"
    ]),
    "uniswap-mainnet-slice": row(
      read(tokens, {
        reply: ({ response: { body } }) => json({ tokens: body }),
        show: (all) => ({
          count: all.length,
          withoutIcon: all.filter(({ logoURI }) => logoURI === undefined).map(({ symbol }) => symbol),
          decimals: Object.fromEntries(
            all.filter(({ decimals }) => decimals !== 18).map(({ decimals, symbol }) => [symbol, decimals])
          )
        })
      }),
      {
        count: 20,
        withoutIcon: ["BLEND", "NEX", "GROVE"],
        decimals: { USDT: 6, USDC: 6, WBTC: 8, GUSD: 2, EURC: 6 }
      },
      "tokens with odd names and without icons"
    )
  }
})
