import { assert, describe, it, vi } from "@effect/vitest"
import { make } from "../../src/client/Client.ts"
import { throttled } from "../../src/page/addresses/batches.ts"
import { groupsOf, isSmallGroup, sortedGroups } from "../../src/page/portfolio/groups.ts"
import {
  goneNetworks,
  holdingsOf,
  isPartial,
  isSmall,
  type Loading,
  totalsOf
} from "../../src/page/portfolio/holdings.ts"
import { makeLoader } from "../../src/page/portfolio/load.ts"

interface World {
  /** The maximum number of addresses per request. */
  readonly max?: number
  /** Further members of the row of an address. */
  readonly row?: (address: string) => object
  readonly end?: string
  /** Status of lookups. */
  readonly lookup?: number
}

/** The end of a stream without the tokens of a network. */
const tokensMissing = `${JSON.stringify({ failures: [{ network: "second", message: "no tokens", errorCode: "timeout" }] })}
{"done":true,"failures":1}
`

const match = (network: string, canonical: string) => ({
  network,
  canonical,
  kind: canonical.startsWith("key") ? "xpub" : "address",
  ...(canonical.startsWith("part-") ? { account: canonical.slice("part-".length) } : {})
})

/**
 * A service on which every text matches one network, and `both…` two; upper case is another spelling, and `part-…` is a
 * part of another account.
 */
const respond =
  (world: World, bodies: Array<Readonly<Record<string, ReadonlyArray<string>>>>) =>
  (url: string, init: RequestInit) => {
    const [, text] = /^\/address\/(.*)$/.exec(url) ?? []
    if (text !== undefined) {
      const matches = [match("second", text.toLowerCase()), match("first", text.toLowerCase())]
      return Response.json(
        { input: text, matches: text === "none" ? [] : matches.slice(0, text.startsWith("both") ? 2 : 1) },
        { status: world.lookup ?? 200 }
      )
    }
    const { networks } = JSON.parse(String(init.body))
    const pairs = Object.entries<ReadonlyArray<string>>(networks).flatMap(([network, addresses]) =>
      addresses.map((address) => ({ network, address }))
    )
    if (pairs.length > (world.max ?? 500))
      return Response.json(
        { type: "urn:problem-type:too-large", status: 413, detail: "too many" },
        { status: 413, headers: { "content-type": "application/problem+json" } }
      )
    bodies.push(networks)
    const lines = pairs.map(({ address, network }) => ({
      blockchain: network,
      holderAddress: address,
      tokenSymbol: "COIN",
      tokenName: "Coin",
      contractAddress: null,
      balance: "2",
      balanceUsd: "10.5",
      tokenPrice: "5.25",
      priceChangePercent24h: 5,
      ...world.row?.(address)
    }))
    return new Response(
      `${lines.map((line) => `${JSON.stringify(line)}\n`).join("")}${world.end ?? '{"done":true,"failures":0}\n'}`
    )
  }

const load = async (texts: ReadonlyArray<string>, world: World | (() => World)) => {
  const bodies: Array<Readonly<Record<string, ReadonlyArray<string>>>> = []
  const current = typeof world === "function" ? world : () => world
  const client = make({
    baseUrl: "",
    retries: 0,
    fetch: (url, init) => Promise.resolve(respond(current(), bodies)(url, init))
  })
  const errors: Array<unknown> = []
  let last: () => Loading = () => assert.fail("nothing was published")
  const loader = makeLoader(
    client,
    texts,
    (loading) => {
      last = loading
    },
    (error) => errors.push(error),
    new AbortController().signal
  )
  await loader.run()
  return { bodies, errors, loader, loading: () => last() }
}

describe("loading a portfolio", () => {
  it("reads each account once on every network that it matches, without the list of networks", async () => {
    const { bodies, loading } = await load(["both1", "BOTH1", "x", "none"], {})
    assert.deepStrictEqual(bodies, [{ first: ["both1"], second: ["both1", "x"] }])
    const { accounts, isDone, lookups } = loading()
    assert.isTrue(isDone)
    assert.deepStrictEqual(
      accounts.map(({ address, network, state }) => [network, address, state]),
      [
        ["second", "both1", "answered"],
        ["first", "both1", "answered"],
        ["second", "x", "answered"]
      ]
    )
    assert.strictEqual(lookups.length, 4)
    assert.deepInclude(totalsOf(holdingsOf(loading()), "USD"), { value: "31.5", unknown: 0 })
    assert.closeTo(totalsOf(holdingsOf(loading()), "USD").change?.percent ?? 0, 5, 1e-9)
  })

  it("counts a balance once that the service counts in another row, if that row has a balance", async () => {
    const { loading } = await load(["key", "a"], { row: (address) => (address === "a" ? { countedIn: "key" } : {}) })
    const { accounts } = loading()
    const total = (some: typeof accounts) => totalsOf(holdingsOf({ ...loading(), accounts: some }), "USD").value
    assert.strictEqual(total(accounts), "10.5")
    const unread = accounts.map((account) =>
      account.address === "key" ? { ...account, rows: account.rows.map((row) => ({ ...row, balance: null })) } : account
    )
    assert.deepStrictEqual(
      holdingsOf({ ...loading(), accounts: unread }).map(({ account }) => account.address),
      ["key", "a"]
    )
  })

  it("reads an extended key again with the addresses that it may include, and first of all", async () => {
    const texts = Array.from({ length: 25 }, (_, index) => `a${index}`)
    const { bodies } = await load([...texts, "key"], {})
    assert.deepStrictEqual(
      bodies.map(({ second }) => second?.length),
      [20, 26]
    )
    let failing: World = { row: (address) => (address === "b" ? { balance: null, errorCode: "timeout" } : {}) }
    const { bodies: retried, loader, loading } = await load(["b", "c", "key"], () => failing)
    failing = { row: (address) => (address === "b" ? { countedIn: "key" } : {}) }
    await loader.run()
    assert.deepStrictEqual(retried.at(-1), { second: ["b", "c", "key"] })
    assert.strictEqual(totalsOf(holdingsOf(loading()), "USD").value, "21")
  })

  it("counts an address that another account includes once, unless that account has less or could not be read", async () => {
    const { loading } = await load(["stake", "part-stake", "part-other"], {})
    const { accounts } = loading()
    const total = (some: typeof accounts) => totalsOf(holdingsOf({ ...loading(), accounts: some }), "USD").value
    assert.strictEqual(total(accounts), "21")
    const failed = accounts.map((account) =>
      account.address === "stake" ? { ...account, state: "failed" as const, rows: [] } : account
    )
    assert.strictEqual(total(failed), "21")
    const less = accounts.map((account) =>
      account.address === "stake"
        ? { ...account, rows: account.rows.map((row) => ({ ...row, balance: "1.9" })) }
        : account
    )
    assert.strictEqual(total(less), "31.5")
  })

  it("splits requests that the service rejects as too large", async () => {
    const texts = Array.from({ length: 1100 }, (_, index) => `a${index}`)
    const { bodies, errors, loading } = await load(texts, { max: 150 })
    assert.isEmpty(errors)
    assert.isTrue(loading().accounts.every(({ state }) => state === "answered"))
    assert.sameMembers(
      bodies.flatMap(({ second = [] }) => second),
      texts
    )
  })

  it("keeps the rows of a stream that is cut off, and reads the missing accounts again", async () => {
    let world: World = { end: "", row: (address) => (address === "a" ? {} : { blockchain: "elsewhere" }) }
    const { bodies, errors, loader, loading } = await load(["a", "b"], () => world)
    assert.strictEqual(errors.length, 1)
    assert.deepStrictEqual(
      loading().accounts.map(({ problem, state }) => [state, problem]),
      [
        ["answered", undefined],
        ["failed", "The response was cut off or is not readable."]
      ]
    )
    world = {}
    await loader.run()
    assert.deepStrictEqual(bodies.at(-1), { second: ["b"] })
    assert.deepStrictEqual(
      loading().accounts.map(({ problem, state }) => [state, problem]),
      [
        ["answered", undefined],
        ["answered", undefined]
      ]
    )
  })

  it("rereads the last account of a stream that was cut off", async () => {
    let world: World = { end: "" }
    const { bodies, loader, loading } = await load(["a", "b"], () => world)
    const states = () => loading().accounts.map(({ rows, state }) => [state, rows.length])
    assert.deepStrictEqual(states(), [
      ["answered", 1],
      ["failed", 1]
    ])
    world = {}
    await loader.run()
    assert.deepStrictEqual(bodies.at(-1), { second: ["b"] })
    assert.deepStrictEqual(states(), [
      ["answered", 1],
      ["answered", 1]
    ])
  })

  it("retries temporary failures, but not permanent ones", async () => {
    const codes: Readonly<Record<string, string>> = { a: "timeout", b: "sunset", c: "no_price" }
    const { bodies, loader, loading } = await load(["a", "b", "c"], {
      row: (address) => ({ balance: null, balanceUsd: null, errorCode: codes[address] })
    })
    assert.strictEqual(totalsOf(holdingsOf(loading()), "USD").unknown, 2)
    assert.isFalse(holdingsOf(loading()).some(isSmall))
    await loader.run()
    assert.deepStrictEqual(bodies.at(-1), { second: ["a"] })
  })

  it("leaves out a network that was shut down: it is no failure, and the total is whole", async () => {
    const sunset = { balance: null, balanceUsd: null, errorCode: "sunset" }
    const gone = { network: "second", message: "second was shut down", errorCode: "sunset" }
    const end = `${JSON.stringify({ failures: [gone] })}\n{"done":true,"failures":1}\n`
    const { bodies, loader, loading } = await load(["a", "b"], {
      end,
      row: (address) => (address === "b" ? sunset : {})
    })
    assert.deepStrictEqual(
      holdingsOf(loading()).map(({ account }) => account.address),
      ["a"]
    )
    const { unknown, value } = totalsOf(holdingsOf(loading()), "USD")
    assert.deepStrictEqual([unknown, value], [0, "10.5"])
    assert.isFalse(isPartial(loading()))
    assert.deepStrictEqual(goneNetworks(loading()), ["second"])
    const read = bodies.length
    await loader.run()
    assert.lengthOf(bodies, read)
  })

  it("has no total if no value is known, and zero only if every balance is zero", async () => {
    const total = async (row: object) => totalsOf(holdingsOf((await load(["a"], { row: () => row })).loading()), "USD")
    assert.isNull((await total({ balance: null, balanceUsd: null, errorCode: "timeout" })).value)
    assert.isNull((await total({ balanceUsd: null, errorCode: "no_price" })).value)
    assert.strictEqual((await total({ balance: "0", balanceUsd: null, errorCode: "no_price" })).value, "0")
    assert.isNull(totalsOf([], "USD").value)
  })

  it("has no change of a day if it is known for a part of the value only", async () => {
    const percent = async (balanceUsd: string) => {
      const { loading } = await load(["a", "b"], {
        row: (address) => (address === "a" ? { balanceUsd: "105" } : { balanceUsd, priceChangePercent24h: undefined })
      })
      return totalsOf(holdingsOf(loading()), "USD").change?.percent.toFixed(6)
    }
    assert.strictEqual(await percent("1"), "5.000000")
    assert.isUndefined(await percent("2"))
  })

  it("has a partial total if a lookup, a stream or a part that no row reports has failed", async () => {
    const partial = async (world: World) => isPartial((await load(["a"], world)).loading())
    assert.isFalse(await partial({}))
    assert.isTrue(await partial({ end: "" }))
    assert.isTrue(await partial({ lookup: 404 }))
    assert.isTrue(await partial({ end: tokensMissing }))
  })

  it("keeps what is missing if reading again fails", async () => {
    let world: World = { end: tokensMissing }
    const { loader, loading } = await load(["a"], () => world)
    world = { end: "" }
    await loader.refresh()
    assert.deepStrictEqual(
      loading().failures.map(({ message }) => message),
      ["no tokens"]
    )
    world = {}
    await loader.refresh()
    assert.isFalse(isPartial(loading()))
  })

  it("reads all balances again, and keeps the earlier values of accounts that fail", async () => {
    let balance = "2"
    let end: string | undefined
    const { bodies, loader, loading } = await load(["a", "b"], () => ({
      ...(end === undefined ? {} : { end }),
      row: (address) => (address === "b" && end !== undefined ? { blockchain: "elsewhere" } : { balance })
    }))
    const balances = () => holdingsOf(loading()).map(({ row }) => row.balance)
    const states = () => loading().accounts.map(({ state }) => state)
    balance = "3"
    await loader.refresh()
    assert.deepStrictEqual(bodies.at(-1), { second: ["a", "b"] })
    assert.deepStrictEqual(balances(), ["3", "3"])
    balance = "4"
    end = ""
    await loader.refresh()
    assert.deepStrictEqual(balances(), ["4", "3"])
    assert.deepStrictEqual(states(), ["answered", "answered"])
  })
})

describe("throttled drawing", () => {
  const drawn = (isAborted: boolean) => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const values: Array<number> = []
    const draw = throttled<number>((value) => values.push(value), controller.signal)
    for (const value of [1, 2, 3]) draw(() => value)
    if (isAborted) controller.abort()
    vi.runAllTimers()
    vi.useRealTimers()
    return values
  }

  it("draws the first and the newest value, but none after an abort: it would replace those of the next loader", () => {
    assert.deepStrictEqual(drawn(false), [1, 3])
    assert.deepStrictEqual(drawn(true), [1])
  })
})

describe("the groups of a portfolio", () => {
  const grouped = async (row: (address: string) => object, by: "asset" | "network" | "address") =>
    groupsOf(holdingsOf((await load(["a", "b", "both"], { row })).loading()), by, "USD")

  it("add the amounts of an asset over networks and addresses", async () => {
    const assets = await grouped(() => ({ coinId: "coin", balance: "0.1" }), "asset")
    assert.deepStrictEqual(
      assets.map(({ amount, holdings, value }) => [amount, holdings.length, value]),
      [["0.4", 4, "42"]]
    )
    const counts = async (by: "network" | "address") =>
      (await grouped(() => ({ coinId: "coin" }), by)).map(({ amount, holdings, key }) => [key, amount, holdings.length])
    assert.deepStrictEqual(await counts("network"), [
      ["second", null, 3],
      ["first", null, 1]
    ])
    assert.deepStrictEqual(await counts("address"), [
      ["a", null, 1],
      ["b", null, 1],
      ["both", null, 2]
    ])
    const contracts = await grouped((address) => ({ coinId: "", contractAddress: address }), "asset")
    assert.lengthOf(contracts, 4)
  })

  it("stay in their place with the last known value if the value is unknown", async () => {
    const last = { balance: "1", balanceUsd: "20", at: 5 }
    const groups = await grouped(
      (address) => ({
        coinId: address,
        ...(address === "a" ? { balance: null, balanceUsd: null, errorCode: "timeout", lastKnown: last } : {}),
        ...(address === "b" ? { balance: null, balanceUsd: null, errorCode: "timeout" } : {})
      }),
      "asset"
    )
    const sorted = sortedGroups(groups, "value").map(({ amount, key, last: known, rank, unknown, value }) => ({
      key,
      rank,
      unknown,
      value,
      amount,
      known
    }))
    assert.deepStrictEqual(sorted, [
      { key: "both", rank: 21, unknown: 0, value: "21", amount: "4", known: undefined },
      { key: "a", rank: 20, unknown: 1, value: null, amount: null, known: { value: "20", isPart: false, at: 5 } },
      { key: "b", rank: 0, unknown: 1, value: null, amount: null, known: undefined }
    ])
    assert.isFalse(groups.some(isSmallGroup))
    assert.deepStrictEqual(
      sortedGroups(groups, "change").map(({ key }) => key),
      ["both", "a", "b"]
    )
  })

  it("say that their last known value is a part if a holding has none", async () => {
    const unknown = { coinId: "coin", balance: null, balanceUsd: null, errorCode: "timeout" }
    const lastKnown = { balance: "1", balanceUsd: "20", at: 5 }
    const groups = await grouped((address) => (address === "a" ? { ...unknown, lastKnown } : unknown), "asset")
    assert.deepStrictEqual(
      groups.map(({ last }) => last),
      [{ value: "20", isPart: true, at: 5 }]
    )
  })
})
