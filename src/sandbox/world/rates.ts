import { coins } from "./coins.ts"
import * as World from "./World.ts"

/** How much of each currency a US dollar cost, about, when this was written. */
const perDollar: Readonly<Record<string, number>> = {
  usd: 1,
  aed: 3.6725,
  ars: 1418.5,
  aud: 1.5312,
  bdt: 121.94,
  bhd: 0.377,
  bmd: 1,
  brl: 5.372,
  cad: 1.3987,
  chf: 0.8041,
  clp: 941.2,
  cny: 7.1163,
  czk: 20.93,
  dkk: 6.4287,
  eur: 0.8611,
  gbp: 0.7602,
  gel: 2.704,
  hkd: 7.7741,
  huf: 332.6,
  idr: 16689,
  ils: 3.2514,
  inr: 88.71,
  jpy: 153.92,
  krw: 1456.3,
  kwd: 0.3068,
  lkr: 304.6,
  mmk: 2099,
  mxn: 18.41,
  myr: 4.1612,
  ngn: 1439.7,
  nok: 10.124,
  nzd: 1.7684,
  php: 58.87,
  pkr: 280.9,
  pln: 3.6571,
  rub: 81.03,
  sar: 3.7504,
  sek: 9.4823,
  sgd: 1.3019,
  thb: 32.37,
  try: 42.21,
  twd: 30.98,
  uah: 42.05,
  vef: 0.10013,
  vnd: 26310,
  xdr: 0.7361,
  zar: 17.32
}

/** What an ounce of gold costs. */
const dollarsPerOunce = 4003.4

/** CoinGecko's `/exchange_rates`: how much of each currency a bitcoin costs. */
export const rates = (now: number) => {
  const priceOf = (symbol: string) => {
    const coin = coins.find((listed) => listed.symbol === symbol)
    return coin === undefined ? 1 : World.priceOf(coin, now)
  }
  const bitcoin = priceOf("btc")
  const rate = (code: string, type: "crypto" | "fiat" | "commodity", value: number) =>
    [code, { name: code.toUpperCase(), unit: code.toUpperCase(), value, type }] as const
  return {
    rates: Object.fromEntries([
      rate("btc", "crypto", 1),
      rate("eth", "crypto", bitcoin / priceOf("eth")),
      ...Object.entries(perDollar).map(([code, amount]) => rate(code, "fiat", bitcoin * amount)),
      rate("xau", "commodity", bitcoin / dollarsPerOunce)
    ])
  }
}
