import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../../src/catalogue/utxo/UtxoFacts.ts"
import { fullySpendable } from "../../../src/chains/kit/holdings/Breakdown.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import { json, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import { Bch, Dogecoin, Litecoin } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { accountOf, addressOf, type Module, network } from "./made.ts"

// Outputs in the format that the documentation of Blockbook and Esplora shows.

const txid = (index: number) => index.toString(16).padStart(64, "0")
const tip = 1_000

const read = Effect.fnUntraced(function* (
  module: Module,
  hosts: Readonly<Record<string, (request: SentRequest) => Reply>>,
  environment: Readonly<Record<string, string>>,
  ...addresses: ReadonlyArray<string>
) {
  const { breakdown } = yield* network(module, hosts, environment)
  if (breakdown === undefined || breakdown === fullySpendable) return assert.fail("needs no call")
  return yield* settled(breakdown.read(addresses))
})

/** An address whose script follows from the address at every indexer. */
const scriptOf = ({ info }: { readonly info: UtxoFacts }, byte: number) =>
  UtxoAddress.encode(info.coding, { kind: "scriptHash", hash: Buffer.alloc(20, byte) })

interface Listed {
  readonly value: string
  readonly confirmations: number
  readonly coinbase?: boolean
}

/** Blockbook with these outputs by address. Requests for other addresses fail. */
const blockbook =
  (outputs: Readonly<Record<string, ReadonlyArray<Listed>>>, firstScript = "0014") =>
  ({ url }: SentRequest): Reply => {
    if (url.pathname.endsWith("/api/v2"))
      return json({ blockbook: { bestHeight: tip, lastBlockTime: "1970-01-01T00:00:00Z" } })
    const last = url.pathname.split("/").at(-1) ?? ""
    if (url.pathname.includes("/tx/"))
      return json({ txid: last, hex: "", vin: [{ txid: txid(0) }], vout: [{ hex: firstScript }] })
    if (url.pathname.includes("/address/")) return json({})
    const rows = outputs[last]
    return rows === undefined
      ? refused
      : json(
          rows.map((row, index) => ({
            txid: txid(index),
            vout: 0,
            ...row,
            ...(row.confirmations === 0 ? {} : { height: tip - row.confirmations + 1 })
          }))
        )
  }

const alone = (name: string, kind: "BLOCKBOOK" | "ESPLORA") => ({
  [`${name}_BLOCKBOOK_URLS`]: ",",
  [`${name}_ESPLORA_URLS`]: ",",
  [`${name}_BLOCKCYPHER_URLS`]: ",",
  [`${name}_${kind}_URLS`]: "http://one.test"
})

const books = alone("LITECOIN", "BLOCKBOOK")

/** One or two outputs of each kind, around the maturity of 100 blocks. */
const mixed: ReadonlyArray<Listed> = [
  { value: "1", confirmations: 0 },
  { value: "20", confirmations: 1 },
  { value: "300", confirmations: 99, coinbase: true },
  { value: "4000", confirmations: 100, coinbase: true },
  { value: "50000", confirmations: 1, coinbase: true },
  { value: "600000", confirmations: 800 }
]

describe("the spendable part of a Bitcoin family balance", () => {
  it("excludes outputs that are in the mempool or newly mined, for each address separately", function* () {
    const [held, empty, down] = [1, 2, 3].map((byte) => addressOf(Litecoin.info, byte)) as [string, string, string]
    const hosts = { "one.test": blockbook({ [held]: mixed, [empty]: [] }) }
    const [first, second, third] = yield* read(Litecoin, hosts, books, held, empty, down)
    assert.deepStrictEqual(
      first,
      Either.right({
        amount: 654_321n,
        parts: { spendable: 604_020n, unconfirmed: 1n, immature: 50_300n }
      })
    )
    assert.deepStrictEqual(
      second,
      Either.right({ amount: 0n, parts: { spendable: 0n, unconfirmed: 0n, immature: 0n } })
    )
    assert.isTrue(third !== undefined && Either.isLeft(third) && third.left.reason === "upstream_error")
  })

  it("includes all addresses of an extended public key", function* () {
    const key = accountOf(Litecoin.info, "zpub", 3)
    const address = addressOf(Litecoin.info, 4)
    const rows = [
      { value: "7", confirmations: 3, address, path: "m/84'/2'/0'/0/0" },
      { value: "8", confirmations: 0, address, path: "m/84'/2'/0'/1/0" }
    ]
    const [detail] = yield* read(Litecoin, { "one.test": blockbook({ [key]: rows }) }, books, key)
    assert.deepStrictEqual(
      detail,
      Either.right({ amount: 15n, parts: { spendable: 7n, unconfirmed: 8n, immature: 0n } })
    )
  })

  it("depends on the coinbase maturity of the network", function* () {
    const address = scriptOf(Dogecoin, 5)
    const rows = [239, 240].map((confirmations) => ({ value: "5", confirmations, coinbase: true }))
    const hosts = { "one.test": blockbook({ [address]: rows }) }
    const [detail] = yield* read(Dogecoin, hosts, alone("DOGECOIN", "BLOCKBOOK"), address)
    assert.deepStrictEqual(
      detail,
      Either.right({ amount: 10n, parts: { spendable: 5n, unconfirmed: 0n, immature: 5n } })
    )
  })

  it("excludes outputs that left the extension block of Litecoin less than six blocks ago", function* () {
    const address = scriptOf(Litecoin, 8)
    const heights = [996, 995, 990]
    const hogaddr = `5820${"02".repeat(32)}`
    const esplora = ({ url }: SentRequest): Reply => {
      if (url.pathname.endsWith("/blocks/tip/hash")) return text("ab".repeat(32))
      if (url.pathname.includes("/block/")) return json({ height: tip, timestamp: 0 })
      const vout = [{ scriptpubkey: hogaddr }, { scriptpubkey: "0014" }]
      if (url.pathname.includes("/tx/"))
        return json({ txid: url.pathname.split("/").at(-1), vin: [{ is_coinbase: false }], vout })
      return json(
        heights.map((height, index) => ({
          txid: txid(index),
          vout: 1,
          value: 10 ** index,
          status: { confirmed: true, block_height: height }
        }))
      )
    }
    const rows = heights.map((height, index) => ({ value: String(10 ** index), confirmations: tip - height + 1 }))
    const hosts = {
      ESPLORA: esplora,
      BLOCKBOOK: blockbook({ [address]: rows }, hogaddr)
    }
    for (const kind of ["ESPLORA", "BLOCKBOOK"] as const)
      assert.deepStrictEqual(
        yield* read(Litecoin, { "one.test": hosts[kind] }, alone("LITECOIN", kind), address),
        [Either.right({ amount: 111n, parts: { spendable: 110n, unconfirmed: 0n, immature: 1n } })],
        kind
      )
  })

  it("excludes Bitcoin Cash on outputs with tokens, which are reserved", function* () {
    const address = addressOf(Bch.info, 9)
    const script = `76a914${"09".repeat(20)}88ac`
    const haskoin = ({ url }: SentRequest): Reply =>
      json(
        url.pathname.endsWith("/block/best")
          ? { height: tip, time: 0 }
          : [script, `ef${"11".repeat(32)}1001${script}`].map((pkscript, index) => ({
              address,
              txid: txid(index),
              index: 0,
              pkscript,
              value: 5 * 10 ** index,
              block: { height: 900, position: 1 }
            }))
      )
    const environment = { BCH_HASKOIN_URLS: "http://one.test", BCH_BLOCKBOOK_URLS: ",", BCH_ESPLORA_URLS: "," }
    assert.deepStrictEqual(yield* read(Bch, { "one.test": haskoin }, environment, address), [
      Either.right({ amount: 55n, parts: { spendable: 5n, unconfirmed: 0n, immature: 0n, reserved: 50n } })
    ])
  })

  it("is unknown if a Blockbook does not return the transactions of all outputs", function* () {
    const address = addressOf(Dogecoin.info, 5)
    const hosts = { "one.test": blockbook({ [address]: [{ value: "5", confirmations: 300 }] }) }
    const [detail] = yield* read(Dogecoin, hosts, alone("DOGECOIN", "BLOCKBOOK"), address)
    const { missing, parts } = Either.getOrThrow(detail ?? assert.fail("absent"))
    assert.deepStrictEqual(parts, { unconfirmed: 0n, immature: 0n })
    assert.match(missing?.message ?? "", /scripts of all outputs/)
  })

  it("is unknown for the reason for which a source did not return the transactions of outputs", function* () {
    const limited = json({ error: "slow down" }, { status: 429, headers: { "retry-after": "60" } })
    for (const [module, call] of [
      [Dogecoin, "/address/"],
      [Dogecoin, "/tx/"],
      [Litecoin, "/tx/"]
    ] as const) {
      const address = addressOf(module.info, 10)
      const rows = blockbook({ [address]: [{ value: "5", confirmations: 3 }] })
      const host = (sent: SentRequest): Reply => (sent.url.pathname.includes(call) ? limited : rows(sent))
      const environment = alone(module === Dogecoin ? "DOGECOIN" : "LITECOIN", "BLOCKBOOK")
      const [detail] = yield* read(module, { "one.test": host }, environment, address)
      const { missing, parts } = Either.getOrThrow(detail ?? assert.fail("absent"))
      assert.strictEqual(missing?.reason, "rate_limited", `${module.info.id} ${call}`)
      assert.isUndefined(parts.spendable)
    }
  })

  it("is unknown if there are more outputs than are read, because the sum would be too low", function* () {
    const address = addressOf(Litecoin.info, 6)
    const of = (count: number) =>
      read(
        Litecoin,
        {
          "one.test": blockbook({
            [address]: Array.from({ length: count }, () => ({ value: "1", confirmations: 9 }))
          })
        },
        books,
        address
      )
    const [full] = yield* of(500)
    assert.strictEqual(full && Either.getOrThrow(full).parts.spendable, 500n)
    const [over] = yield* of(501)
    assert.match(over && Either.isLeft(over) ? over.left.message : "", /more unspent outputs/)
  })

  it("is unknown if a recent output may be newly mined, but the balance and the unconfirmed part are returned", function* () {
    const address = addressOf(Litecoin.info, 7)
    const rows = [{ height: 950 }, { height: undefined }, { height: 100 }]
    const host =
      (transactions: Reply) =>
      ({ url }: SentRequest): Reply => {
        if (url.pathname.endsWith("/blocks/tip/hash")) return text("ab".repeat(32))
        if (url.pathname.includes("/block/")) return json({ height: tip, timestamp: 0 })
        if (url.pathname.includes("/tx/")) return transactions
        return json(
          rows.map(({ height }, index) => ({
            txid: txid(index),
            vout: 0,
            value: 10 ** index,
            status: { confirmed: height !== undefined, block_height: height }
          }))
        )
      }
    const of = (transactions: Reply) =>
      read(Litecoin, { "one.test": host(transactions) }, alone("LITECOIN", "ESPLORA"), address)
    const [unknown] = yield* of(refused)
    const { missing, ...rest } = Either.getOrThrow(unknown ?? assert.fail("absent"))
    assert.deepStrictEqual(rest, { amount: 111n, parts: { unconfirmed: 10n } })
    assert.strictEqual(missing?.reason, "upstream_error")
    const [known] = yield* of(json({ txid: txid(0), vin: [{ is_coinbase: true }] }))
    assert.deepStrictEqual(
      known,
      Either.right({ amount: 111n, parts: { spendable: 100n, unconfirmed: 10n, immature: 1n } })
    )
  })
})
