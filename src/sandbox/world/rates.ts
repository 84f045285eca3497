import { coins } from "./coins.ts"
import * as World from "./World.ts"

/** Approximate units of each currency per US dollar, at the time of writing. */
const about: Readonly<Record<string, number>> = Object.fromEntries(
  `
    aed 3.6725, ars 1418.5, aud 1.5312, bam 1.6842, bdt 121.94, bhd 0.377, bmd 1, brl 5.372, cad 1.3987,
    chf 0.8041, clp 941.2, cny 7.1163, cop 3921.5, crc 503.7, czk 20.93, dkk 6.4287, dop 63.12, eur 0.8611,
    gbp 0.7602, gel 2.704, gtq 7.661, hkd 7.7741, hnl 26.31, huf 332.6, idr 16689, ils 3.2514, inr 88.71,
    jpy 153.92, kes 129.24, krw 1456.3, kwd 0.3068, lbp 89560, lkr 304.6, mmk 2099, mxn 18.41, myr 4.1612,
    ngn 1439.7, nok 10.124, nzd 1.7684, pen 3.4012, php 58.87, pkr 280.9, pln 3.6571, ron 4.3781, rub 81.03,
    sar 3.7504, sek 9.4823, sgd 1.3019, svc 8.75, thb 32.37, try 42.21, twd 30.98, uah 42.05,
    vnd 26310, xdr 0.7361, zar 17.32, zmw 22.64
  `
    .trim()
    .split(/,\s+/)
    .map((rate) => rate.split(" "))
    .map(([currency, rate]) => [currency, Number(rate)])
)

/** Prices of an ounce of gold and of silver in US dollars. */
const dollarsPerOunce = 4003.4
const dollarsPerOunceOfSilver = 50.12

const day = 24 * 3_600_000

/** Currencies pegged to the US dollar; all others float. */
const pegged: ReadonlySet<string> = new Set(["aed", "bhd", "bmd", "sar", "svc"])

/** Units of a currency per US dollar at a time in ms; changes daily by up to 2 %. Undefined for an unknown currency. */
export const rateAt = (currency: string, at: number): number | undefined => {
  if (currency === "usd") return 1
  if (currency === "xau") return 1 / dollarsPerOunce
  if (currency === "xag") return 1 / dollarsPerOunceOfSilver
  const coin = coins.find(({ symbol }) => symbol === currency)
  if (coin !== undefined) return 1 / World.priceOf(coin, at)
  const rate = Object.hasOwn(about, currency) ? about[currency] : undefined
  if (rate === undefined || pegged.has(currency)) return rate
  const swing = 0.02 * Math.sin(Math.floor(at / day) / 9 + (currency.charCodeAt(0) + 3 * currency.charCodeAt(1)))
  return Number((rate * (1 + swing)).toPrecision(6))
}

/** Currencies of the European Central Bank's reference rates. */
const referenced =
  "aud brl cad chf cny czk dkk eur gbp hkd huf idr ils inr jpy krw mxn myr nok nzd php pln ron sek sgd thb try zar".split(
    " "
  )

/** Reference rates of a day: the rates at its start. */
export const referenceRates = (at: number, only?: string) =>
  Object.fromEntries(
    referenced.flatMap((code) =>
      only === undefined || only.toLowerCase() === code ? [[code.toUpperCase(), rateAt(code, at)]] : []
    )
  )

/** Start times of the working days between two times, ms. */
export const workingDays = (from: number, to: number): ReadonlyArray<number> => {
  const first = Math.floor(from / day)
  return Array.from({ length: Math.floor(to / day) - first + 1 }, (_, index) => (first + index) * day).filter(
    (at) => new Date(at).getUTCDay() % 6 !== 0
  )
}

/** CoinGecko's `/exchange_rates`: units of each currency per bitcoin. */
export const rates = (now: number) => {
  const coin = coins.find(({ symbol }) => symbol === "btc")
  const bitcoin = coin === undefined ? 1 : World.priceOf(coin, now)
  const rate = (code: string, type: "crypto" | "fiat" | "commodity") =>
    [
      code,
      {
        name: code.toUpperCase(),
        unit: code.toUpperCase(),
        value: code === "btc" ? 1 : bitcoin * (rateAt(code, now) ?? 0),
        type
      }
    ] as const
  return {
    rates: Object.fromEntries([
      rate("btc", "crypto"),
      rate("eth", "crypto"),
      ...["usd", ...Object.keys(about)].map((code) => rate(code, "fiat")),
      rate("xau", "commodity"),
      rate("xag", "commodity")
    ])
  }
}
