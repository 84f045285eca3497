import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { type Exchange, fixture, recorded, replay, sample } from "../../support/fixtures.ts"
import type { SentRequest } from "../../support/http.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { addressOf, legacyOf, type Module, networkWithHeads as network } from "./made.ts"

/** Holding that a network reads from one exchange, and its requests. All other hosts are down. */
const reading = Effect.fnUntraced(function* (
  module: Module,
  host: string,
  exchange: Exchange,
  spelling?: string,
  more?: object
) {
  const body = exchange.response.body
  const changed = more === undefined ? exchange : { ...exchange, response: { ...exchange.response, body: more } }
  const text = spelling ?? (body as { readonly address: string }).address
  const made = yield* network(module, { [host]: () => replay(changed) })
  const address = Either.getOrThrow(made.address(text))
  const read = yield* settled(Effect.either(made.holding(address, Option.none())))
  const requests: ReadonlyArray<SentRequest> = made.requests.filter(({ url }) => url.host === host)
  return { read: read as unknown, requests, exchange }
})

const holds = (amount: bigint, derived?: ReadonlyArray<string>) =>
  Either.right({
    asset: "native",
    amount: Either.right(amount),
    ...(derived === undefined ? {} : { derived: new Set(derived) })
  })

/** Path of a request without the path of its base URL, as in the recordings. */
const pathOf = ({ url }: SentRequest) =>
  url.pathname.replace(/^\/(api(?!\/v2)|bch|haskoin-store\/bch|v1\/doge\/main)\//, "/")

interface Balance {
  readonly module: Module
  readonly host: string
  /** Base units. */
  readonly amount: bigint
  /** The addresses of an extended key. */
  readonly derived?: ReadonlyArray<string>
  /** Address as the test passes it to the service, if the response writes it differently. */
  readonly spelling?: string
  readonly query?: Readonly<Record<string, string>>
}

const basic = { details: "basic" }
const ofKey = { details: "tokens", tokens: "derived" }
const [bitcoin, bch] = [{ module: Bitcoin, host: "mempool.space" }, { module: Bch }]
const book = { module: Bitcoin, host: "blockbook.btc.zelcore.io", query: basic }
const dogeBook = { module: Dogecoin, host: "blockbook.doge.zelcore.io", query: basic }
const script = legacyOf(Bch.info, 3, "scriptHash")
const emptied = legacyOf(Bitcoin.info, 1)

/** By provider and case: the expected request, and the balance that is read. */
const balances: Readonly<Record<string, Readonly<Record<string, Balance>>>> = {
  esplora: {
    "address-never-used": { ...bitcoin, amount: 0n },
    "address-spending-all": { ...bitcoin, amount: 0n },
    "address-electrum-backend": { ...bch, host: "explorer.melroy.org", amount: 734_512_906n }
  },
  blockbook: {
    "btc-address-txs": { ...book, amount: 1n },
    "btc-address-txs-to-itself": { ...book, amount: 99_100n },
    "btc-address-txs-coinbase-op-return": { ...book, amount: 312_500_000n },
    "doge-address-txs": { ...dogeBook, amount: 71_234_567_890n },
    "doge-address-first-page": { ...dogeBook, amount: 0n },
    "ltc-xpub-txs": {
      module: Litecoin,
      host: "blockbook.ltc.zelcore.io",
      query: ofKey,
      amount: 2_481_000n,
      derived: ["ltc1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpq4933p"]
    }
  },
  haskoin: {
    "address-balances": {
      ...bch,
      host: "api.haskoin.com",
      amount: 734_500_000n,
      spelling: script,
      query: { addresses: addressOf(Bch.info, 3, "scriptHash").slice("bitcoincash:".length) }
    }
  },
  blockcypher: {
    "address-balance": { module: Dogecoin, host: "api.blockcypher.com", amount: 9_007_198_754_740_993n }
  },
  "blockchain-info": {
    multiaddr: {
      module: Bitcoin,
      host: "blockchain.info",
      amount: 0n,
      spelling: emptied,
      query: { active: emptied, n: "1" }
    }
  }
}

describe("sample balances of indexers", () => {
  for (const [provider, cases] of Object.entries(balances))
    for (const [name, { amount, derived, host, module, query = {}, spelling }] of Object.entries(cases))
      it(`are read from ${provider}, ${name}`, function* () {
        const { requests, exchange, read } = yield* reading(module, host, sample(provider, name), spelling)
        assert.deepStrictEqual(read, holds(amount, derived))
        assert.deepStrictEqual(
          requests.map((item) => [decodeURIComponent(pathOf(item)), Object.fromEntries(item.url.searchParams)]),
          [[exchange.request.path, query]]
        )
      })

  it("blockbook, tx-not-found-400: a refusal is an error, not zero, and the next kind is requested", function* () {
    const made = yield* network(Dogecoin, {
      "blockbook.doge.zelcore.io": () => replay(sample("blockbook", "tx-not-found-400"))
    })
    const read = yield* settled(Effect.flip(made.holding(Dogecoin.info.sampleAddress, Option.none())))
    const message = "dogecoin-blockcypher: could not be reached: connection refused"
    assert.deepStrictEqual(read, { reason: "upstream_error", message })
    assert.deepStrictEqual([made.hosts()[0], made.hosts()[1]], ["blockbook.doge.zelcore.io", "api.blockcypher.com"])
  })
})

recorded("recorded responses of indexers:", () => {
  it("Esplora: an address that was never used has a balance of zero", function* () {
    const { requests, exchange, read } = yield* reading(
      Bitcoin,
      "mempool.space",
      fixture("esplora", "btc-address-never-used")
    )
    assert.deepStrictEqual(read, holds(0n))
    assert.deepStrictEqual(requests.map(pathOf), [exchange.request.path])
  })

  it("Esplora: an amount with a pending spend is not in the balance", function* () {
    const { read } = yield* reading(Bitcoin, "mempool.space", fixture("esplora", "btc-address-pending-spend-all"))
    assert.deepStrictEqual(read, holds(0n))
  })

  it("Esplora with an Electrum server has no counts, the balance as the funded sum, and CashAddr for a legacy address", function* () {
    const { requests, exchange, read } = yield* reading(
      Bch,
      "explorer.melroy.org",
      fixture("esplora", "bch-address-electrum-backend")
    )
    assert.deepStrictEqual(read, holds(533798911n))
    assert.deepStrictEqual(
      requests.map(({ url }) => url.pathname),
      [exchange.request.path]
    )
  })

  it("Haskoin: the address is found by its hash, not by its spelling", function* () {
    const legacy = "38ty1qB68gHsiyZ8k3RPeCJ1wYQPrUCPPr"
    const { requests, exchange, read } = yield* reading(
      Bch,
      "api.haskoin.com",
      fixture("haskoin", "bch-address-balances"),
      legacy
    )
    assert.deepStrictEqual(read, holds(533798911n))
    assert.deepStrictEqual(
      requests.map(({ url }) => [url.pathname, url.searchParams.get("addresses")]),
      [[exchange.request.path, "pp8skudq3x5hzw8ew7vzsw8tn4k8wxsqsv0lt0mf3g"]]
    )
  })

  const blockbook = {
    "btc-address-details-txs": [Bitcoin, "blockbook.btc.zelcore.io", 16245n],
    "bch-address-115-inputs-huge-total": [Bch, "blockbook.bch.zelcore.io", 0n],
    "doge-address-details-txs": [Dogecoin, "blockbook.doge.zelcore.io", 50394795942n],
    "ltc-xpub-details-txs": [Litecoin, "blockbook.ltc.zelcore.io", 1818078n]
  } as const
  for (const [name, [module, host, amount]] of Object.entries(blockbook))
    it(`Blockbook: the balance is read from ${name}`, function* () {
      const { requests, exchange, read } = yield* reading(module, host, fixture("blockbook", name))
      assert.deepStrictEqual(read, holds(amount))
      assert.deepStrictEqual(
        requests.map(({ url }) => [decodeURIComponent(url.pathname), url.searchParams.get("details")]),
        [[exchange.request.path, name.includes("xpub") ? "tokens" : "basic"]]
      )
    })

  it("Blockbook: an address of a test network is refused", function* () {
    const { address } = yield* network(Bitcoin, {})
    const other = fixture("blockbook", "btc-address-txs-coinbase-opreturn").response.body as { address: string }
    assert.isTrue(Either.isLeft(address(other.address)))
  })

  it("BlockCypher: the balance includes unconfirmed amounts", function* () {
    // Recorded on Bitcoin. All networks have the same members.
    const { response } = fixture("blockcypher", "btc-address-full-page")
    const body = { ...(response.body as object), address: Dogecoin.info.sampleAddress, final_balance: 120000000001 }
    const { requests, read } = yield* reading(
      Dogecoin,
      "api.blockcypher.com",
      fixture("blockcypher", "btc-address-full-page"),
      Dogecoin.info.sampleAddress,
      body
    )
    assert.deepStrictEqual(read, holds(120000000001n))
    assert.deepStrictEqual(requests.map(pathOf), [`/addrs/${Dogecoin.info.sampleAddress}/balance`])
  })

  it("blockchain.info: an emptied address has a balance of zero", function* () {
    const address = "bc1qdlt2jrplkf0v7ucvhhjhs0qf7cqr0j27k7j7p0"
    // The time of its newest block.
    yield* TestClock.setTime(1_785_276_308_000)
    const { requests, exchange, read } = yield* reading(
      Bitcoin,
      "blockchain.info",
      fixture("blockchain-info", "btc-multiaddr-same-block-chain"),
      address
    )
    assert.deepStrictEqual(read, holds(0n))
    assert.deepStrictEqual(
      requests.map(({ url }) => [url.pathname, url.searchParams.get("active")]),
      [[exchange.request.path, address]]
    )
  })

  it.effect("Haskoin: multiaddr has the same balance for the same address as Haskoin's balances and Esplora", () =>
    Effect.sync(() => {
      const { addresses } = fixture("haskoin", "bch-multiaddr-filtered-outputs").response.body as {
        readonly addresses: ReadonlyArray<{ readonly final_balance: number }>
      }
      assert.strictEqual(addresses[0]?.final_balance, 533798911)
    })
  )

  it("Blockbook: a refusal with HTTP 400 is an error, and the next kind is requested", function* () {
    const made = yield* network(Dogecoin, {
      "blockbook.doge.zelcore.io": () => replay(fixture("blockbook", "tx-not-found-400"))
    })
    const read = yield* settled(Effect.flip(made.holding(Dogecoin.info.sampleAddress, Option.none())))
    assert.deepStrictEqual(read, {
      reason: "upstream_error",
      message: "dogecoin-blockcypher: could not be reached: connection refused"
    })
    assert.strictEqual(made.hosts()[0], "blockbook.doge.zelcore.io")
    assert.strictEqual(made.hosts().filter((host) => host.startsWith("blockbook")).length, 1)
  })
})
