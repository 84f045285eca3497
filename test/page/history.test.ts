import { assert, describe, it } from "@effect/vitest"
import { make } from "../../src/client/Client.ts"
import { valueThen } from "../../src/page/coin/prices.ts"
import { daysOf } from "../../src/page/history/days.ts"
import {
  type AddressHistories,
  type AddressHistory,
  canRetry,
  type Entry,
  horizonOf,
  type Meta,
  timelineOf,
  withNewest
} from "../../src/page/history/histories.ts"
import { makeHistoryLoader } from "../../src/page/history/load.ts"
import { activityOf, amountOf, changesOf, dustCoins, isDust, titleOf } from "../../src/page/history/movements.ts"
import { completenessOf, emptyText, flagText, foldText } from "../../src/page/history/words.ts"
import type { KnownNetworks } from "../../src/page/state/knownNetworks.ts"

const entry = (timestamp: number, more: Partial<Entry> = {}): Entry => ({
  hash: `hash${timestamp}`,
  explorer: "https://explorer.example",
  type: "Send",
  fee: "1",
  status: "Success",
  timestamp,
  block: null,
  confirmations: null,
  nonce: null,
  from: [],
  to: [],
  ...more
})

const full: Meta = { complete: true, oldest: null, next: null, sources: ["a"], missing: [] }

const history = (address: string, more: Partial<AddressHistory> = {}): AddressHistory => ({
  network: "evm",
  address,
  match: { network: "evm", canonical: address, kind: "address" },
  state: "answered",
  entries: [],
  meta: full,
  ...more
})

const known = {
  networks: [{ id: "evm", name: "EVM", nativeCoin: { coinId: "c", symbol: "COIN", decimals: 18 } }]
} as unknown as KnownNetworks

type Sent = { readonly networks: Record<string, string[]>; readonly cursors?: Record<string, Record<string, string>> }

/** Loads from a service with one network, where every address has entries at these times, two per page. */
const load = async (times: Readonly<Record<string, ReadonlyArray<number>>>, broken = new Set<string>()) => {
  const sent: Array<Sent> = []
  const page = (address: string, cursor: string | undefined) => {
    const from = Number(cursor ?? 0)
    const all = times[address] ?? []
    const entries = broken.has(address) ? [] : all.slice(from, from + 2).map((at) => entry(at))
    const next = broken.has(address) ? (cursor ?? null) : from + 2 < all.length ? String(from + 2) : null
    return {
      entries,
      meta: { ...full, complete: !broken.has(address), oldest: entries.at(-1)?.timestamp ?? null, next }
    }
  }
  const client = make({
    baseUrl: "",
    retries: 0,
    fetch: (url, init) => {
      const [, text = ""] = /^\/address\/(.*)$/.exec(String(url)) ?? []
      if (text !== "")
        return Promise.resolve(
          Response.json({ input: text, matches: [{ network: "evm", canonical: text.toLowerCase(), kind: "address" }] })
        )
      const body: Sent = JSON.parse(String(init?.body))
      sent.push(body)
      const pages = (body.networks.evm ?? []).map(
        (address) => [address, page(address, body.cursors?.evm?.[address])] as const
      )
      const failures = pages.flatMap(([address]) =>
        broken.has(address) ? [{ network: "evm", address, message: "no answer", errorCode: "timeout" }] : []
      )
      const line = {
        data: { evm: Object.fromEntries(pages.map(([address, { entries }]) => [address, entries])) },
        meta: { evm: Object.fromEntries(pages.map(([address, { meta }]) => [address, meta])) },
        ...(failures.length === 0 ? {} : { failures })
      }
      return Promise.resolve(new Response(`${JSON.stringify(line)}\n{"done":true,"failures":${failures.length}}\n`))
    }
  })
  let last: () => AddressHistories = () => assert.fail("nothing was published")
  const texts = Object.keys(times)
  const loader = makeHistoryLoader(
    client,
    texts,
    (state) => {
      last = state
    },
    () => {},
    new AbortController().signal
  )
  await loader.run()
  const shown = () => timelineOf(last().histories).map((line) => line.entry.timestamp)
  return { current: () => last().histories, loader, sent, shown }
}

describe("loading histories", () => {
  it("merges all addresses into one list without gaps, and reads next pages only where the list ends", async () => {
    const { current, loader, sent, shown } = await load({ a: [90, 80, 70, 60], b: [85, 20, 10], A: [90] })
    assert.deepStrictEqual(
      sent.map(({ networks }) => networks),
      [{ evm: ["a", "b"] }]
    )
    // 20 of b is not shown: a may have entries between 80 and 20.
    assert.deepStrictEqual(shown(), [90, 85, 80])
    assert.strictEqual(horizonOf(current()), 80)
    await loader.more()
    assert.deepStrictEqual(sent[1]?.cursors, { evm: { a: "2", b: "2" } })
    assert.deepStrictEqual(shown(), [90, 85, 80, 70, 60, 20, 10])
    assert.isUndefined(horizonOf(current()))
  })

  it("adds new transactions of the first page, and replaces pending ones", () => {
    const pending = entry(9, { status: "Pending", hash: "p" })
    const before = history("a", { entries: [pending, entry(5), entry(4)] })
    const after = withNewest(before, [entry(8), entry(5)], { ...full, next: "cursor" })
    assert.deepStrictEqual(
      after.entries.map(({ hash }) => hash),
      ["hash8", "hash5", "hash4"]
    )
    assert.strictEqual(after.meta, before.meta)
    // A page that lacks what the earlier ones had does not say that a transaction is no longer pending.
    const lacking = withNewest(before, [entry(5)], { ...full, missing: ["newer transactions: timed out"] })
    assert.deepStrictEqual(
      lacking.entries.map(({ hash }) => hash),
      ["p", "hash5", "hash4"]
    )
  })

  it("starts again with the first page if it does not reach back to the earlier entries", async () => {
    const times = { a: [2, 1], b: [5] }
    const { current, loader, shown } = await load(times)
    assert.deepStrictEqual(shown(), [5, 2, 1])
    times.a = [9, 8, 7, 2, 1]
    await loader.refresh()
    assert.deepStrictEqual(
      current().map(({ entries, meta }) => [entries.map(({ timestamp }) => timestamp), meta?.next]),
      [
        [[9, 8], "2"],
        [[5], null]
      ]
    )
    await loader.more()
    await loader.more()
    assert.deepStrictEqual(shown(), [9, 8, 7, 5, 2, 1])
  })

  it("keeps its entries, pending ones too, if the first page cannot be read again", async () => {
    const broken = new Set<string>()
    const { current, loader } = await load({ a: [2, 1], b: [5] }, broken)
    const before = current()
    broken.add("a").add("b")
    await loader.refresh()
    assert.deepStrictEqual(current(), before)
  })

  it("keeps the entries of a history if its next page fails, and retries the same page", async () => {
    const broken = new Set<string>()
    const { current, loader, sent, shown } = await load({ a: [9, 8, 7] }, broken)
    broken.add("a")
    await loader.more()
    assert.deepStrictEqual(shown(), [9, 8])
    assert.deepInclude(current()[0], { state: "failed", problem: "no answer", isFinal: false })
    assert.isTrue(current().every(canRetry))
    broken.clear()
    await loader.run()
    assert.deepStrictEqual(sent.at(-1)?.cursors, { evm: { a: "2" } })
    assert.deepStrictEqual(shown(), [9, 8, 7])
    assert.notProperty(current()[0], "problem")
  })
})

describe("the texts of a history", () => {
  it("have the exact signed change of an address, once per coin", () => {
    const token = { img: "", coinId: "t", address: "0xt", decimals: 6, price: 1, symbol: "usdt" }
    const item = (from: Entry["from"], to: Entry["to"]) => ({
      key: "",
      history: history("0xAB"),
      entry: entry(1, { from, to })
    })
    const swap = item(
      [{ address: "0xab", amount: "1500000000000000001" }],
      [
        { address: "0xAB", amount: "2500000", currency: token },
        { address: "0xAB", amount: "7", currency: "0xnobody" },
        { address: "0xother", amount: "1500000000000000001" }
      ]
    )
    assert.deepStrictEqual(changesOf(known, swap), [
      { text: "-1.500000000000000001", isScaled: true, symbol: "COIN", coinId: "c" },
      { text: "2.5", isScaled: true, symbol: "USDT", coinId: "t" },
      { text: "7", isScaled: false, symbol: "0xnobody" }
    ])
    assert.deepStrictEqual(
      changesOf(known, item([{ address: "0xab", amount: "5" }], [{ address: "0xab", amount: "5" }])),
      [{ text: "0", isScaled: true, symbol: "COIN", coinId: "c" }]
    )
    // A token with a multiplier is displayed with it, and in base units if it could not be read.
    const displayed = (multiplier: string | null) =>
      changesOf(
        known,
        item([{ address: "0xab", amount: "1500001", currency: { ...token, price: null, multiplier } }], [])
      )
    assert.deepStrictEqual(displayed("1.0000005"), [{ text: "-1.500001", isScaled: true, symbol: "USDT" }])
    assert.deepStrictEqual(displayed("10"), [{ text: "-15.00001", isScaled: true, symbol: "USDT" }])
    for (const multiplier of [null, "x"])
      assert.deepStrictEqual(displayed(multiplier), [{ text: "-1500001", isScaled: false, symbol: "USDT" }])
    assert.isUndefined(changesOf(known, item([{ address: "0xother", amount: "5" }], [])))
    assert.isUndefined(changesOf(known, item([{ address: "0xab", amount: "<b>" }], [])))
    // Before the networks are loaded, amounts stay in base units.
    const party = { address: "0xab", amount: "5" }
    assert.deepStrictEqual(amountOf({ ...known, networks: [] }, "evm", party), {
      text: "5",
      isScaled: false,
      symbol: ""
    })
  })

  it("have a kind and a counterparty", () => {
    const party = (address: string, amount: string, symbol?: string) => ({
      address,
      amount,
      ...(symbol === undefined
        ? {}
        : { currency: { img: "", coinId: symbol, address: symbol, decimals: 0, price: 1, symbol } })
    })
    const activity = (from: Entry["from"], to: Entry["to"]) => {
      const line = { key: "", history: history("me"), entry: entry(1, { from, to }) }
      const { counterparty, kind, searched } = activityOf(known, line)
      assert.include(searched, "hash1")
      return [kind, counterparty]
    }
    assert.deepStrictEqual(activity([party("you", "5")], [party("me", "5")]), ["received", "you"])
    assert.deepStrictEqual(activity([party("me", "5")], [party("me", "1"), party("you", "4")]), ["sent", "you"])
    assert.deepStrictEqual(activity([party("me", "5")], [party("me", "4", "t"), party("pool", "5")]), [
      "swapped",
      "pool"
    ])
    assert.deepStrictEqual(activity([party("me", "5")], [party("me", "5")]), ["other", undefined])
    assert.deepStrictEqual(activity([party("you", "5")], []), ["other", undefined])
  })

  it("are folded once per stretch if they are suspicious or dust, with a sentence", () => {
    const none = new Map<string, number>()
    const priced = new Map([["c", 1]])
    const third = Date.UTC(2026, 2, 3, 12) / 1000
    const coin = (amount: string, price: number) => ({
      address: "me",
      amount,
      currency: { img: "", coinId: "t", address: "0xt", decimals: 2, price, symbol: "t" }
    })
    const at = (daysBefore: number, more: Partial<Entry> = {}) => {
      const sent = { from: [{ address: "you", amount: "1" }], to: [{ address: "me", amount: "5000000000000000000" }] }
      const item = { key: "", history: history("me"), entry: entry(third - daysBefore * 86_400, { ...sent, ...more }) }
      return activityOf(known, item)
    }
    const spam = { flags: ["lookalike" as const] }
    const days = daysOf(
      [at(0), at(0, spam), at(1, spam), at(2, spam), at(3), at(3, { to: [{ address: "me", amount: "1" }] })],
      priced
    )
    assert.deepStrictEqual(
      days.map(({ activities, folded, title }) => [title, activities.length, folded.length]),
      [
        ["March 3, 2026", 1, 3],
        ["February 28, 2026", 1, 1]
      ]
    )
    assert.deepStrictEqual(
      days.map(({ folded }) => foldText(folded.map(({ reasons }) => reasons))),
      [
        "3 transactions hidden: their senders imitate addresses that you have used.",
        "1 transaction hidden: somebody sent you less than a cent."
      ]
    )
    // A list of nothing else has a day.
    assert.lengthOf(daysOf([at(0, spam), at(1, spam)], none), 1)
    const dust = [coin("1", 0.9), coin("2", 0.9), coin("1", 0), { ...coin("1", 1), currency: "0xt" }].map((party) =>
      isDust(at(0, { to: [party] }), none)
    )
    assert.deepStrictEqual(dust, [true, false, false, false])
    assert.isFalse(isDust(at(0, { from: [{ address: "me", amount: "1" }], to: [] }), priced))
    // A native coin counts by its price, too: without one nothing is folded.
    const native = (amount: string) => at(0, { to: [{ address: "me", amount }] })
    assert.deepStrictEqual(dustCoins([native("1"), at(0, { to: [coin("1", 0.9)] })]), ["c"])
    assert.deepStrictEqual(
      [new Map([["c", 58_609]]), new Map([["c", 0.5]]), none].map((prices) => isDust(native("990000000000"), prices)),
      [false, true, false]
    )
  })

  it("have titles in the words of the page", () => {
    const zero = `0x${"0".repeat(40)}`
    const title = (from: string, to: string, more: Partial<Entry> = {}) => {
      const parties = { from: [{ address: from, amount: "5" }], to: [{ address: to, amount: "5" }] }
      return titleOf(activityOf(known, { key: "", history: history("me"), entry: entry(1, { ...parties, ...more }) }))
    }
    assert.strictEqual(title(zero, "me"), "Minted")
    assert.strictEqual(title("me", zero), "Burnt")
    assert.strictEqual(title("me", "you"), "Sent")
    // A transaction that failed has no changes.
    assert.strictEqual(title("me", "me", { type: "Send", status: "Failed" }), "Sent")
    assert.strictEqual(title("me", "me", { type: "TrustSet" }), "TrustSet")
  })

  it("have the value at the nearest daily price of the time, and no value without a price within a day", () => {
    const day = 86_400
    const prices = new Map([["c", [[10 * day, 2] as const, [11 * day, 4] as const, [20 * day, 9] as const]]])
    const change = { text: "-1.5", isScaled: true, symbol: "COIN", coinId: "c" }
    const values = [9.5, 10.2, 10.8, 15, 30].map((at) => valueThen(change, at * day, prices))
    assert.deepStrictEqual(values, ["3", "3", "6", undefined, undefined])
    assert.isUndefined(valueThen({ ...change, isScaled: false }, 10 * day, prices))
    assert.isUndefined(valueThen({ ...change, coinId: "other" }, 10 * day, prices))
    assert.isUndefined(valueThen(change, 10 * day, undefined))
  })

  it("describe its completeness and the meaning of its flags", () => {
    const third = Date.UTC(2026, 2, 3, 12) / 1000
    const words = (meta: Partial<Meta>, entries = [entry(third)]) =>
      completenessOf(history("a", { entries, meta: { ...full, oldest: entries.length === 0 ? null : third, ...meta } }))
    assert.strictEqual(words({}), "complete, first transaction on March 3, 2026")
    assert.strictEqual(words({ next: "c" }), "complete back to March 3, 2026")
    assert.strictEqual(
      words({ complete: false, missing: ["internal transfers"] }),
      "read back to March 3, 2026; missing: internal transfers"
    )
    assert.strictEqual(words({ complete: false }), "read back to March 3, 2026; others may be missing")
    assert.strictEqual(words({}, []), "no transactions")
    assert.match(words({ complete: false, missing: ["x"] }, []), /^no transactions known, .*; missing: x$/)
    const empty = (complete: boolean) => history("a", { entries: [], meta: { ...full, oldest: null, complete } })
    const failed = history("b", { entries: [], meta: undefined, state: "failed", problem: "No response." })
    const unsure = "No transactions are known, though there may be some: not all activity could be loaded."
    const none = (histories: Parameters<typeof emptyText>[0]["histories"], isFailed = false) =>
      emptyText({ histories, lookups: isFailed ? [{ state: "failed", text: "c", problem: "no" }] : [] })
    assert.strictEqual(none([empty(true)]), "No transactions.")
    assert.strictEqual(none([empty(true), empty(false)]), unsure)
    // Nothing failed: no source lists validator withdrawals.
    const unlisted = { complete: false, missing: ["withdrawals"], unlisted: ["withdrawals"] }
    const lacking = (meta: Partial<Meta>) => history("a", { meta: { ...full, ...unlisted, ...meta } })
    assert.strictEqual(none([empty(true), lacking({})]), "No transactions.")
    assert.strictEqual(none([lacking({ missing: ["withdrawals", "timed out"] })]), unsure)
    assert.strictEqual(words(unlisted, []), "no transactions; missing: withdrawals")
    assert.strictEqual(none([empty(true), failed]), unsure)
    assert.strictEqual(none([empty(true)], true), unsure)
    assert.strictEqual(none([failed, failed]), "No activity could be loaded. No response.")
    assert.match(flagText("lookalike"), /looks like an address/)
    assert.strictEqual(flagText("new\u202e" as never), "new")
  })
})
