import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { type VerdictReason, verdictReasons } from "../../../src/domain/tokens/Verdict.ts"
import { type Judged, judge, listedTexts } from "../../../src/features/tokens/verdict.ts"
import { listOf } from "../../../src/providers/TokenRegistry.ts"
import { coins, contractOn } from "../../../src/sandbox/world/coins.ts"
import { unlistedCoins } from "../../../src/sandbox/world/unlisted.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { spamOf } from "./spam.ts"

/** The token lists of the sandbox, and the networks. */
const lists = new Map(
  Catalogue.all.flatMap(({ platform }) => {
    const tokens = coins.flatMap((coin) => {
      const contract = coin.isUnlisted === true || platform === undefined ? undefined : contractOn(coin, platform)
      const texts = { coinId: CoinId.make(coin.id), name: coin.name, symbol: coin.symbol.toUpperCase(), thumbnail: "" }
      return contract === undefined ? [] : [{ ...texts, address: contract.address, decimals: contract.decimals }]
    })
    return platform === undefined ? [] : [[platform, listOf(tokens, 0)] as const]
  })
)
const listed = listedTexts(lists, Catalogue.all)

const of = (symbol: string, name = "", more: Partial<Judged> = {}) =>
  judge({ network: "ethereum", address: "0x1", name, symbol, listed: false, hasPrice: true, ...more }, listed)

const signsOf = (symbol: string, name = "", more: Partial<Judged> = {}) =>
  of(symbol, name, more).reasons.filter((reason) => reason !== "not-listed")

const usdt = lists.get("ethereum")?.tokens.find(({ symbol }) => symbol === "USDT")?.address ?? ""

describe("the verdict on a token", () => {
  it("is listed for every listed token, with the signs of the caller as reasons", () => {
    let count = 0
    for (const { id, platform } of Catalogue.all)
      for (const { address, name, symbol } of lists.get(platform ?? "")?.tokens ?? []) {
        count++
        const judged = of(symbol, name, { network: id, address, listed: true })
        assert.deepStrictEqual(judged, { verdict: "listed", reasons: [] }, `${id} ${symbol} ${name}`)
      }
    assert.isAbove(count, 50)
    assert.deepStrictEqual(
      of("USDT", "www.tether.to", { listed: true, hasPrice: false, signs: ["can-be-taken", "source-says-scam"] }),
      {
        verdict: "listed",
        reasons: ["source-says-scam", "no-price", "can-be-taken"]
      }
    )
  })

  it("is suspicious for hardly any listed token that is judged as if it was not listed", () => {
    const alarms = Catalogue.all.flatMap(({ id, platform }) =>
      (lists.get(platform ?? "")?.tokens ?? []).flatMap(({ address, name, symbol }) => {
        const { reasons, verdict } = of(symbol, name, { network: id, address })
        return verdict === "suspicious" ? [`${id} ${symbol} ${name}: ${reasons}`] : []
      })
    )
    // It has the symbol of the coin of the same network.
    assert.deepStrictEqual(alarms, ["solana SOL Wrapped SOL: not-listed,lookalike"])
  })

  it("is unknown for the unlisted token of the sandbox that says nothing wrong, and suspicious for the others", () => {
    const found = unlistedCoins.map(({ name, symbol }) => [of(symbol, name).verdict, ...signsOf(symbol, name)])
    assert.deepStrictEqual(found, [
      ["unknown"],
      ["suspicious", "claim"],
      ["suspicious", "lookalike"],
      ["suspicious", "lookalike", "hidden-characters"],
      ["suspicious", "direction-marks"]
    ])
  })

  it("is suspicious for at least 95 % of 300 names of frauds", () => {
    const spam = spamOf(300)
    const missed = spam.filter(({ name, symbol }) => of(symbol, name).verdict !== "suspicious")
    const table = new Map<VerdictReason, number>()
    for (const { name, symbol } of spam)
      for (const reason of of(symbol, name).reasons) table.set(reason, (table.get(reason) ?? 0) + 1)
    console.table(
      Object.fromEntries(verdictReasons.flatMap((reason) => (table.has(reason) ? [[reason, table.get(reason)]] : [])))
    )
    assert.isAtMost(missed.length, 15, JSON.stringify(missed, undefined, 1))
    assert.isAbove(new Set(spam.map(({ name, symbol }) => `${name}|${symbol}`)).size, 250)
  })

  it("finds links in all spellings", () => {
    for (const text of [
      "https://a",
      "usdt.com",
      "usdt․com",
      "usdt｡com",
      "USDT[dot]com",
      "usdt . com",
      "www.x",
      "a.bc/claim",
      "usdt.сom",
      "🎁usdt.com🎁",
      "t.me/usdt"
    ])
      assert.include(signsOf(text), "link", text)
    for (const text of [
      "USDC.e",
      "BTC.b",
      "v2.0",
      "St. Bernard",
      "Dr. Fun",
      "Dot Dot Finance",
      "U.S. Dollar",
      "a:b",
      "1.5x",
      "amDAI/amUSDC"
    ])
      assert.notInclude(signsOf(text), "link", text)
  })

  it("finds claims, but no usual words", () => {
    for (const text of [
      "Claim",
      "ClaimNow",
      "claimUSDT",
      "сlaim",
      "AIRDR0P",
      "$1000",
      "1,000$",
      "5000 USDT",
      "＄",
      "领取",
      "Получите"
    ])
      assert.include(signsOf(text), "claim", text)
    for (const text of ["Reclaimed Land", "1000SATS", "$WIF", "50WBTC-50ETH", "Gifted", "$1 coin", "100 Thieves"])
      assert.notInclude(signsOf(text), "claim", text)
  })

  it("finds look-alikes of listed tokens of all networks, and copies of those of the same network", () => {
    for (const text of [
      "USDТ",
      "ＵＳＤＴ",
      "U$DТ",
      "USD₮",
      "ÚSDT",
      "𝗨𝗦𝗗𝗧",
      "🆄🆂🅳🆃",
      "USDT✅",
      "USD T.",
      "ΕTΗ",
      "Тether USD",
      "US\u200bDТ"
    ])
      assert.include(signsOf(text), "lookalike", text)
    // The same texts on the same network.
    assert.deepStrictEqual(signsOf("USDT", "Tether"), ["lookalike"])
    assert.deepStrictEqual(signsOf("ETH", "Something"), ["lookalike"])
    // A coin is called the same on other networks, and honest tokens share symbols.
    assert.deepStrictEqual(signsOf("TRX", "Wrapped TRON"), [])
    assert.deepStrictEqual(signsOf("HRBR", "Tethered Harbour"), [])
    assert.deepStrictEqual(signsOf("USDT", "Tether", { address: usdt }), [])
    assert.deepStrictEqual(signsOf("ТОКЕН", "Токен"), [])
  })

  it("finds unseen characters, but not those that emoji and scripts need", () => {
    assert.deepStrictEqual(signsOf("A\u200bB"), ["hidden-characters"])
    assert.deepStrictEqual(signsOf("A\nB"), ["hidden-characters"])
    assert.deepStrictEqual(signsOf("\u200eAB"), ["direction-marks"])
    for (const text of ["❤\ufe0f", "👨\u200d👩\u200d👧", "می\u200cخواهم", "क्\u200dष", "1\ufe0f⃣"])
      assert.deepStrictEqual(signsOf(text), [], text)
  })

  it("has all reasons once, in their order", () => {
    const { reasons, verdict } = of("", " ", {
      hasPrice: false,
      signs: ["never-sent", "mass-sender", "frozen", "never-sent"]
    })
    assert.deepStrictEqual(
      [verdict, ...reasons],
      ["unknown", "not-listed", "no-price", "never-sent", "mass-sender", "frozen", "no-name"]
    )
    assert.strictEqual(of("A", "B", { signs: ["inconsistent"] }).verdict, "suspicious")
  })

  it("reads only the start of hostile texts", () => {
    // An expression that goes back and forth over a megabyte never ends.
    for (const part of [
      "a.",
      "claim ",
      "\u200d",
      "1,",
      "[dot",
      "🎁",
      "Т",
      " . ",
      "\ud800",
      "$1 ",
      "aB",
      "/.",
      "\u0301"
    ]) {
      const text = part.repeat(2 ** 20 / part.length)
      assert.deepStrictEqual(of(text, text), of(text.slice(0, 256), text.slice(0, 256)), part)
    }
  })
})
