import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { UtxoFacts } from "../../../src/catalogue/utxo/UtxoFacts.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import { json, neverResponds, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import * as Indexers from "../../support/Indexers.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { finish } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { type Module, network } from "./made.ts"

/** Address of a network, different for each index. */
const address = ({ coding }: UtxoFacts, index: number) =>
  UtxoAddress.encode(coding, {
    kind: index % 2 === 0 ? "keyHash" : "scriptHash",
    hash: new Uint8Array(20).fill(index + 1)
  })

const addresses = (info: UtxoFacts, count: number) => Array.from({ length: count }, (_, index) => address(info, index))

/** Ledger in which two of three addresses have a balance, part of it unconfirmed. */
const ledgerOf = (info: UtxoFacts, count: number): Indexers.Ledger =>
  Object.fromEntries(
    addresses(info, count).flatMap((holder, index) =>
      index % 3 === 0 ? [] : [[holder, { confirmed: BigInt(index) * 1000n, pending: BigInt(index % 5) - 2n }]]
    )
  )

const expected = (info: UtxoFacts, count: number, from = 0) =>
  addresses(info, count)
    .slice(from)
    .map((_, at) => at + from)
    .map((index) => holds(index % 3 === 0 ? 0n : BigInt(index) * 1000n + BigInt(index % 5) - 2n))

const holds = (amount: bigint): unknown => Either.right([{ asset: "native", amount: Either.right(amount) }])
const fails = (reason: string, message: string): unknown => Either.left({ reason, message })

const serving =
  (info: UtxoFacts, kind: Indexers.Kind, ledger: Indexers.Ledger = {}, age?: number) =>
  ({ url }: SentRequest): Reply =>
    Indexers.indexer(info, kind, ledger, age)([], { method: "GET", url, text: "" })

const limited = (): Reply => text("Too Many Requests", { status: 429 })

const publicHosts = {
  bitcoin: { esplora: "mempool.space", blockbook: "blockbook.btc.zelcore.io", "blockchain-info": "blockchain.info" },
  bch: { haskoin: "api.haskoin.com", blockbook: "blockbook.bch.zelcore.io", esplora: "explorer.melroy.org" },
  litecoin: { esplora: "litecoinspace.org", blockbook: "blockbook.ltc.zelcore.io" },
  dogecoin: { blockbook: "blockbook.doge.zelcore.io", blockcypher: "api.blockcypher.com" }
} as const

type UtxoModule = Module & { readonly info: UtxoFacts }
const modules: ReadonlyArray<UtxoModule> = [Bitcoin, Bch, Litecoin, Dogecoin]

/** All public indexers of a network, each with the same ledger. */
const world = ({ info }: UtxoModule, ledger: Indexers.Ledger) =>
  Object.fromEntries(
    Object.entries(publicHosts[info.id as unknown as keyof typeof publicHosts]).map(([kind, host]) => [
      host,
      serving(info, kind as Indexers.Kind, ledger)
    ])
  )

const counted = (hosts: ReadonlyArray<string>) => {
  const counts: Record<string, number> = {}
  for (const host of hosts) counts[host] = (counts[host] ?? 0) + 1
  return counts
}

describe("reading many addresses:", () => {
  const rows: ReadonlyArray<readonly [UtxoModule, number, Readonly<Record<string, number>>]> = [
    // The newest block takes an Esplora two calls, and the others one.
    [Bitcoin, 1, { "mempool.space": 3 }],
    [Bitcoin, 5, { "blockchain.info": 1 }],
    [Bitcoin, 50, { "blockchain.info": 1 }],
    [Bitcoin, 100, { "blockchain.info": 2 }],
    [Bch, 1, { "api.haskoin.com": 2 }],
    [Bch, 5, { "api.haskoin.com": 2 }],
    [Bch, 50, { "api.haskoin.com": 2 }],
    [Bch, 101, { "api.haskoin.com": 3 }],
    [Litecoin, 1, { "litecoinspace.org": 3 }],
    [Litecoin, 5, { "litecoinspace.org": 7 }],
    [Litecoin, 50, { "litecoinspace.org": 52 }],
    [Dogecoin, 1, { "blockbook.doge.zelcore.io": 2 }],
    [Dogecoin, 5, { "blockbook.doge.zelcore.io": 6 }]
  ]
  for (const [module, count, calls] of rows)
    it(`${count} of ${module.info.name} take ${Object.values(calls).join()} calls`, function* () {
      const made = yield* network(module, world(module, ledgerOf(module.info, count)))
      const read = yield* settled(made.holdings(addresses(module.info, count)))
      assert.deepStrictEqual(read as unknown, expected(module.info, count))
      assert.deepStrictEqual(counted(made.hosts()), calls)
    })

  it("50 of Dogecoin use up the limits of Blockbook, then of BlockCypher, and the rest fail with the reason", function* () {
    const made = yield* network(Dogecoin, world(Dogecoin, ledgerOf(Dogecoin.info, 50)))
    const read = yield* settled(made.holdings(addresses(Dogecoin.info, 50)))
    const wanted = expected(Dogecoin.info, 50)
    const open = read.flatMap((outcome) => Option.toArray(Either.getLeft(outcome)))
    for (const [index, element] of read.entries())
      if (Either.isRight(element)) assert.deepStrictEqual(element as unknown, wanted[index])
    assert.isAtLeast(read.length - open.length, 35)
    for (const { reason } of open) assert.include(["rate_limited", "timeout"], reason)
    assert.isAtMost(counted(made.hosts())["blockbook.doge.zelcore.io"] ?? 0, 23)
  })

  it("200 of Litecoin exceed the deadline: those read by then are returned, and the rest fail with `timeout`", function* () {
    const made = yield* network(Litecoin, world(Litecoin, ledgerOf(Litecoin.info, 200)))
    const started = yield* Clock.currentTimeMillis
    const read = yield* settled(made.holdings(addresses(Litecoin.info, 200)), "100 millis")
    // A network has three quarters of the deadline.
    assert.isBelow((yield* Clock.currentTimeMillis) - started, 0.75 * 15_000)
    const wanted = expected(Litecoin.info, 200)
    for (const [index, current] of read.entries())
      if (Either.isRight(current)) assert.deepStrictEqual(current as unknown, wanted[index])
      else assert.strictEqual(current.left.reason, "timeout")
    assert.isAtLeast(read.filter(Either.isRight).length, 120)
  })

  it("a script hash of 32 bytes does not affect the other addresses", function* () {
    const [one = "", two = ""] = addresses(Bch.info, 2)
    const long = UtxoAddress.encode(Bch.info.coding, { kind: "scriptHash", hash: new Uint8Array(32).fill(9) })
    const ledger = { [one]: { confirmed: 1n }, [two]: { confirmed: 2n }, [long]: { confirmed: 3n } }
    const honest = serving(Bch.info, "haskoin", ledger)
    const haskoin = (request: SentRequest): Reply =>
      (request.url.searchParams.get("addresses") ?? "").split(",").some((text) => text.length > 42)
        ? json({ error: "user-error" }, { status: 400 })
        : honest(request)
    const made = yield* network(Bch, { ...world(Bch, ledger), "api.haskoin.com": haskoin })
    assert.deepStrictEqual((yield* settled(made.holdings([one, long, two]))) as unknown, [
      holds(1n),
      holds(3n),
      holds(2n)
    ])
    assert.deepStrictEqual(counted(made.hosts()), { "api.haskoin.com": 2, "blockbook.bch.zelcore.io": 2 })
  })

  it("50 of Dogecoin are all read if the operator has a Blockbook", function* () {
    const made = yield* network(
      Dogecoin,
      { "mine.test": serving(Dogecoin.info, "blockbook", ledgerOf(Dogecoin.info, 50)) },
      { DOGECOIN_BLOCKBOOK_URLS: "http://mine.test" }
    )
    const read = yield* settled(made.holdings(addresses(Dogecoin.info, 50)))
    assert.deepStrictEqual(read as unknown, expected(Dogecoin.info, 50))
    assert.deepStrictEqual(counted(made.hosts()), { "mine.test": 51 })
  })
})

describe("failover between kinds of indexers", () => {
  for (const module of modules) {
    const kinds = Object.keys(publicHosts[module.info.id as unknown as keyof typeof publicHosts])
    for (const kind of kinds)
      it(`reads ${module.info.name} from ${kind} if all others are down`, function* () {
        const host = publicHosts[module.info.id as unknown as keyof typeof publicHosts][kind as never] as string
        const made = yield* network(module, {
          [host]: serving(module.info, kind as Indexers.Kind, ledgerOf(module.info, 3))
        })
        const read = yield* settled(made.holdings(addresses(module.info, 3)))
        assert.deepStrictEqual(read as unknown, expected(module.info, 3))
      })
  }

  it("requests a failed source after the others until its open interval ends", function* () {
    const hosts = { ...world(Litecoin, {}), "litecoinspace.org": () => refused }
    const made = yield* network(Litecoin, hosts)
    const first = addresses(Litecoin.info, 1)
    yield* settled(made.holdings(first), "50 millis")
    const before = made.requests.length
    yield* settled(made.holdings(first), "50 millis")
    assert.deepStrictEqual(made.hosts().slice(before), ["blockbook.ltc.zelcore.io"])
    yield* TestClock.adjust("31 seconds")
    yield* settled(made.holdings(first), "50 millis")
    yield* TestClock.adjust(0)
    assert.include(made.hosts().slice(before + 1), "litecoinspace.org")
  })

  it("does not request a failed source for each of many addresses", function* () {
    const hosts = { ...world(Litecoin, ledgerOf(Litecoin.info, 15)), "litecoinspace.org": limited }
    const made = yield* network(Litecoin, hosts)
    const read = yield* settled(made.holdings(addresses(Litecoin.info, 15)))
    assert.deepStrictEqual(read as unknown, expected(Litecoin.info, 15))
  })

  it("waits for one timeout if a source hangs, not for one timeout per address", function* () {
    const hosts = { ...world(Litecoin, ledgerOf(Litecoin.info, 19)), "litecoinspace.org": () => neverResponds }
    const made = yield* network(Litecoin, hosts)
    // The limit of Blockbook is 20 calls at once; one of them is for the newest block.
    const { outcome, took } = yield* finish(yield* Effect.fork(made.holdings(addresses(Litecoin.info, 19))))
    assert.deepStrictEqual(Either.getOrThrow(outcome) as unknown, expected(Litecoin.info, 19))
    assert.isAtMost(took, 1_500)
  })

  it("uses another indexer instead of waiting for the rate limit of blockchain.info", function* () {
    const made = yield* network(Bitcoin, world(Bitcoin, ledgerOf(Bitcoin.info, 3)))
    for (let request = 0; request < 3; request++) {
      const { outcome, took } = yield* finish(yield* Effect.fork(made.holdings(addresses(Bitcoin.info, 3))))
      assert.deepStrictEqual(Either.getOrThrow(outcome) as unknown, expected(Bitcoin.info, 3))
      assert.strictEqual(took, 0)
    }
    assert.deepStrictEqual(counted(made.hosts()), { "blockchain.info": 2, "mempool.space": 5 })
  })

  it("sends a second call only for the address that one kind refuses", function* () {
    const [huge = ""] = addresses(Litecoin.info, 1)
    const esplora = serving(Litecoin.info, "esplora", ledgerOf(Litecoin.info, 4))
    const made = yield* network(Litecoin, {
      ...world(Litecoin, ledgerOf(Litecoin.info, 4)),
      "litecoinspace.org": (request) =>
        request.url.pathname.endsWith(huge) ? text("Too many history entries", { status: 400 }) : esplora(request)
    })
    const read = yield* settled(made.holdings(addresses(Litecoin.info, 4)))
    assert.deepStrictEqual(read as unknown, expected(Litecoin.info, 4))
    assert.deepStrictEqual(counted(made.hosts()), { "litecoinspace.org": 6, "blockbook.ltc.zelcore.io": 2 })
  })

  it("returns the reason for an address that all indexers refuse, and balances for the others", function* () {
    const [bad = ""] = addresses(Dogecoin.info, 1)
    const refusing = (request: SentRequest) =>
      request.url.pathname.includes(bad)
        ? json({ error: "no" }, { status: 400 })
        : (world(Dogecoin, ledgerOf(Dogecoin.info, 3))[request.url.host]?.(request) ?? refused)
    const made = yield* network(Dogecoin, {
      "blockbook.doge.zelcore.io": refusing,
      "api.blockcypher.com": refusing
    })
    const read = yield* settled(made.holdings(addresses(Dogecoin.info, 3)))
    assert.deepStrictEqual(read as unknown, [
      fails("upstream_error", "dogecoin-blockcypher: returned HTTP 400"),
      ...expected(Dogecoin.info, 3, 1)
    ])
  })

  it("requests an address from another indexer, and never assumes zero, if a response for many leaves it out", function* () {
    const ledger = ledgerOf(Bch.info, 5)
    const made = yield* network(Bch, {
      ...world(Bch, ledger),
      "api.haskoin.com": (request) => {
        const texts = Indexers.requestedAddresses(request.url.searchParams).slice(1)
        const url = new URL(request.url)
        url.searchParams.set("addresses", texts.join())
        return serving(Bch.info, "haskoin", ledger)({ ...request, url })
      }
    })
    assert.deepStrictEqual((yield* settled(made.holdings(addresses(Bch.info, 5)))) as unknown, expected(Bch.info, 5))
    assert.deepStrictEqual(counted(made.hosts()), { "api.haskoin.com": 2, "blockbook.bch.zelcore.io": 2 })
    const alone = yield* network(Bch, {
      "api.haskoin.com": () => json([])
    })
    const [read] = yield* settled(alone.holdings(addresses(Bch.info, 1)))
    assert.isTrue(Either.isLeft(read ?? Either.right([])))
  })

  it("is read from another indexer for the address with an impossible amount, without failing the others", function* () {
    const ledger = ledgerOf(Bch.info, 5)
    const rows = addresses(Bch.info, 5).map((address, index) => ({
      address,
      confirmed: index === 0 ? 0 : 7,
      unconfirmed: index === 0 ? -1_000 : 0,
      txs: 1
    }))
    const made = yield* network(Bch, { ...world(Bch, ledger), "api.haskoin.com": () => json(rows) })
    const read = yield* settled(made.holdings(addresses(Bch.info, 5)))
    assert.deepStrictEqual(read as unknown, [...expected(Bch.info, 1), ...Array.from({ length: 4 }, () => holds(7n))])
  })

  for (const [kind, module, host, rowsOf] of [
    [
      "haskoin",
      Bch,
      "api.haskoin.com",
      (all: ReadonlyArray<string>) =>
        all.map((address, index) => ({ address, confirmed: index + 1, unconfirmed: 0, txs: 1 }))
    ],
    [
      "blockchain.info",
      Bitcoin,
      "blockchain.info",
      (all: ReadonlyArray<string>) => ({
        addresses: all.map((address, index) => ({ address, final_balance: index + 1, n_tx: 1 }))
      })
    ]
  ] as const)
    for (const [what, change] of Object.entries({
      "cannot be read": (row: object) => ({ ...row, txs: "text", n_tx: "text" }),
      "is of an address that was not requested": (row: object) => ({ ...row, address: module.info.sampleAddress }),
      "is of another requested address": (row: object) => ({ ...row, address: addresses(module.info, 3)[2] })
    }))
      it(`is read from ${kind} beside a row that ${what}`, function* () {
        const own = addresses(module.info, 3)
        const garbled = (value: unknown): unknown =>
          Array.isArray(value)
            ? value.map((row, index) => (index === 0 ? change(row as object) : row))
            : Object.fromEntries(Object.entries(Object(value)).map(([key, part]) => [key, garbled(part)]))
        const made = yield* network(module, { [host]: () => json(garbled(rowsOf(own))) })
        const read = yield* settled(made.holdings(own))
        const isDoubled = what === "is of another requested address"
        assert.deepStrictEqual(
          read.map((each) => Either.isRight(each)),
          [false, true, !isDoubled]
        )
        assert.deepStrictEqual(read[1] as unknown, holds(2n))
      })

  it("is not read from a blockchain.info that stands still", function* () {
    yield* TestClock.adjust("30 days")
    const two = addresses(Bitcoin.info, 2)
    const stalled = (time: number) => () =>
      json({
        addresses: two.map((address) => ({ address, final_balance: 7, n_tx: 1 })),
        info: { latest_block: { height: 1, time } }
      })
    const lagging = yield* network(Bitcoin, { "blockchain.info": stalled(30 * 86_400 - 600) })
    assert.deepStrictEqual((yield* settled(lagging.holdings(two))) as unknown, [holds(7n), holds(7n)])
    const behind = yield* network(Bitcoin, { "blockchain.info": stalled(29 * 86_400) })
    const read = yield* settled(behind.holdings(two))
    assert.deepStrictEqual(read.map(Either.isLeft), [true, true])
  })

  for (const [module, kind] of [
    [Litecoin, "esplora"],
    [Bch, "haskoin"],
    [Dogecoin, "blockbook"],
    [Dogecoin, "blockcypher"]
  ] as const) {
    const { info } = module
    const host = publicHosts[info.id as unknown as keyof typeof publicHosts][kind as never] as string
    const requested = addresses(info, 2)

    it(`is not read from ${kind} if that stands still, but from the next indexer`, function* () {
      yield* TestClock.adjust("30 days")
      const stalled = { [host]: serving(info, kind, {}, 86_400_000) }
      const alone = yield* network(module, stalled)
      assert.deepStrictEqual((yield* settled(alone.holdings(requested))).map(Either.isLeft), [true, true])
      const made = yield* network(module, { ...world(module, ledgerOf(info, 2)), ...stalled })
      assert.deepStrictEqual((yield* settled(made.holdings(requested))) as unknown, expected(info, 2))
    })

    it(`is read from ${kind}, whose newest block is read once in many blocks, for all purposes`, function* () {
      yield* TestClock.adjust("30 days")
      const made = yield* network(module, { [host]: serving(info, kind, ledgerOf(info, 2)) })
      const heads = () => made.requests.filter(({ url }) => url.host === host && Indexers.isForHead(url)).length
      if (kind !== "blockcypher") yield* settled(made.chain.newestBlock ?? assert.fail("none"))
      yield* settled(made.holdings(requested))
      const once = heads()
      assert.strictEqual(once, kind === "esplora" ? 2 : 1)
      yield* TestClock.adjust("20 minutes")
      assert.deepStrictEqual((yield* settled(made.holdings(requested))) as unknown, expected(info, 2))
      assert.strictEqual(heads(), once)
      yield* TestClock.adjust("5 hours")
      assert.deepStrictEqual((yield* settled(made.holdings(requested))) as unknown, expected(info, 2))
      assert.strictEqual(heads(), 2 * once)
    })
  }

  it("does not request witness versions from blockchain.info that it may not support", function* () {
    const taproot = UtxoAddress.encode(Bitcoin.info.coding, {
      kind: "witness",
      version: 1,
      program: new Uint8Array(32).fill(7)
    })
    const requested = [taproot, ...addresses(Bitcoin.info, 2)]
    const made = yield* network(Bitcoin, world(Bitcoin, { ...ledgerOf(Bitcoin.info, 2), [taproot]: { confirmed: 5n } }))
    const read = yield* settled(made.holdings(requested))
    assert.deepStrictEqual(read as unknown, [holds(5n), ...expected(Bitcoin.info, 2)])
    assert.deepStrictEqual(counted(made.hosts()), { "blockchain.info": 1, "mempool.space": 3 })
  })
})

describe("the unconfirmed part of a balance at Esplora", () => {
  const stats = (txo: number, sum: number, count: number) => ({
    funded_txo_count: txo,
    funded_txo_sum: sum,
    spent_txo_count: 0,
    spent_txo_sum: 0,
    tx_count: count
  })
  for (const [what, txo, parts] of [
    ["is what the pool pays", 2, { parts: { unconfirmed: 50n } }],
    ["is unknown over an Electrum server, which subtracts what the pool spends", 0, {}]
  ] as const)
    it(what, function* () {
      const address = Dogecoin.info.sampleAddress
      const reply = json({ address, chain_stats: stats(txo, 100, 3), mempool_stats: stats(txo, 50, 2) })
      const { chain } = yield* network(
        Dogecoin,
        { "mine.test": () => reply },
        { DOGECOIN_ESPLORA_URLS: "http://mine.test", DOGECOIN_BLOCKBOOK_URLS: ",", DOGECOIN_BLOCKCYPHER_URLS: "," }
      )
      assert.deepStrictEqual((yield* settled(chain.holding(address, Option.none()))) as unknown, {
        asset: "native",
        amount: Either.right(150n),
        ...parts
      })
    })
})

describe("a sum of an Esplora", () => {
  it("is not negative, even if the balance would be possible", function* () {
    const address = Dogecoin.info.sampleAddress
    const stats = (sum: number) => ({ funded_txo_sum: sum, spent_txo_sum: 0, tx_count: 1 })
    const { chain } = yield* network(
      Dogecoin,
      { "mine.test": () => json({ address, chain_stats: stats(100), mempool_stats: stats(-7) }) },
      { DOGECOIN_ESPLORA_URLS: "http://mine.test", DOGECOIN_BLOCKBOOK_URLS: ",", DOGECOIN_BLOCKCYPHER_URLS: "," }
    )
    assert.isTrue(Either.isLeft(yield* settled(Effect.either(chain.holding(address, Option.none())))))
  })
})

describe("an indexer response", () => {
  const sample = Dogecoin.info.sampleAddress
  const good = { address: sample, balance: "5", unconfirmedBalance: "0", txs: 1 }
  const cases: Readonly<Record<string, readonly [reply: Reply, reason: string]>> = {
    "a page of HTML": [text("<html>maintenance</html>"), "bad_answer"],
    "an error with HTTP 200": [json({ error: "backend is not ready" }), "bad_answer"],
    "a balance that is not an integer": [json({ ...good, balance: "0.5" }), "bad_answer"],
    "a balance as a number": [json({ ...good, balance: 5 }), "bad_answer"],
    "no unconfirmed balance": [json({ ...good, unconfirmedBalance: undefined }), "bad_answer"],
    "an empty balance": [json({ ...good, balance: "" }), "bad_answer"],
    "a negative balance in blocks": [json({ ...good, balance: "-7", unconfirmedBalance: "12" }), "bad_answer"],
    "a negative total": [json({ ...good, unconfirmedBalance: "-6" }), "bad_answer"],
    "another address": [json({ ...good, address: "DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L" }), "bad_answer"],
    "an address of another network": [json({ ...good, address: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa" }), "bad_answer"],
    "404": [text("not found", { status: 404 }), "upstream_error"],
    "500": [json({ error: "internal" }, { status: 500 }), "upstream_error"],
    "429": [limited(), "rate_limited"],
    "a list": [json([]), "bad_answer"]
  }
  for (const [what, [reply, reason]] of Object.entries(cases))
    it(`with ${what} fails with ${reason} and gives no balance`, function* () {
      const made = yield* network(
        Dogecoin,
        { "mine.test": () => reply },
        { DOGECOIN_BLOCKBOOK_URLS: "http://mine.test", DOGECOIN_BLOCKCYPHER_URLS: "," }
      )
      const error = yield* settled(Effect.flip(made.holding(sample, Option.none())))
      assert.strictEqual(error.reason, reason)
      assert.match(error.message, /^dogecoin-blockbook: /)
      assert.notInclude(error.message, "mine.test")
    })

  for (const module of modules)
    it(`above the supply of ${module.info.name} is rejected for the next indexer, and exactly the supply is accepted`, function* () {
      const { info } = module
      const [[first, ...others]] = [Object.values(publicHosts[info.id as unknown as keyof typeof publicHosts])]
      const kinds = Object.fromEntries(
        Object.entries(publicHosts[info.id as unknown as keyof typeof publicHosts]).map(([kind, host]) => [host, kind])
      )
      const servingBalance = (host: string, confirmed: bigint) =>
        serving(info, kinds[host] as Indexers.Kind, { [info.sampleAddress]: { confirmed, pending: 0n } })
      const all = yield* network(module, { [first ?? ""]: servingBalance(first ?? "", info.supply) })
      assert.deepStrictEqual((yield* settled(all.holdings([info.sampleAddress]))) as unknown, [holds(info.supply)])
      const made = yield* network(module, {
        [first ?? ""]: servingBalance(first ?? "", info.supply + 1n),
        ...Object.fromEntries(others.map((host) => [host, servingBalance(host, 7n)]))
      })
      assert.deepStrictEqual((yield* settled(made.holdings([info.sampleAddress]))) as unknown, [holds(7n)])
      const alone = yield* network(module, { [first ?? ""]: servingBalance(first ?? "", info.supply + 1n) })
      assert.include(JSON.stringify(yield* settled(alone.holdings([info.sampleAddress]))), "Left")
    })

  it("with amounts beyond 2^53 retains all digits, in JSON numbers and in strings", function* () {
    for (const [kind, module] of [
      ["blockbook", Dogecoin],
      ["blockcypher", Dogecoin],
      ["esplora", Litecoin],
      ["haskoin", Bch],
      ["blockchain-info", Bitcoin]
    ] as const) {
      const { info } = module
      // On other networks, more than the supply is rejected.
      const confirmed = module === Dogecoin ? 12_345_678_901_234_567_891n : info.supply
      const host = publicHosts[info.id as unknown as keyof typeof publicHosts][kind as never] as string
      const made = yield* network(module, {
        [host]: serving(info, kind, { [info.sampleAddress]: { confirmed, pending: -3n } })
      })
      assert.deepStrictEqual(
        (yield* settled(made.holdings([info.sampleAddress]))) as unknown,
        [holds(confirmed - 3n)],
        kind
      )
    }
  })
})

describe("an extended public key", () => {
  const key =
    "zpub6rpF5Uxuz4KKWePLorSz2QrHMmk1iiZvGUGgtSHpor8yiGekyRuWf5ZNmf6GUKB4v3ibQDuZp5v8RnjEGq58kR3WPtGPn8Lrg677MQ8YeKu"

  it("is requested only from Blockbook, together with addresses", function* () {
    const made = yield* network(Litecoin, world(Litecoin, { [key]: { confirmed: 10n, pending: -1n } }))
    const [first = ""] = addresses(Litecoin.info, 1)
    assert.deepStrictEqual((yield* settled(made.holdings([key, first]))) as unknown, [holds(9n), holds(0n)])
    const heads = [`/api/block/${"0".repeat(64)}`, "/api/blocks/tip/hash", "/api/v2"]
    assert.deepStrictEqual(
      made.requests.map(({ url }) => url.pathname).sort(),
      [`/api/address/${first}`, `/api/v2/xpub/${key}`, ...heads].sort()
    )
  })

  it("has its addresses, if the indexer lists each used one", function* () {
    const [first = "", second = ""] = addresses(Litecoin.info, 2)
    const derivedOf = Effect.fnUntraced(function* (names: ReadonlyArray<string>, more: object) {
      const tokens = names.map((name) => ({ type: "XPUBAddress", name }))
      const body = { address: key, balance: "5", unconfirmedBalance: "0", txs: 3, tokens, ...more }
      const made = yield* network(Litecoin, {
        "blockbook.ltc.zelcore.io": (sent) =>
          sent.url.pathname.includes("xpub") ? json(body) : serving(Litecoin.info, "blockbook")(sent)
      })
      const [read] = yield* settled(made.holdings([key]))
      const queries = made.requests.filter(({ url }) => url.pathname.includes("xpub")).map(({ url }) => url.search)
      assert.deepStrictEqual(queries, ["?details=tokens&tokens=derived"])
      const derived = read && Either.getOrThrow(read)[0]?.derived
      return derived && [...derived]
    })
    assert.deepStrictEqual(yield* derivedOf([first, second, "no address"], { usedTokens: 2 }), [first, second])
    assert.deepStrictEqual(yield* derivedOf([first], { usedTokens: 2 }), undefined)
    assert.deepStrictEqual(yield* derivedOf([], {}), undefined)
    assert.deepStrictEqual(yield* derivedOf([], { txs: 0 }), [])
  })

  it("fails with a reason if there is no Blockbook", function* () {
    const made = yield* network(Litecoin, world(Litecoin, {}), { LITECOIN_BLOCKBOOK_URLS: "," })
    const message = "extended public keys need a Blockbook: set LITECOIN_BLOCKBOOK_URLS"
    assert.deepStrictEqual((yield* settled(made.holdings([key]))) as unknown, [fails("not_configured", message)])
    assert.deepStrictEqual(made.requests, [])
  })
})

describe("a Bitcoin family network", () => {
  it("has no tokens, and rejects them without a call", function* () {
    const made = yield* network(Litecoin, {})
    assert.deepStrictEqual(yield* Effect.flip(made.holding(Litecoin.info.sampleAddress, Option.some("usdt"))), {
      reason: "invalid_address",
      message: "tokenAddress: Litecoin has no tokens"
    })
    assert.deepStrictEqual(yield* made.abilities, {
      balance: Either.right(["litecoin-esplora", "litecoin-blockbook"]),
      history: Either.right(["litecoin-esplora", "litecoin-blockbook"]),
      fees: Either.right(["litecoin-esplora", "litecoin-blockbook"]),
      transactionContext: Either.right(["litecoin-esplora", "litecoin-blockbook"]),
      rawTransactions: Either.right(["litecoin-blockbook", "litecoin-esplora"]),
      tokens: Either.left("Litecoin has no tokens")
    })
    assert.deepStrictEqual(made.requests, [])
    assert.isUndefined(yield* settled(made.missing([Litecoin.info.sampleAddress])))
  })

  it("names the variables to set if it has no indexer", function* () {
    const made = yield* network(Litecoin, {}, { LITECOIN_BLOCKBOOK_URLS: ",", LITECOIN_ESPLORA_URLS: "," })
    const message = "Litecoin has no indexer: set LITECOIN_BLOCKBOOK_URLS or LITECOIN_ESPLORA_URLS"
    assert.deepStrictEqual((yield* made.holdings([Litecoin.info.sampleAddress])) as unknown, [
      fails("not_configured", message)
    ])
    const { balance, history } = yield* made.abilities
    assert.deepStrictEqual([balance, history], [Either.left(message), Either.left(message)])
  })
})
