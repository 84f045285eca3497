// Names of unsolicited tokens, made from the forms that wallets receive: a form, and words drawn for its gaps.

/** The same numbers in each run (mulberry32). */
const drawing = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

/** Letters of other scripts that look like those of symbols. Not taken from the table of the service. */
const alike: Readonly<Record<string, string>> = {
  A: "\u0410\u0391\uff21\u{1d400}",
  B: "\u0412\u0392\uff22\u{1d5d5}",
  C: "\u0421\u216d\uff23",
  D: "\uff24\u{1d403}\u216e",
  E: "\u0415\u0395\u00cb",
  H: "\u041d\u0397\u1e24",
  I: "\u0406\u0399\u00cd",
  K: "\u041a\u039a\uff2b",
  M: "\u041c\u039c\u216f",
  N: "\u039d\uff2e\u1e46",
  O: "\u041e\u039f\u0555\u00d2",
  S: "\u0405\u054f\u1e62",
  T: "\u0422\u03a4\u20ae",
  U: "\u054d\uff35\u00dc",
  X: "\u0425\u03a7\uff38"
}

export interface Spam {
  /** The form of NEXT's list of reasons that it was made from. */
  readonly form: string
  readonly name: string
  readonly symbol: string
}

/** Names and symbols of fraudulent tokens, the same ones in each run. */
export const spamOf = (count: number): ReadonlyArray<Spam> => {
  const random = drawing(67)
  const one = <A>(some: ReadonlyArray<A>): A => some[Math.floor(random() * some.length)] as A
  const coin = () => one(["USDT", "USDC", "ETH", "BNB", "TON", "SOL", "XRP", "DAI", "LINK", "stETH", "ARB", "WBTC"])
  const word = () => one(["usdt-get", "ethpool", "apecoin2", "aave-v4", "rpoolbonus", "lidodrop", "x-swap", "my-token"])
  const domain = () => one(["com", "net", "org", "io", "xyz", "app", "site", "finance", "top", "vip", "claims", "cc"])
  const amount = () => one(["1000", "5,000", "250", "10000", "1.500"])
  const emoji = () => one(["🎁", "✅", "🔥", "💰", "🎉🎉"])
  const cased = (text: string) => one([text, text.toUpperCase(), text[0]?.toUpperCase() + text.slice(1)])
  const dot = () =>
    one([".", ".", "\u2024", "\uff0e", "\uff61", "\u3002", "[dot]", "(dot)", " dot ", " . ", ". ", " .", "●"])
  const host = () => {
    const between = dot()
    // A word before a space and a full stop is common in names: people only take it for a link with a usual domain.
    return cased(`${word()}${between}${between.includes(" ") ? one(["com", "net", "org", "io", "xyz"]) : domain()}`)
  }
  const visit = () => one(["Visit", "visit:", "VISIT", "Go to", "Claim at", "Get it at", "➡", "Swap on", "Check"])
  const verb = () =>
    one(["claim", "Claim", "CLAIM", "redeem", "Redeem", "get reward", "collect bonus", "Claim Rewards"])
  const foreign = () =>
    one([
      `${coin()} 空投 领取`,
      `领取奖励 ${coin()}`,
      `Reclama tu recompensa ${coin()}`,
      `Resgate seu prêmio ${coin()}`,
      `Réclamez votre cadeau`,
      `Gutschein ${amount()} ${coin()}`,
      `Получите бонус ${coin()}`,
      `Забери награду`,
      `${coin()} エアドロップ`,
      `에어드랍 ${coin()}`,
      `Nhận thưởng ${coin()}: quà tặng`,
      `Riscatta ${amount()} ${coin()}`
    ])
  const inserted = (text: string, some: ReadonlyArray<string>) => {
    const at = 1 + Math.floor(random() * (text.length - 1))
    return text.slice(0, at) + one(some) + text.slice(at)
  }
  const replaced = (text: string) => {
    const letters = [...text]
    const places = letters.flatMap((letter, index) => (alike[letter] === undefined ? [] : [index]))
    const at = one(places)
    return letters.map((letter, index) => (index === at ? one([...(alike[letter] ?? "")]) : letter)).join("")
  }
  const replaceable = () => one(["USDT", "USDC", "ETH", "BNB", "TON", "SOL", "TRX", "Tether USD".toUpperCase()])
  const forms: Readonly<Record<string, () => readonly [name: string, symbol: string]>> = {
    "link with a scheme": () => [
      `${one(["https://", "http://", "HTTPS://", "https ://"])}${word()}.${one(["quest", "claims", domain()])}`,
      coin()
    ],
    "www.": () => [`${one(["www.", "WWW.", "www ."])}${word()}.${domain()}`, coin()],
    "domain in the name": () => [`${emoji()} ${host()}`, coin()],
    "domain in the symbol": () => [`${coin()} Rebate`, host()],
    "visit and claim": () => [`${visit()} ${host()} to ${verb()} ${one(["", "your "])}${coin()}`, `$${amount()}`],
    airdrop: () => [
      `${coin()} ${one(["Airdrop", "AirDrop", "AIRDROP", "AIRDR0P", "air drop", "Аirdrop"])}${one(["", ` ${emoji()}`, " 2026"])}`,
      coin()
    ],
    voucher: () => [
      `${coin()} ${one(["Voucher", "VOUCHER", "vouchers", "Gift", "Bonus Ticket"])}`,
      one(["VOUCHER", coin()])
    ],
    amount: () => [`${one(["$", "＄", "US$"])}${amount()} ${one(["", emoji(), coin(), "NFT", "Box"])}`, coin()],
    "wide dollar": () => [`＄${coin()}`, `＄${coin()}`],
    lookalike: () => [one(["Tether USD", "USD Coin", "Bridge", "Official", ""]), replaced(replaceable())],
    "zero-width": () => [
      `${coin()} Token`,
      inserted(coin(), ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u180e", "\u3164"])
    ],
    direction: () => [
      `\u202e${[...`${coin()} token`].reverse().join("")}`,
      inserted(coin(), ["\u200e", "\u200f", "\u2066", "\u202d"])
    ],
    "other languages": () => [foreign(), coin()],
    "hidden in letters": () => [`${one(["Сlaim", "Сlаim", "ᴄʟᴀɪᴍ", "𝐂𝐥𝐚𝐢𝐦", "cIaim", "Ｃｌａｉｍ"])} ${coin()}`, coin()]
  }
  return Array.from({ length: count }, (_, index) => {
    const kinds = Object.entries(forms)
    const [form, make] = kinds[index % kinds.length] as (typeof kinds)[number]
    const [name, symbol] = make()
    return { form, name, symbol }
  })
}
