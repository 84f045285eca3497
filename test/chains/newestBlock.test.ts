import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { json, type Reply, refused, type SentRequest, text } from "../support/http.ts"
import { newestBlockOver, node } from "../support/statuses.ts"
import { assert, describe, it } from "../support/vitest.ts"

// Responses follow the API documentation of the providers.

type Host = (request: SentRequest) => Reply

/** UNIX seconds. */
const now = 1_780_000_000

interface Source {
  readonly network: string
  /** The variables of two sources. */
  readonly environment: Readonly<Record<string, string>>
  /** A source whose newest block has this height and was made at this time, UNIX seconds. */
  readonly host: (height: number, at: number) => Host
  readonly height: number
  /** Undefined if the source does not return the time of the block. */
  readonly at?: undefined
}

const [one, two] = ["http://one.test", "http://two.test"]
const hash = "0".repeat(64)
const hex = (value: number) => `0x${value.toString(16)}`
const withoutLitecoin = { LITECOIN_ESPLORA_URLS: ",", LITECOIN_BLOCKBOOK_URLS: "," }

const sources: Readonly<Record<string, Source>> = {
  "JSON-RPC of EVM nodes": {
    network: "ethereum-classic",
    environment: { ETHEREUM_CLASSIC_RPC_URLS: `${one},${two}` },
    host: (height, at) =>
      node(({ method }) => (method === "eth_chainId" ? "0x3d" : { number: hex(height), timestamp: hex(at) })),
    height: 20_000_000
  },
  Esplora: {
    network: "litecoin",
    environment: { ...withoutLitecoin, LITECOIN_ESPLORA_URLS: `${one},${two}` },
    host:
      (height, timestamp) =>
      ({ url: { pathname } }) =>
        pathname === "/blocks/tip/hash" ? text(hash) : json({ id: hash, height, timestamp }),
    height: 2_900_000
  },
  Blockbook: {
    network: "litecoin",
    environment: { ...withoutLitecoin, LITECOIN_BLOCKBOOK_URLS: `${one},${two}` },
    host: (height, at) => () =>
      json({ blockbook: { coin: "Litecoin", bestHeight: height, lastBlockTime: new Date(1000 * at).toISOString() } }),
    height: 2_900_000,
    at: undefined
  },
  "Haskoin Store": {
    network: "bch",
    environment: { BCH_HASKOIN_URLS: `${one},${two}`, BCH_ESPLORA_URLS: ",", BCH_BLOCKBOOK_URLS: "," },
    host: (height, time) => () => json({ hash, height, time }),
    height: 900_000
  }
}

const read = ({ environment, network }: Source, first: Host, second: Host = () => refused) =>
  newestBlockOver(network, { "one.test": first, "two.test": second }, environment)

describe("the newest block", () => {
  it("of every source has its height and, if the source returns it, its time", function* () {
    yield* TestClock.setTime(1000 * now)
    for (const [name, source] of Object.entries(sources)) {
      const { height, host } = source
      const expected = "at" in source ? { height } : { height, at: now - 2 }
      assert.deepStrictEqual(yield* read(source, host(height, now - 2)), expected, name)
    }
  })

  it("comes from the next source if the first is down, stalled, or returns a block that cannot exist", function* () {
    yield* TestClock.setTime(1000 * now)
    for (const [name, source] of Object.entries(sources)) {
      const { height, host } = source
      const expected = "at" in source ? { height } : { height, at: now }
      const reading = (first: Host) => read(source, first, host(height, now))
      assert.deepStrictEqual(yield* reading(() => refused), expected, name)
      assert.deepStrictEqual(yield* reading(host(height - 1, now - 40_000)), expected, `${name}: stalled`)
      assert.deepStrictEqual(yield* reading(host(height + 1, now + 40_000)), expected, `${name}: from the future`)
      for (const wrong of [0, -1, 1.5, 4e15, Number.MAX_VALUE])
        assert.deepStrictEqual(yield* reading(host(wrong, now)), expected, `${name}: height ${wrong}`)
      assert.deepStrictEqual(yield* reading(() => json({})), expected, `${name}: nothing`)
    }
  })

  it("is unknown if no source can be used", function* () {
    yield* TestClock.setTime(1000 * now)
    for (const [name, source] of Object.entries(sources)) {
      const { host } = source
      const failure = yield* read(source, host(4e15, now), host(source.height, now - 40_000))
      assert.deepStrictEqual("reason" in failure && failure.reason, "bad_answer", name)
    }
  })

  it("of networks without a source is unknown, with the reason", function* () {
    for (const [network, environment, message] of [
      [
        "litecoin",
        { LITECOIN_ESPLORA_URLS: ",", LITECOIN_BLOCKBOOK_URLS: "," },
        "Litecoin has no indexer: set LITECOIN_BLOCKBOOK_URLS or LITECOIN_ESPLORA_URLS"
      ]
    ] as const)
      assert.deepStrictEqual(yield* newestBlockOver(network, {}, environment), { reason: "not_configured", message })
    for (const { id } of Catalogue.all.filter(({ sunset }) => sunset !== undefined)) {
      const failure = yield* newestBlockOver(id, {}, {})
      assert.deepStrictEqual("reason" in failure && failure.reason, "sunset", id)
    }
  })
})
