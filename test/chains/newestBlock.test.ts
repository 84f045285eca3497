import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as BlockTimes from "../../src/catalogue/BlockTimes.ts"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { blockTimeOf } from "../../src/catalogue/NetworkFacts.ts"
import { genesisKey, heightKey, timestampKey } from "../../src/chains/polkadot/storage.ts"
import { height, seconds } from "../../src/domain/units.ts"
import * as CardanoChain from "../../src/sandbox/cardano/CardanoChain.ts"
import { genesis, le } from "../support/AssetHub.ts"
import { json, type Reply, refused, type SentRequest, text } from "../support/http.ts"
import { newestBlockOver, node } from "../support/statuses.ts"
import { assert, describe, it } from "../support/vitest.ts"

// Responses follow the API documentation of the providers.

type Host = (request: SentRequest) => Reply

/** UNIX seconds. */
const now = 1_780_000_000

interface Source {
  readonly network: string
  /** The variables of two sources, the preferred one first. */
  readonly environment: Readonly<Record<string, string>>
  /** A source whose newest block has this height and was made at this time, UNIX seconds. */
  readonly host: (height: number, at: number) => Host
  readonly height: number
  /** Undefined if the source does not return the time of the block. */
  readonly at?: undefined
  /** More than the network can have. */
  readonly impossible?: number
  /** True if the network has one source. */
  readonly isOnly?: true
}

const anyBlock = CardanoChain.blockAt(CardanoChain.heightAt(now), now)

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
  },
  "Blockfrost and Koios": {
    network: "cardano",
    environment: { BLOCKFROST_URL: one, BLOCKFROST_PROJECT_ID: "key", KOIOS_URL: two },
    host:
      (height, time) =>
      ({ url: { pathname } }) => {
        const [slot, epoch] = [CardanoChain.slotAt(time), CardanoChain.epochAt(time)]
        const block = { ...anyBlock, height, time, slot, epoch, epoch_slot: CardanoChain.epochSlotAt(time) }
        return json(pathname.endsWith("/blocks/latest") ? block : [CardanoChain.koiosBlock(block)])
      },
    height: 12_000_000
  },
  TronGrid: {
    network: "tron",
    environment: { TRONGRID_URL: one, TRONGRID_PER_SECOND: "1000" },
    host: (number, at) => () =>
      json({
        blockID: `${number.toString(16).padStart(16, "0")}${hash.slice(16)}`,
        block_header: { raw_data: { number, timestamp: 1000 * at + 7 } }
      }),
    height: 75_000_000,
    isOnly: true
  },
  rippled: {
    network: "ripple",
    environment: { RIPPLE_RPC_URLS: `${one},${two}` },
    host: (ledger_index, at) => () =>
      json({
        result: {
          ledger: { closed: true, close_time: at - 946_684_800, ledger_index: String(ledger_index) },
          ledger_index,
          validated: true,
          status: "success"
        }
      }),
    height: 96_000_000
  },
  "JSON-RPC of Solana nodes": {
    network: "solana",
    environment: { SOLANA_RPC_URLS: `${one},${two}` },
    host: (slot, unixTimestamp) =>
      node(() => ({ context: { slot }, value: { data: { parsed: { info: { unixTimestamp } } } } })),
    height: 340_000_000
  },
  "GraphQL of Sui": {
    network: "sui",
    environment: { SUI_GRAPHQL_URLS: `${one},${two}` },
    host: (sequenceNumber, at) => () =>
      json({
        data: {
          chainIdentifier: "35834a8a",
          checkpoint: { sequenceNumber, timestamp: new Date(1000 * at + 7).toISOString() }
        }
      }),
    height: 150_000_000
  },
  "TON Center and TonAPI": {
    network: "ton",
    environment: { TONCENTER_URL: one, TONAPI_URL: two, TONCENTER_PER_SECOND: "1000" },
    host:
      (seqno, at) =>
      ({ url: { pathname } }) =>
        json(
          pathname.endsWith("/masterchainInfo") ? { last: { seqno, gen_utime: String(at) } } : { seqno, gen_utime: at }
        ),
    height: 50_000_000
  },
  "JSON-RPC of Asset Hub": {
    network: "polkadot",
    environment: { POLKADOT_RPC_URLS: `${one},${two}` },
    host: (height, at) =>
      node(({ params: [keys] }) => {
        const values: Readonly<Record<string, string>> = {
          [genesisKey]: genesis,
          [heightKey]: `0x${le(BigInt(height), 4)}`,
          [timestampKey]: `0x${le(BigInt(1000 * at + 7), 8)}`
        }
        return [{ block: genesis, changes: (keys as ReadonlyArray<string>).map((key) => [key, values[key] ?? null]) }]
      }),
    height: 10_000_000,
    impossible: 2 ** 32 - 1
  }
}

const read = ({ environment, network }: Source, first: Host, second: Host = () => refused) =>
  Effect.zipRight(
    TestClock.setTime(1000 * now),
    newestBlockOver(network, { "one.test": first, "two.test": second }, environment)
  )

const blockOf = (source: Source, at: number) =>
  "at" in source ? { height: height(source.height) } : { height: height(source.height), at: seconds(at) }

describe("the newest block", () => {
  it("of every source has its height and, if the source returns it, its time", function* () {
    for (const [name, source] of Object.entries(sources))
      assert.deepStrictEqual(yield* read(source, source.host(source.height, now - 2)), blockOf(source, now - 2), name)
  })

  it("comes from the next source if the first is stalled, or returns a block that cannot exist", function* () {
    for (const [name, source] of Object.entries(sources)) {
      const { host, impossible = 4e15, isOnly } = source
      const wrongs: Readonly<Record<string, Host>> = {
        stalled: host(source.height - 1, now - 40_000),
        "of height 0": host(0, now),
        "too high": host(impossible, now),
        empty: () => json({})
      }
      for (const [wrong, first] of Object.entries(wrongs)) {
        const found = yield* read(source, first, host(source.height, now))
        if (isOnly === undefined) assert.deepStrictEqual(found, blockOf(source, now), `${name}: ${wrong}`)
        else assert.strictEqual("reason" in found && found.reason, "bad_answer", `${name}: ${wrong}`)
      }
    }
  })

  it("is unknown if every source returns a block that cannot be the newest", function* () {
    for (const [name, source] of Object.entries(sources)) {
      const failure = yield* read(
        source,
        source.host(source.height, now + 40_000),
        source.host(source.height, now - 40_000)
      )
      assert.strictEqual("reason" in failure && failure.reason, "bad_answer", name)
    }
  })

  it("measures the time between blocks, unless it is the time at which a source received the block", function* () {
    // Esplora measures the same network as Blockbook.
    for (const [name, source] of Object.entries(sources).toReversed()) {
      const facts = Catalogue.all.find(({ id }) => id === source.network)
      if (facts === undefined) assert.fail(source.network)
      const usual = blockTimeOf(facts) ?? Number.NaN
      // Half of the usual time.
      const elapsed = Math.ceil((2_000 * usual) / 2000) + 600
      const blocks = Math.round((2_000 * elapsed) / usual)
      for (const part of [0, 1, 2]) {
        const time = now + part * elapsed
        yield* TestClock.setTime(1000 * time)
        const host = source.host(source.height + part * blocks, time)
        yield* newestBlockOver(source.network, { "one.test": host, "two.test": host }, source.environment)
      }
      const measured = (2 * (BlockTimes.current(facts) ?? 0)) / usual
      assert.closeTo(measured, "at" in source ? 2 : 1, 0.02, name)
      // Other tests share the facts: an impossible block ends the measurement.
      BlockTimes.note(facts, { height: height(2 ** 50), time: seconds(2 * now) })
      assert.strictEqual(BlockTimes.current(facts), usual)
    }
  })

  it("of a Blockbook that catches up is not the newest block", function* () {
    const blockbook = { coin: "Litecoin", bestHeight: 2_000_000, lastBlockTime: new Date(1000 * now).toISOString() }
    const of = (more: object, backend: object = {}) =>
      read(sources.Blockbook as Source, () => json({ blockbook: { ...blockbook, ...more }, backend }))
    const found = { height: height(2_000_000) }
    assert.deepStrictEqual(yield* of({ initialSync: false }, { headers: 2_000_003 }), found)
    for (const behind of [of({ initialSync: true }), of({}, { headers: 2_000_004 })])
      assert.notProperty(yield* behind, "height")
  })

  it("of networks without a source is unknown, with the reason", function* () {
    const indexers = "Litecoin has no indexer: set LITECOIN_BLOCKBOOK_URLS or LITECOIN_ESPLORA_URLS"
    const nodes = "Ethereum Classic has no node: set ETHEREUM_CLASSIC_RPC_URLS"
    for (const [network, environment, message] of [
      ["litecoin", withoutLitecoin, indexers],
      ["ethereum-classic", { ETHEREUM_CLASSIC_RPC_URLS: "," }, nodes],
      ["solana", { SOLANA_RPC_URLS: "," }, "no source is configured"]
    ] as const)
      assert.deepStrictEqual(yield* newestBlockOver(network, {}, environment), { reason: "not_configured", message })
    for (const { id } of Catalogue.all.filter(({ sunset }) => sunset !== undefined)) {
      const failure = yield* newestBlockOver(id, {}, {})
      assert.strictEqual("reason" in failure && failure.reason, "sunset", id)
    }
  })
})
