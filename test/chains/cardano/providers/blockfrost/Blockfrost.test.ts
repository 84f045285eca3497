import { bech32 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { ReadFailure } from "../../../../../src/chains/Chain.ts"
import {
  byron,
  enterprise,
  koios,
  networkWithHeads as network,
  pathOf,
  payment,
  policy,
  runCanary,
  stake,
  token,
  withBlockfrostKey
} from "../../../../support/cardano.ts"
import { replay, sample } from "../../../../support/fixtures.ts"
import { json, neverResponds, type Reply, refused, type SentRequest, text } from "../../../../support/http.ts"
import { settled } from "../../../../support/settled.ts"
import { assert, describe, it } from "../../../../support/vitest.ts"

const holds = (asset: unknown, amount: bigint) => ({ asset, amount: Either.right(amount) })
const reasonOf = (read: Either.Either<unknown, ReadFailure> | undefined) =>
  Option.getOrThrow(Option.flatMap(Option.fromNullable(read), Either.getLeft))

const [alice, account] = [payment(1), stake(1)]
const unit = `${policy}4d494e`
const min = token(unit, "minswap")

const notFound = json(
  { status_code: 404, error: "Not Found", message: "The requested component has not been found." },
  { status: 404 }
)

/** Blockfrost with replies by path. Other addresses were never used. */
const blockfrost =
  (answers: Readonly<Record<string, Reply>>) =>
  (request: SentRequest): Reply =>
    answers[`${pathOf(request)}${request.url.search}`] ?? notFound

describe("Cardano from Blockfrost", () => {
  it("is read first if there is a project id, which it receives", function* () {
    const amount = [
      { unit: "lovelace", quantity: "45000000000000000", decimals: 6 },
      { unit, quantity: "9223372036854775807", decimals: 6 }
    ]
    const hosts = {
      "blockfrost.test": blockfrost({ [`/addresses/${alice}/extended`]: json({ address: alice, amount }) })
    }
    const { abilities, requests, holdings } = yield* network(hosts, [min], withBlockfrostKey)
    assert.deepStrictEqual((yield* settled(holdings([alice, payment(2)]))) as unknown, [
      Either.right([
        holds("native", 45_000_000_000_000_000n),
        holds({ ...min, decimals: 6 }, 9_223_372_036_854_775_807n)
      ]),
      Either.right([holds("native", 0n)])
    ])
    assert.deepStrictEqual(
      requests.map(({ headers, url }) => [url.host, headers.project_id]),
      [
        ["blockfrost.test", "mainnetKey"],
        ["blockfrost.test", "mainnetKey"]
      ]
    )
    assert.deepStrictEqual((yield* abilities).balance, Either.right(["blockfrost", "koios"]))
  })

  it("is not used without a project id", function* () {
    const { abilities, requests, holdings } = yield* network({ "koios.test": koios({ lovelace: {} }) }, [min])
    yield* settled(holdings([alice]))
    assert.isTrue(requests.every(({ url }) => url.host === "koios.test"))
    assert.deepStrictEqual((yield* abilities).balance, Either.right(["koios"]))
  })

  it("fails if all pages are the same, and stops reading them", function* () {
    const assets = Array.from({ length: 100 }, (_, index) => ({
      unit: `${policy}${index.toString(16).padStart(4, "0")}`,
      quantity: "2"
    }))
    const same = (request: SentRequest): Reply =>
      pathOf(request) === `/accounts/${account}`
        ? json({ stake_address: account, controlled_amount: "30" })
        : json(assets)
    const { requests, holdings, unreadTokens } = yield* network({ "blockfrost.test": same }, [min], withBlockfrostKey)
    // Koios, the next source, is not available.
    const read = yield* settled(holdings([account]))
    assert.deepStrictEqual(read as unknown, [Either.right([holds("native", 30n)])])
    assert.strictEqual(requests.filter(({ url }) => url.host === "blockfrost.test").length, 3)
    assert.deepInclude((yield* settled(unreadTokens([account])))[0], { reason: "bad_answer" })
  })

  it("returns a whole account, including its rewards and all pages of its assets", function* () {
    const assets = Array.from({ length: 150 }, (_, index) => ({
      unit: `${policy}${index.toString(16).padStart(4, "0")}`,
      quantity: "2"
    }))
    const [first = { unit: "", quantity: "" }] = assets
    const list = `/accounts/${account}/addresses/assets`
    const answers = {
      // The controlled amount already includes the withdrawable amount.
      [`/accounts/${account}`]: json({ stake_address: account, controlled_amount: "30", withdrawable_amount: "10" }),
      [list]: json(assets.slice(0, 100)),
      [`${list}?page=2`]: json(assets.slice(100)),
      [`/assets/${first.unit}`]: json({ asset: first.unit, metadata: { name: "F", ticker: "F", decimals: 3 } })
    }
    const unread = yield* network(
      { "blockfrost.test": blockfrost({ ...answers, [list]: refused }), "koios.test": () => refused },
      [token(first.unit, "first")],
      withBlockfrostKey
    )
    // Without the assets, the coins are returned alone, and the next source is called for the assets.
    assert.deepStrictEqual((yield* settled(unread.holdings([account]))) as unknown, [
      Either.right([holds("native", 30n)])
    ])
    assert.deepInclude((yield* settled(unread.unreadTokens([account])))[0], { reason: "upstream_error" })
    assert.isTrue(unread.requests.some(({ url }) => url.host === "koios.test"))
    const last = token(assets[149]?.unit ?? "", "last", 2)
    const listed = token(first.unit, "first")
    const described = { ...answers, [`/assets/${last.address}`]: json({ asset: last.address, metadata: null }) }
    const { holdings } = yield* network({ "blockfrost.test": blockfrost(described) }, [listed, last], withBlockfrostKey)
    assert.deepStrictEqual((yield* settled(holdings([account]))) as unknown, [
      Either.right([holds("native", 30n), holds({ ...listed, decimals: 3 }, 2n), holds(last, 2n)])
    ])
  })

  it("takes one call per address, and two per account", function* () {
    for (const count of [1, 5, 50]) {
      const { requests, holdings } = yield* network({ "blockfrost.test": blockfrost({}) }, [min], withBlockfrostKey)
      const addresses = Array.from({ length: count }, (_, index) => payment(index))
      yield* settled(holdings(addresses))
      assert.strictEqual(requests.length, count)
      yield* settled(holdings([account]))
      assert.strictEqual(requests.length, count + 2)
    }
  })

  it("does not read a 404 that is not from Blockfrost itself as an empty address", function* () {
    for (const reply of [
      text("404 page not found", { status: 404 }),
      json({ message: "no Route matched with those values" }, { status: 404 }),
      json({ status_code: 404, error: "Not Found", message: "Invalid path" }, { status: 404 })
    ]) {
      const { holdings } = yield* network({ "blockfrost.test": () => reply }, [min], withBlockfrostKey)
      // Koios, the next source, is not available.
      assert.deepInclude(reasonOf((yield* settled(holdings([alice])))[0]), { reason: "upstream_error" })
      const mended = yield* network(
        { "blockfrost.test": () => reply, "koios.test": koios({ lovelace: { [alice]: 3n } }) },
        [min],
        withBlockfrostKey
      )
      assert.deepStrictEqual((yield* settled(mended.holdings([alice]))) as unknown, [
        Either.right([holds("native", 3n)])
      ])
    }
  })

  const failures: Readonly<Record<string, Reply>> = {
    "cannot be reached": refused,
    "does not respond": neverResponds,
    "returns HTML": text("<html></html>"),
    "returns another format": json({ address: alice }),
    "returns another address": json({ address: payment(9), amount: [] }),
    "has used up its daily limit": json({ status_code: 402, error: "Project Over Limit" }, { status: 402 })
  }
  for (const [name, reply] of Object.entries(failures))
    it(`is followed by Koios if it ${name}`, function* () {
      const bob = payment(2)
      const { requests, holdings } = yield* network(
        {
          "blockfrost.test": (request) =>
            request.url.pathname.includes(bob)
              ? json({ address: bob, amount: [{ unit: "lovelace", quantity: "5", decimals: 6 }] })
              : reply,
          "koios.test": koios({ lovelace: { [alice]: 7n } })
        },
        [min],
        withBlockfrostKey
      )
      assert.deepStrictEqual((yield* settled(holdings([bob, alice]))) as unknown, [
        Either.right([holds("native", 5n)]),
        Either.right([holds("native", 7n)])
      ])
      const behind = requests.filter(({ url }) => url.host === "koios.test")
      assert.isTrue(behind.every(({ body }) => body.includes(alice) && !body.includes(bob)))
    })

  it("is not called again after it reports that the daily limit is used up", function* () {
    const { requests, holdings } = yield* network(
      {
        "blockfrost.test": () => json({ status_code: 402, error: "Project Over Limit" }, { status: 402 }),
        "koios.test": koios({ lovelace: {} })
      },
      [min],
      withBlockfrostKey
    )
    yield* settled(holdings([alice]))
    yield* settled(holdings([alice]))
    assert.strictEqual(requests.filter(({ url }) => url.host === "blockfrost.test").length, 1)
  })
})

describe("sample Blockfrost responses:", () => {
  const made = "5a".repeat(28)
  const asset = (name: string, decimals = 0) => token(`${made}${name}`, `asset-${name}`, decimals)
  const of = (name: string) => sample("blockfrost", name)

  /** Blockfrost that returns each sample for the path of its request. */
  const answering = (...names: ReadonlyArray<string>) =>
    blockfrost(Object.fromEntries(names.map((name) => [of(name).request.path, replay(of(name))])))

  /** By case: the coins, and each asset with its name, amount, decimals in the token list and expected decimals. */
  const addresses = {
    "address-without-decimals": [3_141_592n, [["544f4b31", 7n, 1, 1]]],
    "address-extended-cip68": [
      2_718_281n,
      [
        ["000de14061", 1n, 0, 0],
        ["001bc28061", 1_500n, 0, 8]
      ]
    ],
    "address-extended-unregistered": [
      1_618_033n,
      [
        ["5a45524f", 20_500n, 0, 0],
        ["4e554c4c", 30_500n, 4, 4]
      ]
    ],
    "address-beyond-2-53": [
      44_000_000_000_000_001n,
      [
        ["", 9_223_372_036_854_775_807n, 1, 1],
        ["d182d0bed0bad0b5d0bd", 9_007_199_254_740_993n, 1, 1]
      ]
    ],
    "not-found-404": [0n, []]
  } as const

  for (const [name, [native, assets]] of Object.entries(addresses))
    it(name, function* () {
      const listed = assets.map(([unit, , decimals]) => asset(unit, decimals))
      // The decimals that the address does not have are read from the asset.
      const described = (request: SentRequest): Reply => {
        const [, unit] = /\/assets\/(\w+)$/.exec(pathOf(request)) ?? []
        const [, , , decimals] = assets.find(([name]) => unit?.endsWith(name)) ?? []
        return unit === undefined
          ? answering(name)(request)
          : json({ asset: unit, metadata: { name: "A", ticker: "A", decimals } })
      }
      const { holdings } = yield* network({ "blockfrost.test": described }, listed, withBlockfrostKey)
      assert.deepStrictEqual((yield* settled(holdings([enterprise(1)]))) as unknown, [
        Either.right([
          holds("native", native),
          ...assets.map(([unit, amount, , decimals]) => holds(asset(unit, decimals), amount))
        ])
      ])
    })

  it("account, account-assets: returns the controlled amount, and assets whose decimals are looked up", function* () {
    const outside = answering("account", "account-assets", "asset-registered", "asset-unprintable-name")
    const { holdings } = yield* network(
      { "blockfrost.test": outside },
      [asset("544f4b31"), asset("dada")],
      withBlockfrostKey
    )
    assert.deepStrictEqual((yield* settled(holdings([account]))) as unknown, [
      Either.right([holds("native", 30_000_000n), holds(asset("544f4b31", 2), 700n), holds(asset("dada"), 3n)])
    ])
  })

  const metadata = {
    "asset-registered": { name: "Token One", symbol: "TOK1", decimals: 2 },
    "asset-unprintable-name": { name: "", symbol: "", decimals: 0 },
    "asset-cip68": { name: "", symbol: "", decimals: 4 },
    "asset-cip25": { name: "", symbol: "", decimals: 0 }
  }
  for (const [name, declared] of Object.entries(metadata))
    it(`${name}: looks up a token that is not in the list`, function* () {
      const unit = of(name).request.path.split("/").at(-1) ?? ""
      const { holding } = yield* network({ "blockfrost.test": answering(name) }, [], withBlockfrostKey)
      assert.deepStrictEqual(
        (yield* settled(holding(alice, Option.some(unit)))) as unknown,
        holds({ address: unit, ...declared, thumbnail: "" }, 0n)
      )
    })

  it("a credential is refused as an address, and no source is called", function* () {
    const { address, requests } = yield* network({}, [min], withBlockfrostKey)
    const credential = bech32.encode("addr_vkh", bech32.toWords(new Uint8Array(28).fill(1)))
    assert.deepStrictEqual([credential, byron(1)].map(address).map(Either.isRight), [false, true])
    assert.deepStrictEqual(requests, [])
  })

  it("genesis, genesis-of-a-test-network: only the genesis of the main network is accepted", function* () {
    for (const [name, works] of [
      ["genesis", true],
      ["genesis-of-a-test-network", false]
    ] as const) {
      const tried = yield* settled(runCanary("blockfrost", { "blockfrost.test": answering(name) }, withBlockfrostKey))
      assert.deepStrictEqual([tried.works, tried.requests.map(pathOf)], [works, ["/genesis"]])
    }
  })
})

describe("impossible responses of Blockfrost", () => {
  const reading = Effect.fnUntraced(function* (body: object) {
    const hosts = {
      "blockfrost.test": blockfrost({ [`/addresses/${alice}/extended`]: json(body) }),
      "koios.test": () => refused
    }
    const { holdings } = yield* network(hosts, [min], withBlockfrostKey)
    return (yield* settled(holdings([alice])))[0]
  })
  const coins = { unit: "lovelace", quantity: "7" }
  const asset = { unit, quantity: "5", decimals: 6 }

  for (const [name, body] of [
    ["an empty object", {}],
    ["no entry for coins", { address: alice, amount: [] }],
    ["assets without coins", { address: alice, amount: [asset] }],
    ["another address", { address: payment(2), amount: [coins] }],
    ["more than the supply", { address: alice, amount: [{ unit: "lovelace", quantity: "45000000000000001" }] }]
  ] as const)
    it(`are rejected: ${name}`, function* () {
      assert.isTrue(Either.isLeft((yield* reading(body)) ?? Either.right([])))
    })

  it("may list an asset twice, which counts once", function* () {
    assert.deepStrictEqual(
      (yield* reading({ address: alice, amount: [coins, asset, asset] })) as unknown,
      Either.right([holds("native", 7n), holds({ ...min, decimals: 6 }, 5n)])
    )
  })
})
