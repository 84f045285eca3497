import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { ReadFailure } from "../../../../../src/chains/Chain.ts"
import { fingerprintOf } from "../../../../../src/chains/cardano/providers/koios/KoiosAsset.ts"
import { cip68Decimals } from "../../../../../src/chains/cardano/providers/koios/KoiosMetadata.ts"
import { cardano } from "../../../../../src/sandbox/cardano/cardano.ts"
import * as World from "../../../../../src/sandbox/world/World.ts"
import {
  enterprise,
  koios,
  type Ledger,
  networkWithHeads as network,
  pathOf,
  payment,
  policy,
  runCanary,
  stake,
  token,
  withBlockfrostKey
} from "../../../../support/cardano.ts"
import { faults } from "../../../../support/faults.ts"
import { replay, sample } from "../../../../support/fixtures.ts"
import { json, neverResponds, type Reply, refused, type SentRequest, text } from "../../../../support/http.ts"
import { Cardano } from "../../../../support/networks.ts"
import { settled } from "../../../../support/settled.ts"
import { assert, describe, it } from "../../../../support/vitest.ts"

const holds = (asset: unknown, amount: bigint) => ({ asset, amount: Either.right(amount) })
const reasonOf = (read: Either.Either<unknown, ReadFailure> | undefined) =>
  Option.getOrThrow(Option.flatMap(Option.fromNullable(read), Either.getLeft))

const [alice, bob, account] = [payment(1), payment(2), stake(1)]
const [min, snek, bare, fungible] = [`${policy}4d494e`, `${policy}534e454b`, policy, `${policy}0014df104142`]

const ledger: Ledger = {
  lovelace: { [alice]: 7_000_000n, [account]: 12n },
  assets: {
    [alice]: [
      [min, "9223372036854775807"],
      [snek, "5"],
      [bare, "1"],
      [`${policy}00`, "3"]
    ],
    [account]: [[fungible, "100"]]
  },
  decimals: { [min]: 6 },
  info: {
    [snek]: { token_registry_metadata: { name: "Snek", ticker: "SNEK", decimals: 0 }, cip68_metadata: null },
    [bare]: { token_registry_metadata: null, cip68_metadata: null },
    [fungible]: {
      token_registry_metadata: null,
      cip68_metadata: {
        "333": {
          fields: [
            {
              map: [
                { k: { bytes: "6e616d65" }, v: { bytes: "4142" } },
                { k: { bytes: "646563696d616c73" }, v: { int: 4 } }
              ]
            },
            { int: 1 }
          ]
        }
      }
    }
  }
}
const tokens = [token(min, "minswap"), token(snek, "snek"), token(bare, "bare", 2), token(fungible, "fungible")]
const [listedMin, listedSnek, listedBare, listedFungible] = tokens

describe("Cardano from Koios", () => {
  it("reads the decimals of rich fungible tokens (CIP-68, label 444) like those of fungible tokens", () => {
    const datum = { fields: [{ map: [{ k: { bytes: "646563696d616c73" }, v: { int: 6 } }] }] }
    assert.strictEqual(cip68Decimals({ "444": datum }), 6)
    assert.strictEqual(cip68Decimals({ "333": datum }), 6)
    assert.isUndefined(cip68Decimals({ "222": datum }))
  })

  it("returns coins if the decimals of an asset are not read in time, and that asset without an amount", function* () {
    const slow = (request: SentRequest) =>
      request.url.pathname.endsWith("/asset_info") ? neverResponds : koios(ledger)(request)
    const { holdings } = yield* network({ "koios.test": slow }, tokens)
    const fiber = yield* Effect.fork(holdings([alice]))
    yield* TestClock.adjust("6 seconds")
    const [read] = yield* Fiber.join(fiber)
    const amounts = Either.getOrThrow(read ?? assert.fail("none")).map(({ amount, asset }) => [
      asset === "native" ? asset : asset.coinId,
      Either.match(amount, { onLeft: ({ reason }) => reason, onRight: String })
    ])
    assert.deepInclude(amounts, ["native", "7000000"])
    assert.deepInclude(amounts, ["snek", "timeout"])
    assert.deepInclude(amounts, ["minswap", "9223372036854775807"])
  })

  it("returns coins, then the registered assets, each with its decimals", function* () {
    const { holdings, missing } = yield* network({ "koios.test": koios(ledger) }, tokens)
    const read = yield* settled(holdings([bob, alice, account]))
    assert.deepStrictEqual(read.map(Either.getOrThrow) as unknown, [
      [holds("native", 0n)],
      [
        holds("native", 7_000_000n),
        holds({ ...listedMin, decimals: 6 }, 9_223_372_036_854_775_807n),
        holds(listedSnek, 5n),
        holds(listedBare, 1n)
      ],
      // The amount on its addresses, and the rewards that it may withdraw.
      [holds("native", 12n), holds({ ...listedFungible, decimals: 4 }, 100n)]
    ])
    assert.isUndefined(yield* settled(missing([payment(1)])))
  })

  it("looks up missing decimals once, in one call", function* () {
    const { requests, holdings } = yield* network({ "koios.test": koios(ledger) }, tokens)
    yield* settled(holdings([alice, account]))
    yield* settled(holdings([alice, account]))
    const lookups = requests.filter((request) => pathOf(request) === "/asset_info").map(({ body }) => JSON.parse(body))
    assert.deepStrictEqual(lookups, [
      {
        _asset_list: [
          [policy, "534e454b"],
          [policy, ""],
          [policy, "0014df104142"]
        ]
      }
    ])
  })

  it("is unknown if the fingerprint of an asset is that of another (CIP-14)", function* () {
    const cip = "7eae28af2208be856f7a119668ae52a49b73725e326dc16579dcc373"
    assert.strictEqual(fingerprintOf(cip), "asset1rjklcrnsdzqp65wjgrg55sy9723kw09mlgvlc3")
    assert.strictEqual(fingerprintOf(`${cip}504154415445`), "asset13n25uv0yaf5kus35fm2k86cqy60z58d9xmde92")
    const nameless = (request: SentRequest): Reply =>
      Effect.flatMap(koios(ledger)(request), (response) =>
        Effect.promise(async () =>
          Response.json(
            pathOf(request) === "/address_assets"
              ? ((await response.json()) as ReadonlyArray<object>).map((row) => ({ ...row, asset_name: null }))
              : await response.json()
          )
        )
      )
    const { unreadTokens } = yield* network({ "koios.test": nameless }, tokens)
    assert.deepInclude((yield* settled(unreadTokens([alice])))[0], { reason: "bad_answer" })
  })

  it("loses only one asset if its row cannot be read", function* () {
    const odd = (request: SentRequest): Reply =>
      pathOf(request) === "/asset_info"
        ? json([
            { policy_id: policy, asset_name: "534e454b", token_registry_metadata: { decimals: -1 } },
            { policy_id: policy, asset_name: "0014df104142", token_registry_metadata: { decimals: 4 } }
          ])
        : koios(ledger)(request)
    const { holdings } = yield* network({ "koios.test": odd }, tokens)
    const read = yield* settled(holdings([alice, account]))
    assert.deepStrictEqual(
      read.map((one) =>
        Either.getOrThrow(one).map(({ amount }) => Either.getOrElse(amount, ({ reason }) => reason))
      ) as unknown,
      [
        [7_000_000n, 9_223_372_036_854_775_807n, "bad_answer", "bad_answer"],
        [12n, 100n]
      ]
    )
  })

  it("returns a reason for an asset whose decimals are unavailable, and the other amounts", function* () {
    const broken = (request: SentRequest): Reply =>
      pathOf(request) === "/asset_info" ? text("<html>504</html>", { status: 504 }) : koios(ledger)(request)
    const { holdings } = yield* network({ "koios.test": broken }, tokens)
    const [read] = yield* settled(holdings([alice]))
    assert.deepStrictEqual(
      Either.getOrThrow(read ?? Either.right([])).map(({ amount }) =>
        Either.getOrElse(amount, (fault) => fault.reason)
      ) as unknown,
      [7_000_000n, 9_223_372_036_854_775_807n, "upstream_error", "upstream_error"]
    )
  })

  it("assumes no default for an asset whose decimals are unknown, and looks it up again", function* () {
    let knows = false
    const forgetful = (request: SentRequest): Reply =>
      pathOf(request) === "/asset_info" && !knows ? json([]) : koios(ledger)(request)
    const { holdings } = yield* network({ "koios.test": forgetful }, [token(fungible, "fungible")])
    const amounts = Effect.map(settled(holdings([account])), ([read]) =>
      Either.getOrThrow(read ?? Either.right([])).map(({ amount }) => Either.getOrElse(amount, (fault) => fault.reason))
    )
    assert.deepStrictEqual((yield* amounts) as unknown, [12n, "bad_answer"])
    knows = true
    yield* TestClock.adjust("11 seconds")
    assert.deepStrictEqual((yield* amounts) as unknown, [12n, 100n])
  })

  it("returns one asset, registered or not", function* () {
    const { holding } = yield* network({ "koios.test": koios(ledger) }, [token(min, "minswap")])
    const single = (address: string, asset: string) => settled(holding(address, Option.some(asset)))
    assert.deepStrictEqual((yield* settled(holding(alice, Option.none()))) as unknown, holds("native", 7_000_000n))
    assert.deepStrictEqual(
      (yield* single(alice, `${policy.toUpperCase()}.4D494E`)) as unknown,
      holds({ ...listedMin, decimals: 6 }, 9_223_372_036_854_775_807n)
    )
    assert.deepStrictEqual((yield* single(bob, min)) as unknown, holds(listedMin, 0n))
    const unregistered = { address: snek, name: "Snek", symbol: "SNEK", decimals: 0, thumbnail: "" }
    assert.deepStrictEqual((yield* single(alice, snek)) as unknown, holds(unregistered, 5n))
    assert.deepStrictEqual((yield* single(bob, snek)) as unknown, holds(unregistered, 0n))
    assert.deepInclude(yield* Effect.flip(single(alice, `${policy}ff`)), { reason: "bad_answer" })
    assert.deepInclude(yield* Effect.flip(single(alice, "SNEK")), { reason: "invalid_address" })
  })

  it("takes two calls per nine addresses, within the limit of one kilobyte per body", function* () {
    for (const [count, calls] of [
      [1, 2],
      [5, 2],
      [9, 2],
      [10, 4],
      [50, 12]
    ] as const) {
      const addresses = Array.from({ length: count }, (_, index) => payment(index + 100))
      const used = { ...ledger, lovelace: Object.fromEntries(addresses.map((address) => [address, 1n])) }
      const { requests, holdings } = yield* network({ "koios.test": koios(used) }, tokens)
      const read = yield* settled(holdings(addresses))
      assert.deepStrictEqual(read.filter(Either.isRight).length, count)
      assert.strictEqual(requests.length, calls)
      for (const { body } of requests) assert.isAtMost(body.length, 1000)
    }
    const { requests, holdings } = yield* network({ "koios.test": koios(ledger) }, undefined)
    yield* settled(holdings([alice, account]))
    assert.deepStrictEqual(requests.map(pathOf).sort(), ["/account_info", "/address_info"])
  })

  it("reads the next page if a page is full", function* () {
    const many = Array.from(
      { length: 2_000 },
      (_, index) => [`${policy}${String(index).padStart(4, "0")}`, "1"] as const
    )
    const { requests, holdings } = yield* network(
      { "koios.test": koios({ lovelace: { [alice]: 1n }, assets: { [alice]: many } }) },
      many.map(([unit]) => token(unit, unit, 1))
    )
    const [read] = yield* settled(holdings([alice]))
    assert.strictEqual(Either.getOrThrow(read ?? Either.right([])).length, 2_001)
    assert.deepStrictEqual(
      requests.flatMap(({ url }) => url.searchParams.get("offset") ?? []),
      ["0", "1000", "2000"]
    )
  })

  it("fails if pages repeat, and stops reading them", function* () {
    const many = Array.from(
      { length: 1_000 },
      (_, index) => [`${policy}${String(index).padStart(4, "0")}`, "1"] as const
    )
    const same = (request: SentRequest): Reply => {
      request.url.searchParams.delete("offset")
      return koios({ lovelace: { [alice]: 1n }, assets: { [alice]: many } })(request)
    }
    const { requests, unreadTokens } = yield* network({ "koios.test": same }, tokens)
    assert.deepInclude((yield* settled(unreadTokens([alice])))[0], { reason: "bad_answer" })
    assert.strictEqual(requests.filter((single) => pathOf(single) === "/address_assets").length, 2)
  })

  it("returns the other addresses if the call for some of them fails", function* () {
    const broken = (request: SentRequest): Reply =>
      request.body.includes(payment(105)) ? text("<html>504</html>", { status: 504 }) : koios(ledger)(request)
    const { holdings } = yield* network({ "koios.test": broken }, tokens)
    const read = yield* settled(holdings(Array.from({ length: 20 }, (_, index) => payment(index + 100))))
    assert.deepStrictEqual(
      read.map(Either.isRight),
      Array.from({ length: 20 }, (_, index) => index >= 9)
    )
  })

  it("distinguishes a response without any address from unused addresses", function* () {
    const fresh = yield* network({ "koios.test": koios(ledger) }, tokens)
    const unused = yield* settled(fresh.holdings([payment(100), stake(100)]))
    assert.deepStrictEqual(unused.map(Either.isRight), [true, true])
    const { holdings } = yield* network({ "koios.test": () => json([]) }, tokens)
    for (const read of yield* settled(holdings([payment(100), stake(100)])))
      assert.deepInclude(reasonOf(read), { reason: "bad_answer" })
  })

  it("requests an address once more that has no row beside others", function* () {
    const full = koios({ lovelace: { [alice]: 5n, [bob]: 7n } })
    const withoutBob =
      (again: (request: SentRequest) => Reply) =>
      (request: SentRequest): Reply =>
        pathOf(request) !== "/address_info" || !request.body.includes(bob)
          ? full(request)
          : request.body.includes(alice)
            ? json([{ address: alice, balance: "5" }])
            : again(request)
    for (const [again, expected] of [
      [full, Either.right([holds("native", 7n)])],
      [() => json([]), Either.right([holds("native", 0n)])],
      [
        () => refused,
        Either.left({ reason: "upstream_error" as const, message: "koios: could not be reached: connection refused" })
      ]
    ] as const) {
      const { holdings } = yield* network({ "koios.test": withoutBob(again) })
      assert.deepStrictEqual((yield* settled(holdings([alice, bob]))) as unknown, [
        Either.right([holds("native", 5n)]),
        expected
      ])
    }
  })

  it("loses no other address to a row that cannot be read, is of another address, or is there twice", function* () {
    const right = { address: alice, balance: "5" }
    const rows = [
      { ...right, balance: "18446744073709551617" },
      { ...right, balance: null },
      { ...right, address: null },
      { ...right, address: payment(3) },
      { ...right, address: bob }
    ]
    for (const row of rows)
      for (const isAlways of [false, true]) {
        const full = koios({ lovelace: { [alice]: 5n, [bob]: 7n } })
        let reads = 0
        const odd = (request: SentRequest): Reply =>
          pathOf(request) !== "/address_info" || (!isAlways && reads++ > 0)
            ? full(request)
            : json([row, ...(request.body.includes(bob) ? [{ address: bob, balance: "7" }] : [])])
        const { holdings } = yield* network({ "koios.test": odd })
        const [own, others] = yield* settled(holdings([alice, bob]))
        const of = (read: typeof own) =>
          Either.match(read ?? assert.fail("none"), {
            onLeft: ({ reason }) => reason,
            onRight: (found) => found as unknown
          })
        const text = `${JSON.stringify(row)} ${isAlways}`
        assert.deepStrictEqual(of(own), isAlways ? "bad_answer" : [holds("native", 5n)], text)
        // Which of two rows is right is not known.
        const isDoubled = row.address === bob && isAlways
        assert.deepStrictEqual(of(others), isDoubled ? "bad_answer" : [holds("native", 7n)], text)
      }
  })

  it("loses no other asset to a row that cannot be read", function* () {
    const odd = (request: SentRequest): Reply =>
      Effect.flatMap(koios(ledger)(request), (response) =>
        Effect.promise(async () => {
          const rows = (await response.json()) as ReadonlyArray<{ readonly asset_name?: string }>
          const isOdd = pathOf(request) === "/address_assets"
          return Response.json(rows.map((row) => (isOdd && row.asset_name === "" ? { ...row, quantity: "-7" } : row)))
        })
      )
    const { holdings, unreadTokens } = yield* network({ "koios.test": odd }, tokens)
    const [read] = yield* settled(holdings([alice]))
    assert.deepStrictEqual(
      read as unknown,
      Either.right([
        holds("native", 7_000_000n),
        holds({ ...listedMin, decimals: 6 }, 9_223_372_036_854_775_807n),
        holds(listedSnek, 5n)
      ])
    )
    assert.deepInclude((yield* settled(unreadTokens([alice])))[0], { reason: "bad_answer" })
  })

  it("requests the addresses without a row of many batches together, and waits a second for a slow batch", function* () {
    const all = Array.from({ length: 18 }, (_, index) => payment(index + 100))
    const used = { lovelace: Object.fromEntries([...all.slice(0, 7), ...all.slice(9, 16)].map((each) => [each, 1n])) }
    const { requests, holdings } = yield* network({ "koios.test": koios(used) })
    assert.isTrue((yield* settled(holdings(all))).every(Either.isRight))
    assert.deepStrictEqual(
      requests.map(({ body }) => JSON.parse(body)._addresses.length),
      [9, 9, 4]
    )
    const slow = (request: SentRequest) => (request.body.includes(payment(117)) ? neverResponds : koios(used)(request))
    const other = yield* network({ "koios.test": slow })
    const fiber = yield* Effect.fork(other.holdings(all))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(
      other.requests.map(({ body }) => JSON.parse(body)._addresses.length),
      [9, 9, 2]
    )
    yield* Fiber.interrupt(fiber)
  })

  it("takes one more call for many batches of unused addresses, not one per batch", function* () {
    const { requests, holdings } = yield* network({ "koios.test": koios(ledger) })
    const read = yield* settled(holdings(Array.from({ length: 20 }, (_, index) => payment(index + 100))))
    assert.isTrue(read.every(Either.isRight))
    assert.strictEqual(requests.length, 3 + 1)
  })

  it("fails without the coins, and returns them without the assets, whose amounts then fail", function* () {
    const without = (path: string) => (request: SentRequest) =>
      pathOf(request) === path ? refused : koios(ledger)(request)
    const { holdings } = yield* network({ "koios.test": without("/address_info") }, tokens)
    assert.deepInclude(reasonOf((yield* settled(holdings([alice])))[0]), { reason: "upstream_error" })
    const coins = yield* network({ "koios.test": without("/address_assets") }, tokens)
    assert.deepStrictEqual((yield* settled(coins.holdings([alice]))) as unknown, [
      Either.right([holds("native", 7_000_000n)])
    ])
    const [unread] = yield* settled(coins.unreadTokens([alice]))
    assert.deepInclude(unread, { reason: "upstream_error" })
    assert.deepStrictEqual(yield* Effect.flip(settled(coins.holding(alice, Option.some(min)))), unread)
  })

  it("does not return zero for an address that has assets but no row of coins", function* () {
    const holding = { lovelace: { [alice]: 1n, [bob]: 2n }, assets: { [alice]: [[min, "5"] as const] } }
    const { holdings } = yield* network(
      {
        "koios.test": (request) =>
          pathOf(request) === "/address_info" ? json([{ address: bob, balance: "2" }]) : koios(holding)(request)
      },
      tokens
    )
    const [first, second] = yield* settled(holdings([alice, bob]))
    assert.deepInclude(reasonOf(first), { reason: "bad_answer" })
    assert.deepStrictEqual(second as unknown, Either.right([holds("native", 2n)]))
  })

  it("reads the assets of each address alone if those of all cannot be read", function* () {
    const both = { ...ledger, lovelace: { ...ledger.lovelace, [bob]: 2n } }
    const { holdings, unreadTokens } = yield* network(
      {
        "koios.test": (request) =>
          pathOf(request) === "/address_assets" && request.body.includes(bob)
            ? text("<html>504</html>", { status: 504 })
            : koios(both)(request)
      },
      tokens
    )
    const [first, second] = yield* settled(holdings([alice, bob]))
    assert.strictEqual(first && Either.getOrThrow(first).length > 1, true)
    assert.deepStrictEqual(second as unknown, Either.right([holds("native", 2n)]))
    const [none, unread] = yield* settled(unreadTokens([alice, bob]))
    assert.isUndefined(none)
    assert.deepInclude(unread, { reason: "upstream_error" })
  })

  const failures: Readonly<Record<string, readonly [Reply, ReadFailure["reason"]]>> = {
    ...faults,
    "does not know the path": [json({ code: "PGRST202", message: "no function" }, { status: 404 }), "upstream_error"],
    "returns an error with HTTP 200": [json({ code: "57014", message: "canceling statement" }), "bad_answer"],
    "returns rows in another format": [json([{ address: alice }]), "bad_answer"],
    "returns an invalid number": [json([{ address: alice, balance: "1e6" }]), "bad_answer"],
    "returns a negative balance": [json([{ address: alice, balance: "-1" }]), "bad_answer"],
    "returns another address": [json([{ address: bob, balance: "1" }]), "bad_answer"]
  }
  for (const [name, [reply, reason]] of Object.entries(failures))
    it(`fails with a reason if Koios ${name}`, function* () {
      const { holding, holdings } = yield* network({ "koios.test": () => reply })
      const unread = reasonOf((yield* settled(holdings([alice])))[0])
      assert.strictEqual(unread.reason, reason)
      assert.notInclude(unread.message, ".test")
      assert.strictEqual((yield* Effect.flip(settled(holding(alice, Option.none())))).reason, reason)
    })

  it("preserves all digits of a balance that is a JSON number", function* () {
    const reply = text(`[{"address":"${alice}","balance":44999999999999999}]`)
    const { holdings } = yield* network({ "koios.test": () => reply })
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [
      Either.right([holds("native", 44_999_999_999_999_999n)])
    ])
  })

  it("returns the simulated balances, from either upstream", function* () {
    const contracts = World.contractsOn("cardano")
    const listed = contracts.map(({ address, coin }) => token(address, coin.id))
    const simulated = new Map(cardano(Cardano.info))
    const from = (name: string) => (request: SentRequest) =>
      Effect.sync(
        () =>
          simulated.get(name)?.({
            method: request.method,
            path: request.url.pathname,
            query: request.url.searchParams,
            body: request.body,
            now: 0
          }) ?? new Response()
      )
    const addresses = Array.from({ length: 20 }, (_, index) => [payment(index), stake(index)]).flat()
    for (const [hosts, environment] of [
      [{ "koios.test": from("koios") }, {}],
      [{ "blockfrost.test": from("blockfrost") }, withBlockfrostKey]
    ] as const) {
      const { holdings } = yield* network(hosts, listed, environment)
      const read = yield* settled(holdings(addresses))
      for (const [index, holder] of addresses.entries()) {
        const expected = contracts.flatMap((contract, at) => {
          const amount = World.tokenBalance(Cardano.info, contract, holder)
          return amount === 0n ? [] : [holds({ ...listed[at], decimals: contract.decimals }, amount)]
        })
        assert.deepStrictEqual(
          read[index] as unknown,
          Either.right([holds("native", World.native(Cardano.info, holder)), ...expected])
        )
      }
    }
  })
})

describe("sample Koios responses:", () => {
  const made = "5a".repeat(28)
  const asset = (name: string, decimals = 0) => token(`${made}${name}`, `asset-${name}`, decimals)
  const of = (name: string) => sample("koios", name)

  /** Koios that returns each sample for its request. Other calls are refused. */
  const answering =
    (...names: ReadonlyArray<string>) =>
    (request: SentRequest): Reply => {
      const found = names.map(of).find(({ request: sample }) => {
        const body = request.body === "" ? null : JSON.parse(request.body)
        return sample.path === pathOf(request) && JSON.stringify(sample.body) === JSON.stringify(body)
      })
      return found === undefined ? refused : replay(found)
    }

  it("address-info: an address that is left out is unused", function* () {
    const again = JSON.stringify({ _addresses: [enterprise(2)] })
    const { holdings } = yield* network({
      "koios.test": (request) => (request.body === again ? json([]) : answering("address-info")(request))
    })
    assert.deepStrictEqual((yield* settled(holdings([enterprise(1), enterprise(2)]))) as unknown, [
      Either.right([holds("native", 15_500_017n)]),
      Either.right([holds("native", 0n)])
    ])
  })

  const [registered, nameless, bare, itsOwn] = [asset("544f4b31"), asset(""), asset("4e554c4c"), asset("0014df1061")]

  it("address-assets, asset-info, asset-info-bare: decimals come from a balance, from the registry, or from neither", function* () {
    const infos = ["asset-info", "asset-info-bare"].flatMap((name) => of(name).response.body as ReadonlyArray<unknown>)
    const info = (request: SentRequest): Reply => {
      if (pathOf(request) === "/address_info") return json([{ address: enterprise(1), balance: "1" }])
      return pathOf(request) === "/asset_info" ? json(infos) : answering("address-assets")(request)
    }
    const { holdings } = yield* network({ "koios.test": info }, [nameless, registered, bare])
    assert.deepStrictEqual((yield* settled(holdings([enterprise(1)]))) as unknown, [
      Either.right([
        holds("native", 1n),
        holds({ ...nameless, decimals: 3 }, 9_223_372_036_854_775_807n),
        holds({ ...registered, decimals: 2 }, 700n),
        holds(bare, 30_500n)
      ])
    ])
  })

  it("account-info, account-assets, asset-info-cip68: the current balance is read, not the all-time total", function* () {
    const outside = answering("account-info", "account-assets", "asset-info-cip68")
    const { holdings } = yield* network({ "koios.test": outside }, [registered, itsOwn])
    assert.deepStrictEqual((yield* settled(holdings([account]))) as unknown, [
      Either.right([
        holds("native", 30_000_000n),
        holds({ ...registered, decimals: 2 }, 9_007_199_254_740_993n),
        holds({ ...itsOwn, decimals: 4 }, 40_000n)
      ])
    ])
  })

  it("tip: passes the check of Koios, and is not read as a balance", function* () {
    const tried = yield* settled(runCanary("koios", { "koios.test": answering("tip") }))
    assert.deepStrictEqual([tried.works, tried.requests.map(pathOf)], [true, ["/tip"]])
    assert.isFalse((yield* settled(runCanary("koios", { "koios.test": () => json([]) }))).works)
    const { holdings } = yield* network({ "koios.test": () => replay(of("tip")) })
    assert.deepInclude(reasonOf((yield* settled(holdings([alice])))[0]), { reason: "bad_answer" })
  })
})
