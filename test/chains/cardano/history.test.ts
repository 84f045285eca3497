import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { numberOf, type Seconds } from "../../../src/domain/units.ts"
import {
  byron,
  enterprise,
  networkWithHeads as network,
  pathOf,
  payment,
  stake,
  withBlockfrostKey
} from "../../support/cardano.ts"
import {
  blockfrostOf,
  hash,
  historyOf,
  koiosOf,
  type Paid,
  paid,
  received,
  timeOf
} from "../../support/cardanoHistory.ts"
import { faults } from "../../support/faults.ts"
import { replay, sample } from "../../support/fixtures.ts"
import { json, neverResponds, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const [alice, bob, account] = [payment(1), payment(2), stake(1)]

const read = Effect.fnUntraced(function* (
  hosts: Readonly<Record<string, (request: SentRequest) => Reply>>,
  query: { readonly address?: string; readonly limit: number; readonly since?: Seconds },
  environment: Readonly<Record<string, string>> = {}
) {
  const built = yield* network(hosts, undefined, environment)
  const part = yield* settled(Effect.either(historyOf(built, { address: alice, ...query })), "100 millis")
  return { part, requests: built.requests, calls: built.requests.length }
})

const right = <A>(either: Either.Either<A, unknown>) => Either.getOrThrow(either)

describe("the history of a Cardano address", () => {
  it("takes one call for the list and one per 13 transactions", function* () {
    for (const [count, limit, calls] of [
      [1, 50, 2],
      [13, 50, 2],
      [14, 50, 3],
      [700, 50, 5],
      [700, 500, 40]
    ] as const) {
      const all = paid(count)
      const { requests, part } = yield* read({ "koios.test": koiosOf(alice, all) }, { limit })
      const newest = [...all].reverse().slice(0, limit)
      assert.deepStrictEqual(right(part) as unknown, {
        transactions: newest.map((transaction) => received(alice, transaction)),
        more: count > limit,
        sources: ["koios"],
        missing: []
      })
      assert.strictEqual(requests.length, calls)
      for (const { body } of requests) assert.isAtMost(body.length, 1000)
    }
  })

  it("has more if the list of Koios is full", function* () {
    const hosts = { "koios.test": koiosOf(alice, paid(1_001)) }
    const { part } = yield* read(hosts, { limit: 1_000 }, { KOIOS_PER_SECOND: "1000" })
    const { missing, more, transactions } = right(part)
    assert.deepStrictEqual([transactions.length, more, missing], [1_000, true, []])
  })

  it("requests an account by its stake address", function* () {
    const { requests, part } = yield* read({ "koios.test": koiosOf(account, paid(2)) }, { address: account, limit: 5 })
    assert.deepStrictEqual(
      right(part).transactions.map(({ to }) => to[0]?.address),
      [account, account]
    )
    // Rewards are in the balance of an account, and in no list of transactions.
    assert.deepStrictEqual([right(part).missing, right(part).unavailable], [[], ["staking rewards"]])
    assert.strictEqual(requests[0]?.method, "GET")
    assert.strictEqual(requests[0]?.url.searchParams.get("_stake_address"), account)
  })

  it("is empty for an unused address only if Koios returns rows for a used address", function* () {
    const fresh = yield* read({ "koios.test": koiosOf(bob, paid(2)) }, { limit: 5 })
    assert.deepStrictEqual(right(fresh.part), { transactions: [], more: false, sources: ["koios"], missing: [] })
    assert.strictEqual(fresh.calls, 2)
    const { part } = yield* read({ "koios.test": () => json([]) }, { limit: 5 })
    assert.deepInclude(Either.getOrThrow(Either.flip(part)), { reason: "bad_answer" })
  })

  it("ends at the start time, and requests no blocks long before it", function* () {
    const all = paid(100)
    const since = timeOf(12_000_090)
    for (const [hosts, environment, calls] of [
      [{ "koios.test": koiosOf(alice, all) }, {}, 2],
      [{ "blockfrost.test": blockfrostOf(alice, all) }, withBlockfrostKey, 24]
    ] as const) {
      const { requests, part } = yield* read(hosts, { limit: 500, since }, environment)
      assert.deepStrictEqual(
        right(part).transactions.map((transaction) => transaction.hash),
        Array.from({ length: 10 }, (_, index) => hash(100 - index))
      )
      assert.isFalse(right(part).more)
      assert.strictEqual(requests.length, calls)
    }
    const built = yield* network({ "koios.test": koiosOf(alice, all) })
    for (const limit of [1, 5]) yield* settled(historyOf(built, { address: alice, limit, since }))
    const heights = built.requests
      .filter((request) => pathOf(request) === "/address_txs")
      .map(({ body }) => JSON.parse(body)._after_block_height)
    // No response changes the lower bound: one with an impossible height would hide newer rows of all addresses.
    const bound = Math.floor(8_129_403 + (numberOf(since) - 1_670_833_300) * 0.045 - 100)
    assert.deepStrictEqual(heights, [bound, bound])
    assert.isBelow(bound, 12_000_090)
  })

  it("is in the order of the blocks, even if the limit cuts through a block", function* () {
    // The list of the hashes of a block starts with the oldest.
    const block = Array.from({ length: 6 }, (_, index) => ({ hash: hash(50 + index), height: 12_000_001, index }))
    const all = [{ hash: hash(1), height: 12_000_000, index: 0 }, ...block]
    for (const [hosts, environment] of [
      [{ "koios.test": koiosOf(alice, all) }, {}],
      [{ "blockfrost.test": blockfrostOf(alice, all) }, withBlockfrostKey]
    ] as const) {
      const { part } = yield* read(hosts, { limit: 2 }, environment)
      assert.deepStrictEqual(
        right(part).transactions.map((transaction) => transaction.hash),
        [hash(55), hash(54)]
      )
      assert.isTrue(right(part).more)
    }
  })

  it("contains a transaction once if the list contains it twice", function* () {
    const all = paid(3)
    const twice = (request: SentRequest): Reply =>
      koiosOf(
        alice,
        pathOf(request) === "/tx_info" ? all : all.flatMap((transaction) => [transaction, transaction])
      )(request)
    const { part } = yield* read({ "koios.test": twice }, { limit: 3 })
    assert.deepInclude(right(part), { more: false, missing: [] })
    assert.deepStrictEqual(
      right(part).transactions.map((transaction) => transaction.hash),
      [hash(3), hash(2), hash(1)]
    )
  })

  it("lacks a transaction whose details are returned twice, with different values", function* () {
    const all = paid(3)
    const twice = (request: SentRequest): Reply =>
      Effect.flatMap(koiosOf(alice, all)(request), (response) =>
        Effect.promise(async () => {
          const [first, ...others] = (await response.json()) as ReadonlyArray<object>
          return Response.json(
            pathOf(request) === "/tx_info" ? [first, { ...first, fee: "7" }, ...others] : [first, ...others]
          )
        })
      )
    const { part } = yield* read({ "koios.test": twice }, { limit: 3 })
    assert.lengthOf(right(part).transactions, 2)
    assert.match(right(part).missing.join(), /^1 /)
  })

  it("comes from Blockfrost if Koios fails, with two calls per transaction", function* () {
    for (const [count, limit, calls] of [
      [3, 50, 7],
      [250, 120, 242]
    ] as const) {
      const all = paid(count)
      const hosts = { "koios.test": () => refused, "blockfrost.test": blockfrostOf(alice, all) }
      const { requests, part } = yield* read(hosts, { limit }, withBlockfrostKey)
      assert.deepStrictEqual(right(part) as unknown, {
        transactions: [...all]
          .reverse()
          .slice(0, limit)
          .map((transaction) => received(alice, transaction)),
        more: count > limit,
        sources: ["blockfrost"],
        missing: []
      })
      assert.strictEqual(requests.filter(({ url }) => url.host === "blockfrost.test").length, calls)
    }
    const { abilities } = yield* network({}, undefined, withBlockfrostKey)
    assert.deepStrictEqual((yield* abilities).history, Either.right(["koios", "blockfrost"]))
  })

  it("is empty if Blockfrost has never seen the address", function* () {
    const hosts = { "koios.test": () => refused, "blockfrost.test": blockfrostOf(bob, paid(2)) }
    const { part } = yield* read(hosts, { limit: 5 }, withBlockfrostKey)
    assert.deepStrictEqual(right(part), { transactions: [], more: false, sources: ["blockfrost"], missing: [] })
  })

  it("fails with a reason if no history is available", function* () {
    const replies: ReadonlyArray<readonly [Reply, string]> = [
      ...Object.values(faults),
      [json({ code: "57014", message: "canceling statement" }), "bad_answer"]
    ]
    for (const [reply, reason] of replies) {
      const { part } = yield* read({ "koios.test": () => reply }, { limit: 5 })
      assert.deepInclude(Either.getOrThrow(Either.flip(part)), { reason })
    }
  })

  it("returns the transactions that were read if older ones fail, and reports those as missing", function* () {
    const all = paid(40)
    const broken = (request: SentRequest): Reply =>
      pathOf(request) === "/tx_info" && !request.body.includes(hash(40))
        ? text("<html>", { status: 500 })
        : koiosOf(alice, all)(request)
    const { part } = yield* read({ "koios.test": broken }, { limit: 50 })
    assert.deepStrictEqual(
      right(part).transactions.map((transaction) => transaction.hash),
      Array.from({ length: 13 }, (_, index) => hash(40 - index))
    )
    assert.deepInclude(right(part), { more: true, missing: ["older transactions: koios: returned HTTP 500"] })
    // Another source that has all of them is preferred.
    const both = yield* read(
      { "koios.test": broken, "blockfrost.test": blockfrostOf(alice, all) },
      { limit: 50 },
      withBlockfrostKey
    )
    assert.deepInclude(right(both.part), { more: false, sources: ["blockfrost"], missing: [] })
    assert.strictEqual(right(both.part).transactions.length, 40)
  })

  it("reports a transaction that cannot be decoded", function* () {
    const all = paid(5)
    const odd =
      (change: object) =>
      (request: SentRequest): Reply =>
        pathOf(request) === "/tx_info"
          ? Effect.flatMap(koiosOf(alice, all)(request), (response) =>
              Effect.flatMap(
                Effect.promise(() => response.json() as Promise<ReadonlyArray<object>>),
                (rows) => json(rows.map((row, index) => (index === 1 ? { ...row, ...change } : row)))
              )
            )
          : koiosOf(alice, all)(request)
    // Without it, a failed contract would be a success.
    for (const change of [{ fee: "much" }, { plutus_contracts: [{ valid_contract: null }] }]) {
      const { part } = yield* read({ "koios.test": odd(change) }, { limit: 50 })
      assert.strictEqual(right(part).transactions.length, 4)
      assert.deepStrictEqual(right(part).missing, ["1 transactions: koios: returned no readable data for them"])
    }
  })

  it("reports a transaction with an address that is not that of its credentials", function* () {
    const all = paid(3)
    const credential = "6be553ecaf3765b0e5c214b7d4129d4008875fd0b2862cd4cc38a170"
    const address = "addr1v94725lv4umktv89cg2t04qjn4qq3p6l6zegvtx5esu2zuqfd487u"
    const changed = (change: object) => (request: SentRequest) =>
      pathOf(request) === "/tx_info"
        ? Effect.flatMap(koiosOf(alice, all)(request), (response) =>
            Effect.promise(async () => {
              const rows = (await response.json()) as ReadonlyArray<{ readonly inputs: ReadonlyArray<object> }>
              return Response.json(
                rows.map((row, index) => ({
                  ...row,
                  inputs: index === 1 ? row.inputs.map((each) => ({ ...each, ...change })) : row.inputs
                }))
              )
            })
          )
        : koiosOf(alice, all)(request)
    for (const [change, count] of [
      [{ payment_addr: { bech32: address, cred: credential } }, 3],
      [{ payment_addr: { bech32: address, cred: `00${credential.slice(2)}` } }, 2],
      [{ payment_addr: { bech32: account, cred: credential } }, 2],
      [{ payment_addr: { bech32: payment(5), cred: null }, stake_addr: account }, 2]
    ] as const) {
      const { part } = yield* read({ "koios.test": changed(change) }, { limit: 50 })
      assert.strictEqual(right(part).transactions.length, count)
      assert.strictEqual(right(part).missing.length, 3 - count)
    }
  })

  it("is not read from a list in another order, or with a transaction in two blocks", function* () {
    const changed = (change: (rows: ReadonlyArray<object>) => ReadonlyArray<object>) => (request: SentRequest) =>
      pathOf(request) === "/address_txs"
        ? Effect.flatMap(koiosOf(alice, paid(5))(request), (response) =>
            Effect.promise(async () => Response.json(change((await response.json()) as ReadonlyArray<object>)))
          )
        : koiosOf(alice, paid(5))(request)
    const wrong = [
      (rows: ReadonlyArray<object>) => rows.toReversed(),
      (rows: ReadonlyArray<object>) => rows.map((row) => ({ ...row, tx_hash: hash(1) }))
    ]
    for (const change of wrong) {
      const { part } = yield* read({ "koios.test": changed(change) }, { limit: 50 })
      assert.include(JSON.stringify(Either.flip(part)), "bad_answer")
    }
  })

  it("returns the last day of an address that is too large before the deadline", function* () {
    // The last day has ten transactions.
    const all = paid(95_690).slice(-100)
    const slow = (request: SentRequest): Reply =>
      pathOf(request) === "/address_txs" && !request.body.includes("_after")
        ? neverResponds
        : koiosOf(alice, all)(request)
    const { part } = yield* read({ "koios.test": slow }, { limit: 20 })
    assert.strictEqual(right(part).transactions.length, 10)
    assert.isTrue(right(part).more)
    assert.deepStrictEqual(right(part).missing, ["transactions before the last day: koios: timed out after 1000 ms"])
    // The list is complete if the last day has as many transactions as requested.
    const enough = yield* read({ "koios.test": slow }, { limit: 10 })
    assert.strictEqual(right(enough.part).transactions.length, 10)
    assert.deepInclude(right(enough.part), { more: true, missing: [] })
    const never = (request: SentRequest): Reply =>
      request.body.includes(hash(1)) ? neverResponds : koiosOf(alice, paid(20))(request)
    const timedOut = yield* read(
      { "koios.test": never },
      { limit: 20 },
      { REQUEST_DEADLINE_MS: "1000", UPSTREAM_TIMEOUT_MS: "60000" }
    )
    assert.deepInclude(right(timedOut.part), {
      more: true,
      missing: ["older transactions: koios: timed out before the full history was read"]
    })
    assert.strictEqual(right(timedOut.part).transactions.length, 13)
  })

  it("stops reading if pages repeat", function* () {
    const same = (request: SentRequest): Reply => {
      request.url.searchParams.set("page", "1")
      return blockfrostOf(alice, paid(100))(request)
    }
    const { part } = yield* read(
      { "koios.test": () => refused, "blockfrost.test": same },
      { limit: 150 },
      withBlockfrostKey
    )
    assert.strictEqual(right(part).transactions.length, 100)
    assert.deepStrictEqual(right(part).missing, ["older transactions: blockfrost: returned the same row on two pages"])
  })
})

const seenBy = (address: string, host: (request: SentRequest) => Reply) =>
  Effect.map(
    read({ "koios.test": () => refused, "blockfrost.test": host }, { address, limit: 10 }, withBlockfrostKey),
    ({ calls, part }) => ({
      ...right(part),
      calls
    })
  )

describe("sample Cardano histories:", () => {
  const first = enterprise(1)

  it("koios: a transaction whose block is not that of the list is reported as missing", function* () {
    const [known, moved] = paid(2) as unknown as readonly [Paid, Paid]
    const host = (request: SentRequest): Reply =>
      koiosOf(
        first,
        pathOf(request) === "/tx_info" ? [known, { ...moved, height: moved.height + 1 }] : [known, moved]
      )(request)
    const { part } = yield* read({ "koios.test": host }, { address: first, limit: 5 })
    const { missing, transactions } = right(part)
    assert.deepStrictEqual(
      [transactions.map(({ hash }) => hash), missing],
      [[known.hash], ["1 transactions: koios: returned no readable data for them"]]
    )
  })

  it("koios, address-txs: the newest are requested, and are ordered by index within a block", function* () {
    const exchange = sample("koios", "address-txs")
    const blocks = { d4: [12_000_400, 0], d3: [12_000_380, 2], d2: [12_000_380, 1], d1: [12_000_100, 0] } as const
    const all = Object.entries(blocks).map(([byte, [height, index]]) => ({ hash: byte.repeat(32), height, index }))
    const host = (request: SentRequest): Reply =>
      pathOf(request) === exchange.request.path ? replay(exchange) : koiosOf(first, all)(request)
    const { requests, part } = yield* read({ "koios.test": host }, { address: first, limit: 2 })
    assert.deepStrictEqual(
      right(part).transactions.map((each) => each.hash.slice(0, 2)),
      ["d4", "d3"]
    )
    assert.isTrue(right(part).more)
    assert.deepStrictEqual(JSON.parse(requests[0]?.body ?? ""), exchange.request.body)
  })

  it("koios, account-txs: the list of an account is read", function* () {
    const exchange = sample("koios", "account-txs")
    const host = (request: SentRequest): Reply =>
      pathOf(request) === exchange.request.path ? replay(exchange) : replay(sample("koios", "tx-info-assets"))
    const { requests, part } = yield* read({ "koios.test": host }, { address: account, limit: 5 })
    assert.deepStrictEqual(
      right(part).transactions.map((each) => each.hash),
      ["d5".repeat(32)]
    )
    assert.deepStrictEqual(requests.map(pathOf), ["/account_txs", "/tx_info"])
  })

  it("blockfrost, address-transactions-desc: rows are requested newest first, including two of one block", function* () {
    const exchange = sample("blockfrost", "address-transactions-desc")
    const rows = exchange.response.body as ReadonlyArray<Readonly<Record<string, number>> & { tx_hash: string }>
    const all = rows.map((row) => ({ hash: row.tx_hash, height: row.block_height ?? 0, index: row.tx_index ?? 0 }))
    const lists: Array<unknown> = []
    const host = (request: SentRequest): Reply => {
      if (pathOf(request) !== exchange.request.path) return blockfrostOf(byron(1), all)(request)
      lists.push(Object.fromEntries(request.url.searchParams))
      return replay(exchange)
    }
    const { transactions } = yield* seenBy(byron(1), host)
    assert.deepStrictEqual(
      transactions.map((each) => each.hash.slice(0, 2)),
      ["d4", "d3", "d2", "d1"]
    )
    assert.deepStrictEqual(lists, [exchange.request.query])
  })
})

describe("impossible Cardano transactions", () => {
  /** Koios whose second transaction is changed. */
  const changed = (change: Readonly<Record<string, unknown>>) => (request: SentRequest) =>
    pathOf(request) === "/tx_info"
      ? Effect.flatMap(koiosOf(alice, paid(3))(request), (response) =>
          Effect.promise(async () => {
            const rows = (await response.json()) as ReadonlyArray<Readonly<Record<string, unknown>>>
            return Response.json(rows.map((row) => (row.tx_hash === hash(2) ? { ...row, ...change } : row)))
          })
        )
      : koiosOf(alice, paid(3))(request)

  for (const [name, change] of [
    ["of other addresses", { outputs: [] }],
    ["with an invalid hash", { tx_hash: "\ufffd" }],
    ["with a fee above the supply", { fee: "45000000000000001" }]
  ] as const)
    it(`are left out and reported as missing: a transaction ${name}`, function* () {
      const { part } = yield* read({ "koios.test": changed(change) }, { limit: 5 })
      assert.deepStrictEqual(
        right(part).transactions.map((transaction) => transaction.hash),
        [hash(3), hash(1)]
      )
      assert.match(right(part).missing.join(), /^1 transactions: koios/)
    })
})
