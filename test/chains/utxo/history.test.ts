import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import type { UtxoFacts } from "../../../src/catalogue/utxo/UtxoFacts.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import type { HistoryQuery } from "../../../src/domain/Transaction.ts"
import { position, seconds } from "../../../src/domain/units.ts"
import { withTexts } from "../../support/gaps.ts"
import { json, neverResponds, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import * as Indexers from "../../support/Indexers.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import * as PagedIndexers from "../../support/PagedIndexers.ts"
import { settled } from "../../support/settled.ts"
import { finish } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { legacyOf, type Module, networkWithHeads as network, network as networkOf } from "./made.ts"

type UtxoModule = Module & { readonly info: UtxoFacts }
const timeOf = (index: number) => seconds(PagedIndexers.timeOf(index))

type Hosts = Readonly<Record<string, (request: SentRequest) => Reply>>

/** All indexers of a network, each with `count` transactions that pay the network's sample address. */
const world = ({ info }: UtxoModule, count: number, waiting = 0): Hosts => {
  const rows = PagedIndexers.payments(count, waiting)
  const serving = (kind: PagedIndexers.Kind) => (request: SentRequest) =>
    PagedIndexers.page(kind, info.sampleAddress, rows, request.url)
  const all: Record<string, Hosts> = {
    bitcoin: {
      "mempool.space": serving("esplora"),
      "blockbook.btc.zelcore.io": serving("blockbook"),
      "blockchain.info": serving("blockchain-info")
    },
    bch: { "api.haskoin.com": serving("haskoin"), "blockbook.bch.zelcore.io": serving("blockbook") },
    litecoin: { "litecoinspace.org": serving("esplora"), "blockbook.ltc.zelcore.io": serving("blockbook") },
    dogecoin: { "blockbook.doge.zelcore.io": serving("blockbook"), "api.blockcypher.com": serving("blockcypher") }
  }
  return all[info.id] ?? {}
}

const readHistory = Effect.fnUntraced(function* (
  module: UtxoModule,
  hosts: Hosts,
  question: Partial<HistoryQuery> = {},
  environment: Readonly<Record<string, string>> = {}
) {
  const made = yield* network(module, hosts, environment)
  const { history } = made
  if (history === undefined) return assert.fail("has no history")
  const ask = Effect.fnUntraced(function* (more: Partial<HistoryQuery> = {}) {
    const requested = Effect.map(
      history({ address: module.info.sampleAddress, limit: 50, ...question, ...more }),
      withTexts
    )
    return yield* finish(yield* Effect.fork(requested))
  })
  const { outcome, took } = yield* ask()
  return { outcome, took, ask, requests: made.requests, hosts: made.hosts }
})

/** The same list with its first row twice. */
const repeated = (response: Response, more: object = {}) =>
  Effect.promise(async () => {
    const [first, ...others] = (await response.json()) as ReadonlyArray<object>
    return Response.json([first, { ...first, ...more }, ...others])
  })

const counted = (hosts: ReadonlyArray<string>) => {
  const counts: Record<string, number> = {}
  for (const host of hosts) counts[host] = (counts[host] ?? 0) + 1
  return counts
}

describe("the calls for a history", () => {
  const rows: ReadonlyArray<readonly [UtxoModule, number, Partial<HistoryQuery>, Readonly<Record<string, number>>]> = [
    [Bitcoin, 0, {}, { "mempool.space": 1 }],
    [Bitcoin, 3, {}, { "mempool.space": 1 }],
    // Two are in one block, in the middle of which the second page may have ended.
    [Bitcoin, 60, {}, { "mempool.space": 3 }],
    [Bitcoin, 600, { limit: 500 }, { "blockbook.btc.zelcore.io": 1 }],
    [Bitcoin, 600, { limit: 500, since: timeOf(598) }, { "mempool.space": 1 }],
    [Bch, 3, {}, { "api.haskoin.com": 1 }],
    [Bch, 600, { limit: 500 }, { "api.haskoin.com": 1 }],
    [Bch, 600, { limit: 500, since: timeOf(598) }, { "api.haskoin.com": 1 }],
    [Litecoin, 3, {}, { "litecoinspace.org": 1 }],
    [Litecoin, 600, { limit: 500 }, { "blockbook.ltc.zelcore.io": 1 }],
    [Litecoin, 600, { limit: 500, since: timeOf(598) }, { "litecoinspace.org": 1 }],
    [Dogecoin, 3, {}, { "blockbook.doge.zelcore.io": 1 }],
    [Dogecoin, 600, { limit: 500 }, { "blockbook.doge.zelcore.io": 1 }],
    [Dogecoin, 600, { limit: 500, since: timeOf(598) }, { "blockbook.doge.zelcore.io": 1 }]
  ]
  for (const [module, count, question, calls] of rows) {
    const { limit = 50, since } = question
    it(`of ${module.info.name} are few: ${count} transactions, limit ${limit}${since === undefined ? "" : ", since"}`, function* () {
      const { hosts, outcome } = yield* readHistory(module, world(module, count), question)
      const { missing, more, transactions } = Either.getOrThrow(outcome)
      const wanted = since === undefined ? Math.min(count, limit) : 2
      assert.deepStrictEqual(
        transactions.map(({ hash }) => hash),
        PagedIndexers.hashes(count).slice(0, wanted)
      )
      assert.deepStrictEqual([more, missing], [since === undefined && count > limit, []])
      assert.deepStrictEqual(counted(hosts()), calls)
    })
  }
})

describe("pages of a history", () => {
  const alone: Readonly<Record<string, readonly [UtxoModule, string, number]>> = {
    esplora: [Litecoin, "litecoinspace.org", 10],
    blockbook: [Dogecoin, "blockbook.doge.zelcore.io", 1],
    haskoin: [Bch, "api.haskoin.com", 1],
    blockcypher: [Dogecoin, "api.blockcypher.com", 5]
  }
  for (const [kind, [module, host, calls]] of Object.entries(alone))
    it(`from ${kind} contain 240 of 300 transactions, each once, even if several are in one block`, function* () {
      const hosts = { [host]: world(module, 300)[host] ?? (() => refused) }
      const { outcome, ...made } = yield* readHistory(module, hosts, { limit: 240 })
      const { more, sources, transactions } = Either.getOrThrow(outcome)
      assert.deepStrictEqual(
        transactions.map(({ hash }) => hash),
        PagedIndexers.hashes(300).slice(0, 240)
      )
      assert.isTrue(more)
      assert.strictEqual(sources.length, 1)
      assert.strictEqual(counted(made.hosts())[host], calls)
    })

  it("that give a transaction the hash of another one lead to the next indexer", function* () {
    const rows = PagedIndexers.payments(30)
    const odd = ({ url }: SentRequest) =>
      PagedIndexers.page("esplora", Litecoin.info.sampleAddress, rows, url, (row) =>
        row.txid === rows[27]?.hash ? { ...row, txid: rows[3]?.hash } : row
      )
    const { outcome } = yield* readHistory(Litecoin, { ...world(Litecoin, 30), "litecoinspace.org": odd })
    const { missing, sources, transactions } = Either.getOrThrow(outcome)
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      PagedIndexers.hashes(30)
    )
    assert.deepStrictEqual([missing, sources], [[], ["litecoin-blockbook"]])
  })

  it("end without an empty page at Blockbook, which does not count the pages of a block range", function* () {
    const [, , third, , , last] = PagedIndexers.payments(6)
    const before = { height: position(third?.height ?? 0), last: third?.hash ?? "", returned: 3 }
    const { outcome } = yield* readHistory(Dogecoin, world(Dogecoin, 6), { before, limit: 4 })
    const { more, transactions } = Either.getOrThrow(outcome)
    assert.deepStrictEqual([transactions.length, transactions.at(-1)?.hash, more], [4, last?.hash, false])
  })

  for (const [kind, module, host, next] of [
    ["esplora", Litecoin, "litecoinspace.org", "litecoin-blockbook"],
    ["blockbook", Dogecoin, "blockbook.doge.zelcore.io", "dogecoin-blockcypher"],
    ["haskoin", Bch, "api.haskoin.com", "bch-blockbook"]
  ] as const)
    for (const [what, lacking] of [
      ["the last transaction", [3]],
      ["it and those around it", [2, 3, 4, 5]],
      ["it and all below", [3, 4, 5, 6, 7, 8, 9]]
    ] as const)
      it(`come from the next source if ${kind} lacks ${what} of the page before`, function* () {
        const rows = PagedIndexers.payments(10)
        const [, second, , last] = rows
        const left = rows.filter((_, index) => !lacking.some((missing) => missing === index))
        const hosts = {
          ...world(module, 10),
          [host]: ({ url }: SentRequest) => PagedIndexers.page(kind, module.info.sampleAddress, left, url)
        }
        const before = {
          height: position(last?.height ?? 0),
          last: last?.hash ?? "",
          above: second?.hash ?? "",
          returned: 4
        }
        const { outcome, ...made } = yield* readHistory(module, hosts, { before, limit: 6 })
        const { sources, transactions } = Either.getOrThrow(outcome)
        assert.deepStrictEqual([made.hosts()[0], sources], [host, [next]])
        assert.deepStrictEqual(
          transactions.map(({ hash }) => hash),
          rows.slice(2, 8).map(({ hash }) => hash)
        )
      })

  it("are not read on from a source without the last transaction of the page before", function* () {
    const rows = PagedIndexers.payments(100)
    const [, second, , last] = rows
    const esplora = ({ url }: SentRequest) =>
      PagedIndexers.page("esplora", Litecoin.info.sampleAddress, rows.toSpliced(2, 4), url)
    const before = {
      height: position(last?.height ?? 0),
      last: last?.hash ?? "",
      above: second?.hash ?? "",
      returned: 4
    }
    const hosts = { ...world(Litecoin, 100), "litecoinspace.org": esplora }
    const made = yield* readHistory(Litecoin, hosts, { before, limit: 80 })
    assert.deepStrictEqual(Either.getOrThrow(made.outcome).sources, ["litecoin-blockbook"])
    assert.deepStrictEqual(counted(made.hosts()), { "litecoinspace.org": 1, "blockbook.ltc.zelcore.io": 1 })
  })

  it("fail with the reason if no source has the last transaction of the page before", function* () {
    const lost = {
      height: position(1_002),
      last: "f".repeat(64),
      above: PagedIndexers.hashes(10)[3] ?? "",
      returned: 4
    }
    const { outcome } = yield* readHistory(Litecoin, world(Litecoin, 10), { before: lost, limit: 3 })
    assert.deepStrictEqual(
      Either.flip(outcome) as unknown,
      Either.right({
        reason: "bad_answer",
        message: "litecoin-blockbook: does not have the last transaction of the previous page"
      })
    )
  })

  for (const [kind, module, host] of [
    ["esplora", Litecoin, "litecoinspace.org"],
    ["haskoin", Bch, "api.haskoin.com"]
  ] as const)
    it(`continue within a block whose transactions ${kind} orders otherwise than the source of the page before`, function* () {
      const rows = PagedIndexers.payments(8).map((row) => ({ ...row, height: 1_000 }))
      const before = { height: position(1_000), last: rows[6]?.hash ?? "", returned: 1 }
      const hosts = {
        [host]: ({ url }: SentRequest) => PagedIndexers.page(kind, module.info.sampleAddress, rows, url)
      }
      const { outcome } = yield* readHistory(module, hosts, { before, limit: 2 })
      const { more, transactions } = Either.getOrThrow(outcome)
      assert.deepStrictEqual(
        transactions.map(({ hash }) => hash),
        rows.map(({ hash }) => hash)
      )
      assert.isFalse(more)
    })

  it("have ten rows, including the mempool, at a fork of Esplora with an Electrum server", function* () {
    const rows = PagedIndexers.payments(24, 1)
    const fork = (request: SentRequest): Reply => {
      const from = rows.findIndex(({ hash }) => request.url.pathname.endsWith(hash)) + 1
      const url = new URL("http://x/address/a/txs")
      return PagedIndexers.page("esplora", Bch.info.sampleAddress, rows.slice(from, from + 10), url)
    }
    const environment = { BCH_ESPLORA_URLS: "http://mine.test", BCH_BLOCKBOOK_URLS: ",", BCH_HASKOIN_URLS: "," }
    const { hosts, outcome } = yield* readHistory(Bch, { "mine.test": fork }, {}, environment)
    const { more, transactions } = Either.getOrThrow(outcome)
    assert.deepStrictEqual([transactions.length, more], [25, false])
    assert.deepStrictEqual(counted(hosts()), { "mine.test": 3 })
  })

  it("start with the mempool, which counts towards the limit", function* () {
    yield* TestClock.setTime(1000 * PagedIndexers.timeOf(40))
    const { outcome } = yield* readHistory(Litecoin, world(Litecoin, 30, 2), { limit: 3 })
    const { more, transactions } = Either.getOrThrow(outcome)
    assert.deepStrictEqual(
      transactions.map(({ status }) => status),
      ["Pending", "Pending", "Success"]
    )
    assert.isTrue(more)
  })

  it("do not end at a page with a repeated row", function* () {
    const whole = world(Litecoin, 60)["litecoinspace.org"] ?? (() => refused)
    const { outcome } = yield* readHistory(
      Litecoin,
      {
        "litecoinspace.org": (request: SentRequest): Reply =>
          request.url.pathname.endsWith("/txs")
            ? Effect.flatMap(whole(request), (page) => repeated(page))
            : whole(request)
      },
      { limit: 50 }
    )
    assert.lengthOf(Either.getOrThrow(outcome).transactions, 50)
  })

  it("come from another source if rows of the same transaction differ, in one page or two", function* () {
    const hosts = world(Litecoin, 60)
    const whole = hosts["litecoinspace.org"] ?? (() => refused)
    const [first = "", second = ""] = PagedIndexers.hashes(60)
    const otherBlock = { status: { confirmed: true, block_height: 7, block_time: timeOf(59) } }
    for (const [isChanged, more] of [
      [/\/txs$/, { txid: second }],
      [/\/txs$/, otherBlock],
      [/\/chain\//, { txid: first }]
    ] as const) {
      const changed = (request: SentRequest): Reply =>
        isChanged.test(request.url.pathname)
          ? Effect.flatMap(whole(request), (page) => repeated(page, more))
          : whole(request)
      const { outcome } = yield* readHistory(Litecoin, { ...hosts, "litecoinspace.org": changed }, { limit: 50 })
      const { missing, sources, transactions } = Either.getOrThrow(outcome)
      assert.deepStrictEqual(
        transactions.map(({ hash }) => hash),
        PagedIndexers.hashes(60).slice(0, 50)
      )
      assert.deepStrictEqual([sources, missing], [["litecoin-blockbook"], []])
    }
  })

  it("report that only 50 transactions of the mempool are returned", function* () {
    const { outcome } = yield* readHistory(Litecoin, world(Litecoin, 3, 70), { limit: 500, since: seconds(1) })
    const { missing, transactions } = Either.getOrThrow(outcome)
    assert.deepStrictEqual(missing, ["unconfirmed transactions beyond the newest 50"])
    assert.strictEqual(transactions.length, 53)
  })

  it("omit transactions before `since`, and end two hours before it because block times are not strictly ordered", function* () {
    const since = timeOf(570)
    const { hosts, outcome } = yield* readHistory(Litecoin, world(Litecoin, 600), { limit: 500, since })
    const { more, transactions } = Either.getOrThrow(outcome)
    assert.strictEqual(transactions.length, 30)
    assert.isTrue(transactions.every(({ timestamp }) => timestamp >= since))
    assert.isFalse(more)
    assert.deepStrictEqual(counted(hosts()), { "litecoinspace.org": 2 })
    const { outcome: full } = yield* readHistory(Litecoin, world(Litecoin, 600), { limit: 20, since })
    assert.isTrue(Either.getOrThrow(full).more)
  })

  it("end if they repeat, and the history is reported as incomplete", function* () {
    const first = world(Litecoin, 300)["litecoinspace.org"]
    const repeating = (request: SentRequest): Reply => {
      const url = new URL(request.url.href.replace(/\/chain\/.*$/, ""))
      return first?.({ ...request, url }) ?? refused
    }
    const { outcome } = yield* readHistory(Litecoin, { "litecoinspace.org": repeating }, { limit: 100 })
    const { missing, more, transactions } = Either.getOrThrow(outcome)
    assert.strictEqual(transactions.length, 25)
    assert.isTrue(more)
    assert.strictEqual(missing.length, 1)
  })
})

describe("the transaction count of an indexer", () => {
  type Body = Readonly<Record<string, unknown>>
  /** Changes the body of an indexer's response. */
  const stating =
    (handler: ((request: SentRequest) => Reply) | undefined, change: (body: Body, request: SentRequest) => Body) =>
    (request: SentRequest): Reply =>
      Effect.flatMap(handler?.(request) ?? refused, (response) =>
        Effect.promise(async () => Response.json(change((await response.json()) as Body, request)))
      )
  const cases: ReadonlyArray<readonly [UtxoModule, string, string, Body, Readonly<Record<string, string>>]> = [
    [Dogecoin, "dogecoin-blockbook", "blockbook.doge.zelcore.io", { txs: 72 }, {}],
    [Dogecoin, "dogecoin-blockbook", "blockbook.doge.zelcore.io", { txs: 72, totalPages: -1 }, {}],
    [Dogecoin, "dogecoin-blockcypher", "api.blockcypher.com", { n_tx: 72 }, { DOGECOIN_BLOCKBOOK_URLS: "," }],
    [
      Bitcoin,
      "bitcoin-blockchain-info",
      "blockchain.info",
      { n_tx: 72 },
      { BITCOIN_BLOCKBOOK_URLS: ",", BITCOIN_ESPLORA_URLS: "," }
    ]
  ]
  for (const [module, name, host, count, environment] of cases)
    it(`shows that the list is incomplete if ${name} returns 3 of 72 (${JSON.stringify(count)})`, function* () {
      // There is no page after the first.
      const handler = stating(world(module, 3)[host], (body, { url }) =>
        Number(url.searchParams.get("offset") ?? 0) === 0 ? { ...body, ...count } : { ...body, ...count, txs: [] }
      )
      const { outcome } = yield* readHistory(module, { [host]: handler }, {}, environment)
      const { missing, more, sources, transactions } = Either.getOrThrow(outcome)
      assert.deepStrictEqual([transactions.length, more, sources], [3, true, [name]])
      assert.deepStrictEqual(missing, [`69 of 72 transactions: ${name} returns no more`])
    })

  const blockbook = "blockbook.ltc.zelcore.io"
  /** For a large limit, Blockbook is requested before the others. */
  const many = { limit: 400 }

  it("leads to the next indexer, which returns the missing transactions if it has them", function* () {
    const all = world(Litecoin, 72)
    const short = { ...all, [blockbook]: stating(world(Litecoin, 3)[blockbook], (body) => ({ ...body, txs: 72 })) }
    const { hosts, outcome } = yield* readHistory(Litecoin, short, many)
    const { missing, more, sources, transactions } = Either.getOrThrow(outcome)
    assert.deepStrictEqual([transactions.length, more, sources, missing], [
      72,
      false,
      ["litecoin-esplora"],
      []
    ] as never)
    assert.strictEqual(hosts()[0], blockbook)
  })

  it("also applies to the next indexer if that has no count and returns no more transactions", function* () {
    const few = world(Litecoin, 3)
    const short = { ...few, [blockbook]: stating(few[blockbook], (body) => ({ ...body, txs: 72 })) }
    const { outcome } = yield* readHistory(Litecoin, short, many)
    const { missing, more, transactions } = Either.getOrThrow(outcome)
    assert.deepStrictEqual([transactions.length, more], [3, true])
    assert.deepStrictEqual(missing, ["69 of 72 transactions: litecoin-blockbook returns no more"])
  })

  it("excludes the mempool, and is ignored if all requested transactions are returned", function* () {
    const waiting = world(Dogecoin, 3, 2)["blockbook.doge.zelcore.io"]
    const host = "blockbook.doge.zelcore.io"
    const five = yield* readHistory(Dogecoin, { [host]: stating(waiting, (body) => ({ ...body, txs: 5 })) })
    assert.deepStrictEqual(Either.getOrThrow(five.outcome).missing, [
      "2 of 5 transactions: dogecoin-blockbook returns no more"
    ])
    const enough = yield* readHistory(Dogecoin, { [host]: world(Dogecoin, 72)[host] ?? (() => refused) }, { limit: 5 })
    assert.deepStrictEqual(Either.getOrThrow(enough.outcome).missing, [])
  })

  it("is not the only check: missing rows of a Blockbook page that is not the last are reported, too", function* () {
    const host = "blockbook.doge.zelcore.io"
    const handler = stating(world(Dogecoin, 72)[host], (body) => ({
      ...body,
      transactions: (body.transactions as ReadonlyArray<unknown>).slice(0, 40)
    }))
    const { outcome } = yield* readHistory(Dogecoin, { [host]: handler }, { limit: 50 })
    const { missing } = Either.getOrThrow(outcome)
    assert.include(missing, "10 of 50 transactions of page 1")
  })
})

describe("failover between kinds of indexers", () => {
  const failing: Readonly<Record<string, readonly [reply: Reply, reason: string, message: string]>> = {
    "no connection": [refused, "upstream_error", "could not be reached"],
    "HTTP 429": [text("Too Many Requests", { status: 429 }), "rate_limited", "rate limit reached (HTTP 429)"],
    HTML: [text("<html>Bad gateway</html>"), "bad_answer", "returned a response that is not JSON"],
    "an error with HTTP 200": [
      json({ error: "out of order" }),
      "bad_answer",
      "returned a response in an unexpected format"
    ],
    silence: [neverResponds, "timeout", "timed out after 1000 ms"]
  }
  for (const [shape, [reply, reason, message]] of Object.entries(failing)) {
    it(`reads from the next kind after ${shape}`, function* () {
      const hosts = { ...world(Litecoin, 3), "litecoinspace.org": () => reply }
      const { outcome } = yield* readHistory(Litecoin, hosts)
      const part = Either.getOrThrow(outcome)
      assert.deepStrictEqual([part.transactions.length, part.sources, part.missing], [3, ["litecoin-blockbook"], []])
    })

    it(`fails with the reason after ${shape} everywhere`, function* () {
      const hosts = { "litecoinspace.org": () => reply, "blockbook.ltc.zelcore.io": () => reply }
      const { outcome } = yield* readHistory(Litecoin, hosts)
      const unread = Either.isLeft(outcome) ? outcome.left : undefined
      assert.strictEqual(unread?.reason, reason)
      assert.strictEqual(unread?.message.startsWith(`litecoin-blockbook: ${message}`), true, unread?.message)
    })
  }

  it("reads the whole history from the next source if one fails after its first page", function* () {
    const all = world(Litecoin, 90)
    const esplora = (request: SentRequest): Reply =>
      request.url.pathname.includes("/chain/") ? refused : (all["litecoinspace.org"]?.(request) ?? refused)
    const { outcome } = yield* readHistory(Litecoin, { ...all, "litecoinspace.org": esplora }, { limit: 90 })
    const part = Either.getOrThrow(outcome)
    assert.deepStrictEqual([part.transactions.length, part.sources, part.missing], [90, ["litecoin-blockbook"], []])
  })

  it("returns the pages that were read, and reports the rest as missing, if there is no next source", function* () {
    const all = world(Litecoin, 90)
    const esplora = (request: SentRequest): Reply =>
      request.url.pathname.includes("/chain/") ? refused : (all["litecoinspace.org"]?.(request) ?? refused)
    const { outcome } = yield* readHistory(Litecoin, { "litecoinspace.org": esplora }, { limit: 90 })
    const part = Either.getOrThrow(outcome)
    assert.deepStrictEqual([part.transactions.length, part.more, part.sources], [25, true, ["litecoin-esplora"]])
    assert.deepStrictEqual(part.missing, [
      "older transactions: litecoin-blockbook: could not be reached: connection refused"
    ])
  })

  for (const [kind, module, host, rest] of [
    ["esplora", Litecoin, "litecoinspace.org", "litecoin-blockbook"],
    ["blockbook", Dogecoin, "blockbook.doge.zelcore.io", "dogecoin-blockcypher"],
    ["blockcypher", Dogecoin, "api.blockcypher.com", "dogecoin-blockbook"],
    ["haskoin", Bch, "api.haskoin.com", "bch-blockbook"],
    ["blockchain-info", Bitcoin, "blockchain.info", "bitcoin-blockbook"]
  ] as const)
    it(`reads the rows from the next source if ${kind} garbles one, and else all others, with the reason`, function* () {
      const count = 30
      const rows = PagedIndexers.payments(count)
      const odd = ({ url }: SentRequest) =>
        PagedIndexers.page(kind, module.info.sampleAddress, rows, url, (row) =>
          [row.txid, row.hash].includes(rows[3]?.hash)
            ? Object.fromEntries([
                ["txid", row.txid],
                ["vin", "text"]
              ])
            : row
        )
      const others = Object.entries(world(module, count)).filter(([name]) => name !== host)
      const preferred = Object.fromEntries(others.map(([name]) => [name, () => refused]))
      const alone = Either.getOrThrow((yield* readHistory(module, { ...preferred, [host]: odd })).outcome)
      assert.deepStrictEqual(
        alone.transactions.map(({ hash }) => hash),
        PagedIndexers.hashes(count).toSpliced(3, 1)
      )
      assert.deepStrictEqual(alone.missing, [
        `1 transactions: ${module.info.id}-${kind} returned them in an unexpected format`
      ])
      const hosts = { ...Object.fromEntries(others), [host]: odd }
      const both = Either.getOrThrow((yield* readHistory(module, hosts)).outcome)
      assert.deepStrictEqual(
        both.transactions.map(({ hash }) => hash),
        PagedIndexers.hashes(count)
      )
      assert.deepStrictEqual(both.missing, [])
      if (kind === "esplora") assert.deepStrictEqual(both.sources, [rest])
    })

  it("leaves out transactions whose rows differ if there is no other source", function* () {
    const whole = world(Litecoin, 3)["litecoinspace.org"] ?? (() => refused)
    const otherBlock = { status: { confirmed: true, block_height: 7, block_time: timeOf(2) } }
    const changed = (request: SentRequest): Reply =>
      Effect.flatMap(whole(request), (page) => repeated(page, otherBlock))
    const { outcome } = yield* readHistory(Litecoin, { "litecoinspace.org": changed })
    const { missing, transactions } = Either.getOrThrow(outcome)
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      PagedIndexers.hashes(3).slice(1)
    )
    assert.deepStrictEqual(missing, ["1 transactions: litecoin-esplora returned them in an unexpected format"])
  })

  it("rejects a page without a readable row", function* () {
    const rows = PagedIndexers.payments(2)
    const odd = PagedIndexers.page(
      "esplora",
      Litecoin.info.sampleAddress,
      rows,
      new URL("http://x/address/a/txs"),
      (row) => ({
        ...row,
        vin: [{ txid: "00", vout: 0, is_coinbase: false, prevout: null }]
      })
    )
    const { outcome } = yield* readHistory(Litecoin, { ...world(Litecoin, 2), "litecoinspace.org": () => odd })
    assert.deepStrictEqual(Either.getOrThrow(outcome).sources, ["litecoin-blockbook"])
  })

  it("reads the first page from an indexer whose newest block fits the clock", function* () {
    const now = 1_800_000_000_000
    yield* TestClock.setTime(now)
    const all = world(Litecoin, 3)
    const esplora = all["litecoinspace.org"] ?? assert.fail("none")
    const stalled = (request: SentRequest): Reply => {
      const head = Indexers.headAt(request.url, now - 86_400_000)
      return head === undefined ? esplora(request) : Effect.succeed(head)
    }
    const { address, history, hosts } = yield* networkOf(Litecoin, { ...all, "litecoinspace.org": stalled })
    const holder = Either.getOrThrow(address(Litecoin.info.sampleAddress))
    const part = yield* settled((history ?? assert.fail("none"))({ address: holder, limit: 50 }))
    assert.deepStrictEqual([part.transactions.length, part.sources], [3, ["litecoin-blockbook"]])
    assert.strictEqual(hosts().filter((host) => host === "litecoinspace.org").length, 2)
  })

  it("requests a failed source after the others until its open interval ends", function* () {
    const made = yield* readHistory(Litecoin, { ...world(Litecoin, 3), "litecoinspace.org": () => refused })
    const before = made.requests.length
    yield* made.ask()
    assert.deepStrictEqual(made.hosts().slice(before), ["blockbook.ltc.zelcore.io"])
    yield* TestClock.adjust("31 seconds")
    yield* made.ask()
    yield* TestClock.adjust(0)
    assert.include(made.hosts().slice(before + 1), "litecoinspace.org")
  })

  it("requires Blockbook for an extended public key, and otherwise names the variable to set", function* () {
    const address =
      "zpub6rpF5Uxuz4KKWePLorSz2QrHMmk1iiZvGUGgtSHpor8yiGekyRuWf5ZNmf6GUKB4v3ibQDuZp5v8RnjEGq58kR3WPtGPn8Lrg677MQ8YeKu"
    const { outcome } = yield* readHistory(Litecoin, {}, { address }, { LITECOIN_BLOCKBOOK_URLS: "," })
    assert.deepStrictEqual(
      outcome as unknown,
      Either.left({
        reason: "not_configured",
        message: "extended public keys need a Blockbook: set LITECOIN_BLOCKBOOK_URLS"
      })
    )
  })

  it("excludes the public Esplora of Bitcoin Cash from histories, but includes the operator's own", function* () {
    const publicOnes = yield* network(Bch, {})
    assert.deepStrictEqual((yield* publicOnes.abilities).history, Either.right(["bch-haskoin", "bch-blockbook"]))
    const own = yield* network(Bch, {}, { BCH_ESPLORA_URLS: "http://mine.test" })
    assert.deepStrictEqual(
      (yield* own.abilities).history,
      Either.right(["bch-haskoin", "bch-blockbook", "bch-esplora"])
    )
  })
})

describe("a history at its deadline", () => {
  const slow =
    (reply: (request: SentRequest) => Reply, seconds: number) =>
    (request: SentRequest): Reply =>
      Effect.delay(reply(request), `${seconds} seconds`)

  it("contains the pages read by then, and reports that it is incomplete", function* () {
    const esplora = world(Litecoin, 600)["litecoinspace.org"] ?? (() => refused)
    const start = yield* Clock.currentTimeMillis
    const { outcome } = yield* readHistory(
      Litecoin,
      { "litecoinspace.org": slow(esplora, 0.9) },
      { limit: 500 },
      { LITECOIN_BLOCKBOOK_URLS: "," }
    )
    const { missing, more, sources, transactions } = Either.getOrThrow(outcome)
    assert.isAtMost((yield* Clock.currentTimeMillis) - start, 0.75 * 15_000)
    assert.strictEqual(transactions.length, 11 * 25)
    assert.isTrue(more)
    assert.deepStrictEqual(sources, ["litecoin-esplora"])
    assert.deepStrictEqual(missing, ["older transactions: litecoin-esplora: timed out"])
  })

  it("comes from the next source if one takes more than half of the time", function* () {
    const all = world(Litecoin, 100)
    const esplora = all["litecoinspace.org"] ?? (() => refused)
    const hosts = { ...all, "litecoinspace.org": slow(esplora, 4) }
    const { outcome } = yield* readHistory(Litecoin, hosts, { limit: 100 }, { UPSTREAM_TIMEOUT_MS: "5000" })
    assert.deepStrictEqual(Either.getOrThrow(outcome).sources, ["litecoin-blockbook"])
    assert.strictEqual(Either.getOrThrow(outcome).transactions.length, 100)
  })

  it("fails with `timeout` if nothing was read by then", function* () {
    const { outcome, took } = yield* readHistory(
      Litecoin,
      { "litecoinspace.org": () => neverResponds, "blockbook.ltc.zelcore.io": () => neverResponds },
      {},
      { UPSTREAM_TIMEOUT_MS: "60000" }
    )
    assert.isAtMost(took, 0.75 * 15_000)
    assert.strictEqual(Either.isLeft(outcome) ? outcome.left.reason : undefined, "timeout")
  })
})

describe("responses that cannot be of the address", () => {
  const host = { Bitcoin: "blockbook.btc.zelcore.io", Dogecoin: "api.blockcypher.com" } as const
  const rows = PagedIndexers.payments(3)
  const other = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

  for (const [name, body] of [
    ["an empty object", {}],
    ["a list without an address", { n_tx: 0, hasMore: false, txs: [] }],
    ["an address without its count", { address: Dogecoin.info.sampleAddress }],
    ["another address", { address: "D5EQRCnPMXmRvUoZwC7gu7fYspean3PQ9a", n_tx: 0 }]
  ] as const)
    it(`are rejected, not read as an empty history: ${name} from BlockCypher`, function* () {
      const { outcome } = yield* readHistory(Dogecoin, { [host.Dogecoin]: () => json(body) })
      assert.isTrue(Either.isLeft(outcome), JSON.stringify(outcome))
    })

  it("do not include an unused address at BlockCypher without a list, whose history is empty", function* () {
    const body = { address: Dogecoin.info.sampleAddress, n_tx: 0, unconfirmed_n_tx: 0, final_n_tx: 0 }
    const { outcome } = yield* readHistory(Dogecoin, { [host.Dogecoin]: () => json(body) })
    assert.deepStrictEqual(Either.getOrThrow(outcome), {
      transactions: [],
      more: false,
      sources: ["dogecoin-blockcypher"],
      missing: []
    })
  })

  for (const [kind, at, body] of [
    ["blockbook", host.Bitcoin, { page: 1, totalPages: 1, txs: 0 }],
    ["blockchain-info", "blockchain.info", { n_tx: 0, txs: [] }]
  ] as const)
    it(`are rejected at ${kind}`, function* () {
      const returned = yield* readHistory(Bitcoin, { [at]: () => json({ ...body, address: other }) })
      assert.isTrue(Either.isLeft(returned.outcome))
      const own = yield* readHistory(Bitcoin, { [at]: () => json({ ...body, address: Bitcoin.info.sampleAddress }) })
      assert.deepStrictEqual(Either.getOrThrow(own.outcome).transactions, [])
    })

  /** Esplora with rows of the address, of which `change` changes the second by default. */
  const esplora = (
    change: (row: Record<string, unknown>) => Record<string, unknown>,
    which: (index: number) => boolean = (index) => index === 1
  ) => {
    let index = 0
    return (request: SentRequest) =>
      PagedIndexers.page("esplora", Bitcoin.info.sampleAddress, rows, request.url, (row) =>
        which(index++) ? change(row) : row
      )
  }
  const strangers = { vout: [{ scriptpubkey_address: other, value: 1_000 }] }
  const spent = { scriptpubkey_address: other, value: 1_100 }
  const spending = (value: number) => ({
    vin: [{ txid: "ab".repeat(32), vout: 0, is_coinbase: false, prevout: { scriptpubkey_address: other, value } }],
    vout: [{ scriptpubkey_address: Bitcoin.info.sampleAddress, value }]
  })

  for (const [name, change] of [
    ["without the address", strangers],
    ["with an invalid hash", { txid: "\ufffd".repeat(64) }],
    ["with a hash that is too short", { txid: "ab" }],
    ["of another type", { vout: "text" }],
    ["with an input without its amount", { vin: [{ txid: "00", vout: 0, is_coinbase: false, prevout: null }] }],
    ["that makes coins of an output", { vin: [{ txid: "ab".repeat(32), vout: 0, is_coinbase: true, prevout: null }] }],
    ["that spends no output", { vin: [{ txid: "0".repeat(64), vout: 0, is_coinbase: false, prevout: spent }] }],
    ["at a time before 1970", { status: { confirmed: true, block_height: 100, block_time: -7 } }],
    ["at a negative height", { status: { confirmed: true, block_height: -7, block_time: 1_700_000_000 } }],
    ["with an output above the supply", spending(Number(Bitcoin.info.supply) + 1)],
    ["with a negative output", spending(-1)],
    ["with a fee that its amounts do not add up to", { fee: 99 }]
  ] as const)
    it(`have a row ${name} left out and reported as missing`, function* () {
      const { outcome } = yield* readHistory(Bitcoin, { "mempool.space": esplora((row) => ({ ...row, ...change })) })
      const part = Either.getOrThrow(outcome)
      assert.deepStrictEqual(
        part.transactions.map(({ hash }) => hash),
        [PagedIndexers.hashes(3)[0], PagedIndexers.hashes(3)[2]]
      )
      assert.deepStrictEqual(part.missing, ["1 transactions: bitcoin-esplora returned them in an unexpected format"])
    })

  it("are rejected if all rows of a page are of other addresses", function* () {
    const { outcome } = yield* readHistory(Bitcoin, {
      "mempool.space": esplora(
        (row) => ({ ...row, ...strangers }),
        () => true
      )
    })
    assert.isTrue(Either.isLeft(outcome))
  })

  it("have a row left out if a script that has an address lacks it", function* () {
    for (const script of ["76a914", "a914", "0014", "0020", "5120"]) {
      const hash = "ab".repeat(script.endsWith("20") ? 32 : 20)
      const end = script === "a914" ? "87" : script === "76a914" ? "88ac" : ""
      const output = { scriptpubkey: `${script}${hash}${end}`, scriptpubkey_address: null, value: 0 }
      const of = (vout: object) =>
        readHistory(Bitcoin, {
          "mempool.space": esplora((row) => ({ ...row, vout: [...(row.vout as ReadonlyArray<unknown>), vout] }))
        })
      assert.lengthOf(Either.getOrThrow((yield* of(output)).outcome).transactions, 2, script)
      assert.lengthOf(Either.getOrThrow((yield* of({ ...output, scriptpubkey: "6a01ab" })).outcome).transactions, 3)
    }
  })

  for (const [kind, module, host, outputs, stating] of [
    [
      "esplora",
      Litecoin,
      "litecoinspace.org",
      "vout",
      (address: string, script: string) => ({ scriptpubkey: script, scriptpubkey_address: address, value: 0 })
    ],
    [
      "blockbook",
      Dogecoin,
      "blockbook.doge.zelcore.io",
      "vout",
      (address: string, hex: string) => ({ isAddress: true, addresses: [address], hex, value: "0" })
    ],
    [
      "blockcypher",
      Dogecoin,
      "api.blockcypher.com",
      "outputs",
      (address: string, script: string) => ({ addresses: [address], script, value: 0 })
    ],
    [
      "haskoin",
      Bch,
      "api.haskoin.com",
      "outputs",
      (address: string, pkscript: string) => ({ address, pkscript, value: 0 })
    ],
    [
      "blockchain-info",
      Bitcoin,
      "blockchain.info",
      "out",
      (addr: string, script: string) => ({ addr, script, value: 0 })
    ]
  ] as const)
    it(`have a row of ${kind} left out if the address of a script is that of another`, function* () {
      const { info } = module
      const paying = `76a914${"07".repeat(20)}88ac`
      const of = (address: string) =>
        readHistory(module, {
          [host]: ({ url }) =>
            PagedIndexers.page(kind, info.sampleAddress, rows, url, (row) =>
              [row.txid, row.hash].includes(rows[1]?.hash)
                ? { ...row, [outputs]: [...(row[outputs] as ReadonlyArray<unknown>), stating(address, paying)] }
                : row
            )
        })
      const right = Either.getOrThrow((yield* of(legacyOf(info, 7))).outcome)
      assert.deepStrictEqual([right.transactions.length, right.missing], [3, []])
      const wrong = Either.getOrThrow((yield* of(legacyOf(info, 8))).outcome)
      assert.deepStrictEqual(
        wrong.transactions.map(({ hash }) => hash),
        PagedIndexers.hashes(3).toSpliced(1, 1)
      )
      assert.deepStrictEqual(wrong.missing, [
        `1 transactions: ${info.id}-${kind} returned them in an unexpected format`
      ])
    })

  it("have the address of an output's script even if a Blockbook states that it has none", function* () {
    const { info } = Dogecoin
    const hex = `76a914${"07".repeat(20)}88ac`
    const { outcome } = yield* readHistory(Dogecoin, {
      "blockbook.doge.zelcore.io": ({ url }) =>
        PagedIndexers.page("blockbook", info.sampleAddress, rows, url, (row) => {
          const unnamed = { isAddress: false, addresses: ["no address"], hex, value: "50" }
          return { ...row, vout: [...(row.vout as ReadonlyArray<unknown>), unnamed] }
        })
    })
    const [first] = Either.getOrThrow(outcome).transactions
    assert.deepStrictEqual(first?.to.at(-1), { address: legacyOf(info, 7), amount: 50n })
  })

  for (const [kind, host, input] of [
    ["blockbook", "blockbook.doge.zelcore.io", "vin"],
    ["blockcypher", "api.blockcypher.com", "inputs"]
  ] as const)
    it(`have a row of ${kind} left out if the address of an input is not that of the key that signed it`, function* () {
      const key = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
      const script = `41${"30".repeat(65)}21${key}`
      const signer = UtxoAddress.addressOfSpender(Dogecoin.info.coding, script) ?? ""
      const of = (address: string) =>
        readHistory(Dogecoin, {
          [host]: ({ url }) =>
            PagedIndexers.page(kind, Dogecoin.info.sampleAddress, rows, url, (row) => {
              const [spent] = row[input] as ReadonlyArray<object>
              return { ...row, [input]: [{ ...spent, addresses: [address], hex: script, script }] }
            })
        })
      assert.lengthOf(Either.getOrThrow((yield* of(signer)).outcome).transactions, 3)
      assert.isTrue(Either.isLeft((yield* of(legacyOf(Dogecoin.info, 8))).outcome))
    })

  it("do not include rows with a script without an address, which may be the holder's", function* () {
    const { outcome } = yield* readHistory(Bitcoin, {
      "mempool.space": esplora((row) => ({ ...row, vout: [{ value: 1_000 }] }))
    })
    assert.strictEqual(Either.getOrThrow(outcome).transactions.length, 3)
  })
})
