/** A currency that coins are quoted in. */
export interface CurrencyFacts {
  /** Money of a country or the IMF's unit of account; a troy ounce of a metal; a coin. */
  readonly kind: "fiat" | "commodity" | "coin"
  /** In English. */
  readonly name: string
  /** Sign next to amounts; the currency code if there is no sign. */
  readonly symbol: string
  /** Usual number of decimals of amounts. */
  readonly decimals: number
  /** Id of the coin if the currency is a coin: the rate is the coin's price. */
  readonly coinId?: string
}

const table = {
  usd: { kind: "fiat", name: "US Dollar", symbol: "$", decimals: 2 },
  aed: { kind: "fiat", name: "United Arab Emirates Dirham", symbol: "AED", decimals: 2 },
  ars: { kind: "fiat", name: "Argentine Peso", symbol: "$", decimals: 2 },
  aud: { kind: "fiat", name: "Australian Dollar", symbol: "$", decimals: 2 },
  bam: { kind: "fiat", name: "Bosnia-Herzegovina Convertible Mark", symbol: "KM", decimals: 2 },
  bdt: { kind: "fiat", name: "Bangladeshi Taka", symbol: "৳", decimals: 2 },
  bhd: { kind: "fiat", name: "Bahraini Dinar", symbol: "BHD", decimals: 3 },
  bmd: { kind: "fiat", name: "Bermudan Dollar", symbol: "$", decimals: 2 },
  brl: { kind: "fiat", name: "Brazilian Real", symbol: "R$", decimals: 2 },
  cad: { kind: "fiat", name: "Canadian Dollar", symbol: "$", decimals: 2 },
  chf: { kind: "fiat", name: "Swiss Franc", symbol: "CHF", decimals: 2 },
  clp: { kind: "fiat", name: "Chilean Peso", symbol: "$", decimals: 0 },
  cny: { kind: "fiat", name: "Chinese Yuan", symbol: "¥", decimals: 2 },
  cop: { kind: "fiat", name: "Colombian Peso", symbol: "$", decimals: 2 },
  crc: { kind: "fiat", name: "Costa Rican Colón", symbol: "₡", decimals: 2 },
  czk: { kind: "fiat", name: "Czech Koruna", symbol: "Kč", decimals: 2 },
  dkk: { kind: "fiat", name: "Danish Krone", symbol: "kr", decimals: 2 },
  dop: { kind: "fiat", name: "Dominican Peso", symbol: "$", decimals: 2 },
  eur: { kind: "fiat", name: "Euro", symbol: "€", decimals: 2 },
  gbp: { kind: "fiat", name: "British Pound", symbol: "£", decimals: 2 },
  gel: { kind: "fiat", name: "Georgian Lari", symbol: "₾", decimals: 2 },
  gtq: { kind: "fiat", name: "Guatemalan Quetzal", symbol: "Q", decimals: 2 },
  hkd: { kind: "fiat", name: "Hong Kong Dollar", symbol: "$", decimals: 2 },
  hnl: { kind: "fiat", name: "Honduran Lempira", symbol: "L", decimals: 2 },
  huf: { kind: "fiat", name: "Hungarian Forint", symbol: "Ft", decimals: 2 },
  idr: { kind: "fiat", name: "Indonesian Rupiah", symbol: "Rp", decimals: 2 },
  ils: { kind: "fiat", name: "Israeli New Shekel", symbol: "₪", decimals: 2 },
  inr: { kind: "fiat", name: "Indian Rupee", symbol: "₹", decimals: 2 },
  jpy: { kind: "fiat", name: "Japanese Yen", symbol: "¥", decimals: 0 },
  kes: { kind: "fiat", name: "Kenyan Shilling", symbol: "KES", decimals: 2 },
  krw: { kind: "fiat", name: "South Korean Won", symbol: "₩", decimals: 0 },
  kwd: { kind: "fiat", name: "Kuwaiti Dinar", symbol: "KWD", decimals: 3 },
  lbp: { kind: "fiat", name: "Lebanese Pound", symbol: "L£", decimals: 0 },
  lkr: { kind: "fiat", name: "Sri Lankan Rupee", symbol: "Rs", decimals: 2 },
  mmk: { kind: "fiat", name: "Myanmar Kyat", symbol: "K", decimals: 2 },
  mxn: { kind: "fiat", name: "Mexican Peso", symbol: "$", decimals: 2 },
  myr: { kind: "fiat", name: "Malaysian Ringgit", symbol: "RM", decimals: 2 },
  ngn: { kind: "fiat", name: "Nigerian Naira", symbol: "₦", decimals: 2 },
  nok: { kind: "fiat", name: "Norwegian Krone", symbol: "kr", decimals: 2 },
  nzd: { kind: "fiat", name: "New Zealand Dollar", symbol: "$", decimals: 2 },
  pen: { kind: "fiat", name: "Peruvian Sol", symbol: "PEN", decimals: 2 },
  php: { kind: "fiat", name: "Philippine Peso", symbol: "₱", decimals: 2 },
  pkr: { kind: "fiat", name: "Pakistani Rupee", symbol: "Rs", decimals: 2 },
  pln: { kind: "fiat", name: "Polish Zloty", symbol: "zł", decimals: 2 },
  ron: { kind: "fiat", name: "Romanian Leu", symbol: "lei", decimals: 2 },
  rub: { kind: "fiat", name: "Russian Ruble", symbol: "₽", decimals: 2 },
  sar: { kind: "fiat", name: "Saudi Riyal", symbol: "SAR", decimals: 2 },
  sek: { kind: "fiat", name: "Swedish Krona", symbol: "kr", decimals: 2 },
  sgd: { kind: "fiat", name: "Singapore Dollar", symbol: "$", decimals: 2 },
  svc: { kind: "fiat", name: "Salvadoran Colón", symbol: "SVC", decimals: 2 },
  thb: { kind: "fiat", name: "Thai Baht", symbol: "฿", decimals: 2 },
  try: { kind: "fiat", name: "Turkish Lira", symbol: "₺", decimals: 2 },
  twd: { kind: "fiat", name: "New Taiwan Dollar", symbol: "$", decimals: 2 },
  uah: { kind: "fiat", name: "Ukrainian Hryvnia", symbol: "₴", decimals: 2 },
  vnd: { kind: "fiat", name: "Vietnamese Dong", symbol: "₫", decimals: 0 },
  xdr: { kind: "fiat", name: "Special Drawing Rights", symbol: "XDR", decimals: 2 },
  zar: { kind: "fiat", name: "South African Rand", symbol: "R", decimals: 2 },
  zmw: { kind: "fiat", name: "Zambian Kwacha", symbol: "ZK", decimals: 2 },
  xau: { kind: "commodity", name: "Gold", symbol: "XAU", decimals: 4 },
  xag: { kind: "commodity", name: "Silver", symbol: "XAG", decimals: 4 },
  btc: { kind: "coin", name: "Bitcoin", symbol: "₿", decimals: 8, coinId: "bitcoin" },
  eth: { kind: "coin", name: "Ethereum", symbol: "Ξ", decimals: 8, coinId: "ethereum" }
} as const satisfies Readonly<Record<string, CurrencyFacts>>

export type Currency = keyof typeof table

/**
 * The currencies in which the market data provider quotes coins, without those that left circulation, by lower-case code (ISO 4217 if it has a code). Names,
 * signs and decimals are those of Unicode's CLDR.
 */
export const facts: Readonly<Record<Currency, CurrencyFacts>> = table

/** US dollars first. */
export const currencies = Object.keys(table) as unknown as readonly [Currency, ...ReadonlyArray<Currency>]
