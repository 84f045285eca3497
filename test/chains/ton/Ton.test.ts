import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { Holding, ReadFailure } from "../../../src/chains/Chain.ts"
import { toHolding } from "../../../src/chains/ton/holdings.ts"
import { friendly } from "../../../src/chains/ton/TonAddress.ts"
import type { Token } from "../../../src/domain/Token.ts"
import { json, type Reply, refused, type SentRequest } from "../../support/http.ts"
import { Ton } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import {
  addresses,
  calls,
  drift,
  holder,
  isOfHead,
  metadata,
  network,
  type Row,
  states,
  ston,
  token,
  toncenter,
  usdt,
  wallets
} from "./ton.ts"

const unknownToTonapi = json({ error: "entity not found" }, { status: 404 })

const tokens = [token(usdt, "tether", 6), token(drift, "drift", 9), token(ston, "ston", 9)]

/** Summary of a result: the native amount and the tokens, or the reason of the failure. */
const short = (result: Either.Either<ReadonlyArray<Holding>, ReadFailure>) =>
  Either.match(result, {
    onLeft: ({ reason }) => reason,
    onRight: (all) =>
      all.map(({ amount, asset }) => `${asset === "native" ? "" : asset.coinId}${Either.getOrThrow(amount)}`).join(" ")
  })

const everyone = addresses(250)

/** TON Center on which the n-th address has n units of TON and 7 units of USDT. */
const rich = toncenter({
  accountStates: ({ url }) =>
    json(
      states(
        Object.fromEntries(
          everyone.flatMap((address, index) =>
            url.searchParams.getAll("address").includes(friendly(address)) ? [[address, String(index + 1)]] : []
          )
        )
      )
    ),
  "jetton/wallets": ({ url }) =>
    json(
      wallets(
        everyone
          .filter((address) => url.searchParams.getAll("owner_address").includes(friendly(address)))
          .map((owner) => ({ owner, jetton: usdt, balance: "7" }))
      )
    )
})

/** TonAPI with the same balances. Requests for the jettons of the owners in `broken` fail. */
const tonapi =
  (broken: ReadonlyArray<string> = []) =>
  ({ body, url }: SentRequest) => {
    if (url.pathname === "/v2/accounts/_bulk")
      return json({
        accounts: (JSON.parse(body) as { readonly account_ids: ReadonlyArray<string> }).account_ids.map((address) => ({
          address,
          balance: everyone.indexOf(address) + 1
        }))
      })
    const owner = url.pathname.split("/")[3] ?? ""
    return broken.includes(owner)
      ? json({ error: "internal" }, { status: 500 })
      : json({ balances: [{ balance: "7", jetton: { address: usdt, decimals: 6 } }] })
  }

describe("TON holdings", () => {
  for (const [count, expected] of [
    [1, { toncenter: 1, tonapi: 1 }],
    [5, { toncenter: 1, tonapi: 1 }],
    [50, { toncenter: 1, tonapi: 1 }],
    [250, { toncenter: 3, tonapi: 3 }]
  ] as const)
    it(`of ${count} addresses take ${expected.toncenter} calls to each indexer`, function* () {
      const hosts = { "toncenter.test": rich, "tonapi.test": tonapi() }
      const { requests, network: ton } = yield* network(hosts, { tokens })
      const results = yield* settled(ton.holdings(everyone.slice(0, count)))
      assert.deepStrictEqual(
        results.map(short),
        everyone.slice(0, count).map((_, index) => `${index + 1} tether7`)
      )
      assert.deepStrictEqual(calls(requests), expected)
      for (const { url } of requests) assert.isBelow(url.href.length, 8_000)
    })

  it("are in the order of the addresses, whatever the order of the response", function* () {
    const { network: ton } = yield* network({ "toncenter.test": rich }, { tokens })
    const backwards = everyone.slice(0, 9).reverse()
    assert.deepStrictEqual(
      (yield* settled(ton.holdings(backwards))).map(short),
      backwards.map((address) => `${everyone.indexOf(address) + 1} tether7`)
    )
  })

  it("contain only the native coin, read with one call, if the token list is unavailable", function* () {
    const { requests, network: ton } = yield* network({ "toncenter.test": rich })
    assert.deepStrictEqual((yield* settled(ton.holdings(everyone.slice(0, 2)))).map(short), ["1", "2"])
    assert.deepStrictEqual(calls(requests), { toncenter: 1, tonapi: 0 })
    assert.match((yield* settled(ton.missing(everyone.slice(0, 1)))) ?? "", /list of its tokens/)
  })

  it("omit zero balances, unregistered jettons, and the native coin listed as a jetton", function* () {
    const rows: ReadonlyArray<Row> = [
      { owner: holder, jetton: ston, balance: "0" },
      { owner: holder, jetton: addresses(1)[0] ?? "", balance: "5" },
      { owner: holder, jetton: drift, balance: "6" },
      { owner: holder, jetton: usdt, balance: "7" }
    ]
    const { network: ton } = yield* network(
      { "toncenter.test": toncenter({ accountStates: json(states({})), "jetton/wallets": json(wallets(rows)) }) },
      { tokens: [token(usdt, "tether", 6), token(ston, "ston", 9), token(drift, "the-open-network", 9)] }
    )
    assert.deepStrictEqual((yield* settled(ton.holdings([holder]))).map(short), ["0 tether7"])
    assert.isUndefined(yield* settled(ton.missing([holder])))
  })

  it("contain the balance of an uninitialized account, and zero for an account that does not exist", function* () {
    const [uninit = "", nonexist = "", absent = ""] = addresses(3)
    const { accounts } = states({ [uninit]: "1000000000" })
    const more = [
      { address: nonexist.toUpperCase(), balance: null, status: "nonexist" },
      ...accounts.map((account) => ({ ...account, status: "uninit" }))
    ]
    const { network: ton } = yield* network({
      "toncenter.test": toncenter({ accountStates: json({ accounts: more }) })
    })
    assert.deepStrictEqual((yield* settled(ton.holdings([uninit, nonexist, absent]))).map(short), [
      "1000000000",
      "0",
      "0"
    ])
  })
})

describe("the decimals of a registered jetton", () => {
  const reading = Effect.fnUntraced(function* (declared: Readonly<Record<string, unknown>>) {
    const rows = [usdt, ston].map((jetton) => ({ owner: holder, jetton, balance: "7" }))
    const { network: ton } = yield* network(
      {
        "toncenter.test": toncenter({
          accountStates: json(states({})),
          "jetton/wallets": ({ url }) => {
            const requests = url.searchParams.get("jetton_address")
            const wanted = rows.filter(({ jetton }) => requests === null || requests === friendly(jetton))
            return json(wallets(wanted, declared))
          },
          "jetton/masters": json({ jetton_masters: [{ address: ston.toUpperCase() }], metadata: declared })
        }),
        "tonapi.test": () => unknownToTonapi
      },
      { tokens }
    )
    const [all] = yield* settled(ton.holdings([holder]))
    const outcome = yield* settled(Effect.either(ton.holding(holder, Option.some(ston))))
    const brief = ({ amount, asset }: Holding): ReadonlyArray<unknown> => [
      asset === "native" ? 9 : asset.decimals,
      Either.getOrElse(amount, ({ reason }) => reason)
    ]
    return {
      all: Either.getOrThrow(all ?? Either.right([])).map(brief),
      single: Either.match(outcome, { onLeft: ({ reason }): unknown => reason, onRight: brief })
    }
  })

  it("come from the jetton, then from the list, unless the list says nine, which may be a guess", function* () {
    const key = ston.toUpperCase()
    const declared = (decimals: number) => ({
      all: [
        [9, 0n],
        [6, 7n],
        [decimals, 7n]
      ],
      single: [decimals, 7n]
    })
    const unknown = {
      all: [
        [9, 0n],
        [6, 7n],
        [9, "bad_answer"]
      ],
      single: "bad_answer"
    }
    assert.deepStrictEqual(yield* reading({ [key]: metadata({ decimals: "6" }) }), declared(6))
    assert.deepStrictEqual(yield* reading({ [key]: metadata({}) }), declared(9))
    assert.deepStrictEqual(yield* reading({ [key]: metadata({}, { is_indexed: false }) }), unknown)
    assert.deepStrictEqual(yield* reading({}), unknown)
  })
})

describe("a jetton whose decimals differ between the indexer and the list", () => {
  it("has a reason instead of an amount, unless the list says nine, which may be a guess", () => {
    const read = (listed: number, decimals: number) =>
      toHolding({ address: usdt, decimals: listed } as Token, { amount: 348_343n, decimals })
    for (const decimals of [3, 0, 9]) {
      const { amount } = read(6, decimals)
      assert.deepInclude(Either.isLeft(amount) ? amount.left : {}, { reason: "bad_answer" }, String(decimals))
    }
    assert.isTrue(Either.isRight(read(6, 6).amount))
    assert.deepInclude(read(9, 6).asset, { decimals: 6 })
  })
})

describe("paginated jettons", () => {
  const master = (index: number) => `0:${index.toString(16).padStart(64, "a")}`
  const paged = (count: number) => {
    const rows = Array.from({ length: count }, (_, index) => ({
      owner: holder,
      jetton: index === count - 1 ? usdt : master(index),
      balance: "7"
    }))
    return ({ url }: SentRequest) => {
      const [offset, limit] = [Number(url.searchParams.get("offset")), Number(url.searchParams.get("limit"))]
      assert.strictEqual(limit, 1000)
      return json(wallets(rows.slice(offset, offset + limit)))
    }
  }
  const read = Effect.fnUntraced(function* (pages: ReturnType<typeof paged>) {
    const { requests, network: ton } = yield* network(
      { "toncenter.test": toncenter({ accountStates: json(states({ [holder]: "1" })), "jetton/wallets": pages }) },
      { tokens }
    )
    const [result] = yield* settled(ton.holdings([holder]))
    const made = calls(requests).toncenter - 1
    const { unreadTokens: [unread] = [] } = yield* settled(ton.chain.holdings([holder]))
    return { result: [short(result ?? assert.fail("none")), unread?.reason], pages: made }
  })

  for (const [count, pages] of [
    [999, 1],
    [1000, 2],
    [1001, 2],
    [2500, 3]
  ] as const)
    it(`are read to the last page: ${count} rows in ${pages} pages`, function* () {
      assert.deepStrictEqual(yield* read(paged(count)), { result: ["1 tether7", undefined], pages })
    })

  it("have no amount of a jetton that two pages list with different amounts", function* () {
    const row = (balance: string) => ({ owner: holder, jetton: usdt, balance })
    const others = Array.from({ length: 999 }, (_, index) => ({
      owner: holder,
      jetton: addresses(1_001)[index + 1] ?? "",
      balance: "0"
    }))
    const pages = (first: string, last: string) =>
      toncenter({
        accountStates: json(states({ [holder]: "1" })),
        "jetton/wallets": ({ url }) =>
          json(wallets(url.searchParams.get("offset") === "0" ? [row(first), ...others] : [row(last)]))
      })
    for (const [last, expected] of [
      ["7", Either.right(7n)],
      ["9", "bad_answer"]
    ] as const) {
      const { network: ton } = yield* network({ "toncenter.test": pages("7", last) }, { tokens })
      const [read = Either.right([])] = yield* settled(ton.holdings([holder]))
      const amount = Either.getOrThrow(read).find(({ asset }) => asset !== "native")?.amount
      assert.deepStrictEqual<unknown>(amount && (Either.isLeft(amount) ? amount.left.reason : amount), expected)
    }
  })

  it("fail if a page is missing, instead of returning a shorter list", function* () {
    const whole = paged(1500)
    const { result } = yield* read((request) =>
      request.url.searchParams.get("offset") === "0" ? whole(request) : refused
    )
    assert.deepStrictEqual(result, ["1", "upstream_error"])
  })

  it("fail if the pages never end", function* () {
    const whole = paged(1000)
    const { pages, result } = yield* read(({ url, ...requests }) => {
      const first = new URL(url)
      first.searchParams.set("offset", "0")
      return whole({ ...requests, url: first })
    })
    assert.deepStrictEqual({ pages, result }, { pages: 50, result: ["1", "upstream_error"] })
  })
})

describe("TonAPI as the fallback of TON Center", () => {
  it("is read when TON Center is down: balances in one call, jettons in one call per address", function* () {
    const { requests, network: ton } = yield* network({ "tonapi.test": tonapi() }, { tokens })
    const results = yield* settled(ton.holdings(everyone.slice(0, 5)))
    assert.deepStrictEqual(results.map(short), ["1 tether7", "2 tether7", "3 tether7", "4 tether7", "5 tether7"])
    assert.strictEqual(calls(requests).tonapi, 6)
    assert.deepStrictEqual(yield* ton.abilities, {
      balance: Either.right(["toncenter", "tonapi"]),
      tokens: Either.right(["toncenter", "tonapi"]),
      history: Either.right(["toncenter", "tonapi"]),
      fees: Either.right(["toncenter", "tonapi"]),
      transactionContext: Either.right(["toncenter", "tonapi"]),
      rawTransactions: Either.right(["toncenter", "tonapi"])
    })
  })

  it("returns only TON, with the reason, for the addresses whose jettons it does not return", function* () {
    const { network: ton } = yield* network({ "tonapi.test": tonapi(everyone.slice(1, 2)) }, { tokens })
    assert.deepStrictEqual(yield* reasons(ton, everyone.slice(0, 3)), [
      [["1", "tether 7"], undefined],
      [["2"], "upstream_error"],
      [["3", "tether 7"], undefined]
    ])
  })

  it("is read only for the addresses that TON Center did not return", function* () {
    const half = (request: SentRequest) =>
      request.url.searchParams.getAll("owner_address").includes(friendly(everyone[0] ?? "")) ? refused : rich(request)
    const { requests, network: ton } = yield* network({ "toncenter.test": half, "tonapi.test": tonapi() }, { tokens })
    const results = yield* settled(ton.holdings(everyone.slice(0, 110)))
    assert.deepStrictEqual(
      results.map(short),
      everyone.slice(0, 110).map((_, index) => `${index + 1} tether7`)
    )
    // The balances of all addresses in two calls, then one call per address without jettons.
    assert.strictEqual(calls(requests).tonapi, 2 + 100)
  })

  it("is also read if TON Center returns an impossible response", function* () {
    const { network: ton } = yield* network(
      { "toncenter.test": toncenter({ accountStates: json({ accounts: [] }) }), "tonapi.test": tonapi() },
      { tokens: undefined }
    )
    assert.deepStrictEqual((yield* settled(ton.holdings(everyone.slice(0, 1)))).map(short), ["1"])
  })

  it("must return every requested account", function* () {
    const { network: ton } = yield* network({ "tonapi.test": () => json({ accounts: [] }) })
    assert.deepStrictEqual((yield* settled(ton.holdings(everyone.slice(0, 1)))).map(short), ["bad_answer"])
  })
})

/** Amounts of holdings or the reasons of their failures, and the reason why the tokens of an address are missing. */
const reasons = (ton: Effect.Effect.Success<ReturnType<typeof network>>["network"], requested: ReadonlyArray<string>) =>
  Effect.map(settled(ton.chain.holdings(requested)), ({ addresses, unreadTokens = [] }) =>
    addresses.map((read, index) => [
      Either.match(read, {
        onLeft: ({ reason }) => [reason],
        onRight: (all) =>
          all.map(({ amount, asset }) => {
            const value = Either.match(amount, { onLeft: ({ reason }) => reason, onRight: String })
            return asset === "native" ? value : `${asset.coinId} ${value}`
          })
      }),
      unreadTokens[index]?.reason
    ])
  )

describe("a jetton wallet with an impossible balance", () => {
  const [victim = "", neighbour = "", spam = ""] = addresses(3)
  const impossible = ["-1", String(2n ** 255n), "0.5", "", null, "1e3"]
  const balances = { [victim]: "1", [neighbour]: "2" }

  for (const balance of impossible)
    it(`affects only its own token, at TON Center and at TonAPI: ${String(balance).slice(0, 5)}`, function* () {
      const rows = [
        { owner: victim, jetton: spam, balance: balance as string },
        { owner: victim, jetton: `7:${"5".repeat(64)}`, balance: balance as string },
        { owner: victim, jetton: usdt, balance: "7" },
        { owner: victim, jetton: drift, balance: balance as string },
        { owner: neighbour, jetton: ston, balance: "8" }
      ]
      const declared = { [ston.toUpperCase()]: metadata({ decimals: "9" }) }
      const center = toncenter({
        accountStates: json(states(balances)),
        "jetton/wallets": json(wallets(rows, declared))
      })
      const tonapi = ({ url }: SentRequest) =>
        url.pathname === "/v2/accounts/_bulk"
          ? json({ accounts: Object.entries(balances).map(([address, balance]) => ({ address, balance })) })
          : json({
              balances: rows
                .filter(({ owner }) => url.pathname.includes(owner))
                .map(({ balance, jetton }) => ({
                  balance,
                  jetton: { address: jetton, decimals: jetton === spam ? -1 : jetton === usdt ? 6 : 9 }
                }))
            })
      const expected = [
        [["1", "tether 7", "drift bad_answer"], undefined],
        [["2", "ston 8"], undefined]
      ]
      const first = yield* network({ "toncenter.test": center, "tonapi.test": tonapi }, { tokens })
      assert.deepStrictEqual(yield* reasons(first.network, [victim, neighbour]), expected)
      assert.deepStrictEqual(calls(first.requests), { toncenter: 1, tonapi: 1 })
      const second = yield* network({ "tonapi.test": tonapi }, { tokens })
      assert.deepStrictEqual(yield* reasons(second.network, [victim, neighbour]), expected)
    })
})

describe("the TON balance and the jettons", () => {
  const [one = "", other = ""] = addresses(2)
  const center = (states: Reply, jettons: Reply) => toncenter({ accountStates: states, "jetton/wallets": jettons })
  const fine = json(states({ [one]: "1", [other]: "2" }))
  const jettons = json(wallets([{ owner: one, jetton: usdt, balance: "7" }]))

  it("are independent: TON is returned without the jettons, with the reason", function* () {
    const { network: ton } = yield* network({ "toncenter.test": center(fine, refused) }, { tokens })
    assert.deepStrictEqual(yield* reasons(ton, [one, other]), [
      [["1"], "upstream_error"],
      [["2"], "upstream_error"]
    ])
  })

  it("are independent: jettons are returned without TON", function* () {
    const { network: ton } = yield* network({ "toncenter.test": center(refused, jettons) }, { tokens })
    assert.deepStrictEqual(yield* reasons(ton, [one, other]), [
      [["upstream_error", "tether 7"], undefined],
      [["upstream_error"], undefined]
    ])
  })

  it("miss only the TON balance of an active account that is returned without a balance", function* () {
    const { accounts } = states({ [other]: "2" })
    const broken = json({ accounts: [...accounts, { address: one, balance: null, status: "active" }] })
    const { network: ton } = yield* network({ "toncenter.test": center(broken, jettons) }, { tokens })
    assert.deepStrictEqual(yield* reasons(ton, [one, other]), [
      [["bad_answer", "tether 7"], undefined],
      [["2"], undefined]
    ])
  })

  it("are not read from an indexer that stands still", function* () {
    const stalled = json({ last: { gen_utime: "60", seqno: 5, workchain: -1, shard: "8000000000000000" } })
    const routes = { ...states({ [one]: "6" }) }
    const { network: ton } = yield* network(
      {
        "toncenter.test": toncenter({
          masterchainInfo: stalled,
          accountStates: json(routes),
          "jetton/wallets": jettons
        }),
        "tonapi.test": tonapi()
      },
      { tokens }
    )
    yield* TestClock.adjust("1 day")
    const [read] = yield* settled(ton.holdings([one]))
    assert.notDeepEqual(read && (Either.getOrThrow(read)[0]?.amount as unknown), Either.right(6n))
    const alone = yield* network(
      { "toncenter.test": toncenter({ masterchainInfo: stalled, accountStates: json(routes) }) },
      { tokens: [] }
    )
    const [behind] = yield* settled(alone.network.holdings([one]))
    assert.deepInclude(Either.getOrThrow(Either.flip(behind ?? Either.right([]))), { reason: "bad_answer" })
  })

  it("are read from TonAPI separately: first TON, then the jettons with one call per address", function* () {
    const { requests, network: ton } = yield* network({ "tonapi.test": tonapi() }, { tokens })
    yield* settled(ton.holdings(everyone.slice(0, 3)))
    const paths = requests
      .filter((request) => request.url.host === "tonapi.test" && !isOfHead(request))
      .map(({ url }) => url.pathname)
    assert.deepStrictEqual(
      paths.map((path) => path.split("/").at(-1)),
      ["_bulk", "jettons", "jettons", "jettons"]
    )
  })
})

describe("a single TON holding", () => {
  const jetton = addresses(1)[0] ?? ""
  const holding = Effect.fnUntraced(function* (routes: Parameters<typeof toncenter>[0], text: Option.Option<string>) {
    const hosts = { "toncenter.test": toncenter(routes), "tonapi.test": () => unknownToTonapi }
    const { requests, network: ton } = yield* network(hosts, { tokens })
    const result = yield* settled(Effect.either(ton.holding(holder, text)))
    return {
      calls: calls(requests).toncenter,
      read: Either.match(result, {
        onLeft: ({ reason }) => reason,
        onRight: ({ amount, asset }) =>
          [Either.getOrThrow(amount), asset === "native" ? Ton.info.native.decimals : asset.decimals] as const
      })
    }
  })
  const wallet = (master: string, declared: Readonly<Record<string, unknown>> = {}) =>
    json(wallets([{ owner: holder, jetton: master, balance: "7" }], declared))
  const none = json(wallets([]))
  const masters = (known: object) =>
    json({ jetton_masters: [{ address: jetton.toUpperCase() }], metadata: { [jetton.toUpperCase()]: known } })

  it("of the native coin takes one call", function* () {
    assert.deepStrictEqual(yield* holding({ accountStates: json(states({ [holder]: "5" })) }, Option.none()), {
      calls: 1,
      read: [5n, 9]
    })
  })

  it("of a registered token takes one call, for every spelling of its address", function* () {
    for (const text of [usdt, usdt.toUpperCase(), friendly(usdt), friendly(usdt).replaceAll("_", "/")])
      assert.deepStrictEqual(yield* holding({ "jetton/wallets": wallet(usdt) }, Option.some(text)), {
        calls: 1,
        read: [7n, 6]
      })
    assert.deepStrictEqual(yield* holding({ "jetton/wallets": none }, Option.some(usdt)), { calls: 1, read: [0n, 6] })
  })

  it("of an unregistered jetton has the decimals that the jetton declares", function* () {
    const routes = { "jetton/wallets": wallet(jetton, { [jetton.toUpperCase()]: metadata({ decimals: "4" }) }) }
    assert.deepStrictEqual(yield* holding(routes, Option.some(jetton)), { calls: 1, read: [7n, 4] })
    const master = { "jetton/wallets": none, "jetton/masters": masters(metadata({ decimals: 0 })) }
    assert.deepStrictEqual(yield* holding(master, Option.some(jetton)), { calls: 2, read: [0n, 0] })
  })

  it("of a jetton that declares no decimals has nine, as the standard says, but fails if its metadata is incomplete", function* () {
    const read = (known: object) =>
      Effect.map(
        holding({ "jetton/wallets": wallet(jetton), "jetton/masters": masters(known) }, Option.some(jetton)),
        ({ read }) => read
      )
    assert.deepStrictEqual(yield* read(metadata({})), [7n, 9])
    for (const unknown of [
      metadata({}, { is_indexed: false }),
      { is_indexed: true, token_info: [{ valid: false, type: "jetton_masters" }] },
      { is_indexed: true, token_info: [] },
      metadata({ decimals: "many" }),
      metadata({ decimals: 256 }),
      metadata({ decimals: -1 }),
      metadata({ decimals: 1.5 }),
      {}
    ])
      assert.strictEqual(yield* read(unknown), "bad_answer")
  })

  it("fails if the jetton does not exist or its address is invalid", function* () {
    const nothing = { "jetton/wallets": none, "jetton/masters": json({ jetton_masters: [], metadata: {} }) }
    assert.deepStrictEqual(yield* holding(nothing, Option.some(jetton)), { calls: 2, read: "bad_answer" })
    assert.deepStrictEqual(yield* holding(nothing, Option.some("usdt")), { calls: 0, read: "invalid_address" })
  })

  it("comes from TonAPI if TON Center has not indexed the jetton, and is unknown only if neither has it", function* () {
    const center = toncenter({
      "jetton/wallets": none,
      "jetton/masters": json({ jetton_masters: [], metadata: {} })
    })
    const read = Effect.fnUntraced(function* (tonapi: Reply) {
      const { network: ton } = yield* network({ "toncenter.test": center, "tonapi.test": () => tonapi }, { tokens })
      const result = yield* settled(Effect.either(ton.holding(holder, Option.some(jetton))))
      return Either.match(result, {
        onLeft: ({ reason }): unknown => reason,
        onRight: ({ asset }) => (asset === "native" ? 9 : asset.decimals)
      })
    })
    assert.strictEqual(yield* read(json({ metadata: { decimals: "3" } })), 3)
    assert.strictEqual(yield* read(json({ error: "entity not found" }, { status: 404 })), "bad_answer")
    assert.strictEqual(yield* read(json({ error: "rate limit" }, { status: 429 })), "rate_limited")
  })

  it("comes from TonAPI when TON Center is down", function* () {
    const hosts = {
      "tonapi.test": ({ url }: SentRequest) =>
        url.pathname.endsWith("/jettons")
          ? json({ balances: [{ balance: 7, jetton: { address: usdt, decimals: 6 } }] })
          : url.pathname === `/v2/jettons/${jetton}`
            ? json({ metadata: { decimals: "3" } })
            : url.pathname === "/v2/accounts/_bulk"
              ? json({ accounts: [{ address: holder, balance: 5 }] })
              : json({ error: "entity not found" }, { status: 404 })
    }
    const { network: ton } = yield* network(hosts, { tokens })
    const read = (text: Option.Option<string>) => settled(Effect.either(ton.holding(holder, text)))
    assert.deepStrictEqual(yield* read(Option.none()), Either.right({ asset: "native", amount: Either.right(5n) }))
    assert.deepStrictEqual(
      yield* read(Option.some(usdt)),
      Either.right({ asset: token(usdt, "tether", 6), amount: Either.right(7n) })
    )
    assert.deepInclude(Either.getOrThrow(yield* read(Option.some(jetton))).asset, { decimals: 3, address: jetton })
    assert.strictEqual(
      Either.getOrThrow(Either.flip(yield* read(Option.some(drift.replace("2", "3"))))).reason,
      "upstream_error"
    )
  })
})
