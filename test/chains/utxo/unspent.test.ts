import { ripemd160 } from "@noble/hashes/legacy"
import { sha256 } from "@noble/hashes/sha2"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import type { UtxoContext } from "../../../src/domain/TransactionContext.ts"
import { json, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { accountOf, addressOf, legacyOf, type Module, network } from "./made.ts"

// Responses in the format that the documentation of each kind of indexer shows.

const txid = (index: number) => index.toString(16).padStart(64, "0")
const tip = 1_000

type Hosts = Readonly<Record<string, (request: SentRequest) => Reply>>

const read = Effect.fnUntraced(function* (
  module: Module,
  hosts: Hosts,
  address: string,
  environment: Readonly<Record<string, string>> = {}
) {
  const made = yield* network(module, hosts, environment)
  const reader = yield* made.transactionContexts?.([address]) ?? Effect.dieMessage("no contexts")
  const result = yield* Effect.either(reader(address))
  return { result, hosts: made.hosts() }
})

const contextOf = (...request: Parameters<typeof read>) =>
  Effect.map(read(...request), ({ result }) => {
    const context = Either.getOrThrowWith(result, ({ message }) => new Error(message))
    return context.family === "utxo" ? (context as UtxoContext) : assert.fail(context.family)
  })

const failureOf = (...request: Parameters<typeof read>) =>
  Effect.map(read(...request), ({ result }) => Either.getOrThrow(Either.flip(result)))

/** The newest block of an Esplora, by its path. */
const headOf = (path: string): Reply | undefined => {
  if (path.endsWith("/blocks/tip/hash")) return text("ab".repeat(32))
  return path.endsWith(`/block/${"ab".repeat(32)}`) ? json({ height: tip, timestamp: 0 }) : undefined
}

/** Esplora with these outputs. The height is undefined for an output in the mempool. */
const esplora =
  (
    outputs: ReadonlyArray<readonly [value: number, height: number | undefined]>,
    coinbases: ReadonlyArray<number> = []
  ) =>
  ({ url }: SentRequest): Reply => {
    const head = headOf(url.pathname)
    if (head !== undefined) return head
    const [, id] = /\/tx\/(\w+)$/.exec(url.pathname) ?? []
    if (id !== undefined) {
      const vin = [{ is_coinbase: coinbases.includes(Number(`0x${id}`)) }]
      return json({ txid: id, vin, vout: [{ scriptpubkey: "0014" }] })
    }
    return json(
      outputs.map(([value, height], index) => ({
        txid: txid(index),
        vout: 1,
        value,
        status: height === undefined ? { confirmed: false } : { confirmed: true, block_height: height, block_time: 1 }
      }))
    )
  }

const ltc = addressOf(Litecoin.info, 1)
const only = (host: string) => ({ LITECOIN_ESPLORA_URLS: host, LITECOIN_BLOCKBOOK_URLS: "," })

describe("the unspent outputs of an address", () => {
  it("come from an Esplora, largest first, and recent ones are looked up because it does not mark newly mined outputs", function* () {
    const host = esplora(
      [
        [5, 950],
        [900, 950],
        [70, undefined],
        [8, 100]
      ],
      [1]
    )
    const context = yield* contextOf(Litecoin, { "one.test": host }, ltc, only("http://one.test"))
    assert.deepInclude(context, { height: tip, coinbaseMaturity: 100, truncated: false, count: 4 })
    assert.deepStrictEqual(
      context.utxos.map(({ coinbase, confirmations, spendable, value }) => [value, confirmations, coinbase, spendable]),
      [
        ["900", 51, true, false],
        ["70", 0, false, true],
        ["8", 901, null, true],
        ["5", 51, false, true]
      ]
    )
    for (const { address, script } of context.utxos)
      assert.deepStrictEqual([address, script], [ltc, `0014${"01".repeat(20)}`])
  })

  it("have a reason if it is unknown whether they are newly mined", function* () {
    const host = esplora([
      [5, 950],
      [8, 100]
    ])
    const lost = (request: SentRequest): Reply =>
      /\/tx\//.test(request.url.pathname) ? json({ vout: [null] }) : host(request)
    const { utxos } = yield* contextOf(Litecoin, { "one.test": lost }, ltc, only("http://one.test"))
    assert.deepStrictEqual(
      utxos.map(({ coinbase, reason, spendable, value }) => [value, coinbase, spendable, reason]),
      [
        ["8", null, true, undefined],
        ["5", null, false, "the source did not return whether it is newly mined"]
      ]
    )
  })

  it("are the 500 largest of 100,000", function* () {
    const outputs = Array.from({ length: 100_000 }, (_, index) => [(index * 7_919) % 100_003, 100] as const)
    const host = esplora(outputs)
    const context = yield* contextOf(Litecoin, { "one.test": host }, ltc, only("http://one.test"))
    assert.deepInclude(context, { truncated: true, count: 100_000 })
    const largest = outputs.map(([value]) => value).sort((a, b) => b - a)
    assert.deepStrictEqual(
      context.utxos.map(({ value }) => Number(value)),
      largest.slice(0, 500)
    )
  })

  it("come from the next source if one is down, contradicts itself or returns impossible values", function* () {
    const right = esplora([[5, 100]])
    const wrongs: Readonly<Record<string, (request: SentRequest) => Reply>> = {
      down: () => refused,
      "an output twice": ({ url }) =>
        headOf(url.pathname) ??
        json([0, 0].map(() => ({ txid: txid(0), vout: 0, value: 1, status: { confirmed: false } }))),
      "more than the supply": esplora([[9e15, 100]]),
      "a negative amount": esplora([[-1, 100]]),
      "a height in the mempool": ({ url }) =>
        headOf(url.pathname) ??
        json([{ txid: txid(0), vout: 0, value: 1, status: { confirmed: false, block_height: 100 } }]),
      "no outputs": ({ url }) => headOf(url.pathname) ?? json({ error: "none" }),
      "cut off": ({ url }) => headOf(url.pathname) ?? text('[{"txid":"00'),
      "too many outputs for the source": () => text("Too many unspent transaction outputs (>500)", { status: 400 })
    }
    for (const [name, wrong] of Object.entries(wrongs)) {
      const hosts = { "one.test": wrong, "two.test": right }
      const found = yield* contextOf(Litecoin, hosts, ltc, only("http://one.test,http://two.test"))
      assert.deepStrictEqual(
        found.utxos.map(({ value }) => value),
        ["5"],
        name
      )
      const alone = yield* failureOf(Litecoin, { "one.test": wrong }, ltc, only("http://one.test"))
      assert.match(alone.reason, /bad_answer|upstream_error/, name)
    }
  })

  it("of an extended key come only from a Blockbook, each with its address and path", function* () {
    const zpub = accountOf(Bitcoin.info, "zpub", 3)
    const [first, second] = [addressOf(Bitcoin.info, 4), legacyOf(Bitcoin.info, 5)]
    const rows = [
      {
        txid: txid(1),
        vout: 0,
        value: "100",
        height: 901,
        confirmations: 100,
        coinbase: true,
        address: first,
        path: "m/84'/0'/0'/0/0"
      },
      {
        txid: txid(2),
        vout: 3,
        value: "200",
        height: 950,
        confirmations: 51,
        coinbase: true,
        address: second,
        path: "m/84'/0'/0'/1/7"
      },
      { txid: txid(3), vout: 0, value: "300", confirmations: 0, lockTime: 5, address: first, path: "m/84'/0'/0'/0/0" }
    ]
    const book = { BITCOIN_BLOCKBOOK_URLS: "http://book.test" }
    const { result, hosts } = yield* read(Bitcoin, { "book.test": () => json(rows) }, zpub, book)
    const context = Either.getOrThrow(result)
    if (context.family !== "utxo") return assert.fail(context.family)
    assert.deepStrictEqual([...new Set(hosts)], ["book.test"])
    assert.strictEqual(context.height, 1_000)
    assert.deepStrictEqual(
      context.utxos.map(({ address, coinbase, path, script, spendable, value }) => [
        value,
        address,
        path,
        script,
        coinbase,
        spendable
      ]),
      [
        ["300", first, "m/84'/0'/0'/0/0", `0014${"04".repeat(20)}`, false, true],
        ["200", second, "m/84'/0'/0'/1/7", `76a914${"05".repeat(20)}88ac`, true, false],
        ["100", first, "m/84'/0'/0'/0/0", `0014${"04".repeat(20)}`, true, true]
      ]
    )
    const none = yield* failureOf(Bitcoin, {}, zpub, { BITCOIN_BLOCKBOOK_URLS: "," })
    assert.deepInclude(none, { reason: "not_configured" })
    // An output without the address of a single key cannot be signed.
    const [row] = rows
    const nobody = yield* failureOf(Bitcoin, { "book.test": () => json([{ ...row, address: zpub }]) }, zpub, book)
    assert.strictEqual(nobody.reason, "bad_answer")
  })

  it("of a Haskoin Store must have the script of the address, and are newly mined if they are the first of a block", function* () {
    const address = addressOf(Bch.info, 6)
    const script = `76a914${"06".repeat(20)}88ac`
    const row = {
      address,
      txid: txid(1),
      index: 0,
      pkscript: script,
      value: 500,
      block: { height: 990, position: 0 }
    }
    const store =
      (rows: ReadonlyArray<unknown>) =>
      ({ url }: SentRequest): Reply =>
        json(url.pathname.endsWith("/block/best") ? { height: tip, time: 0 } : rows)
    const environment = { BCH_HASKOIN_URLS: "http://one.test", BCH_BLOCKBOOK_URLS: ",", BCH_ESPLORA_URLS: "," }
    const pool = { ...row, txid: txid(2), block: { mempool: 1_700_000_000 } }
    const context = yield* contextOf(Bch, { "one.test": store([row, pool]) }, address, environment)
    assert.deepStrictEqual(
      context.utxos.map(({ coinbase, confirmations, spendable }) => [confirmations, coinbase, spendable]),
      [
        [11, true, false],
        [0, false, true]
      ]
    )
    const other = { ...row, pkscript: `76a914${"07".repeat(20)}88ac` }
    const failure = yield* failureOf(Bch, { "one.test": store([other]) }, address, environment)
    assert.include(failure.message, "another script")
  })

  it("of BlockCypher retain all digits, and are marked as truncated if it has more", function* () {
    const address = addressOf(Dogecoin.info, 8)
    const row = (index: number, value: string) =>
      `{"tx_hash":"${txid(index)}","block_height":900,"tx_output_n":0,"value":${value},"confirmations":101}`
    const one = ({ url }: SentRequest): Reply =>
      url.pathname.includes("/txs/")
        ? json({ hash: url.pathname.split("/").at(-1), inputs: [{ output_index: -1 }], outputs: [{ script: "76a9" }] })
        : text(`{"txrefs":[${row(1, "9007199254740993")}],"unconfirmed_txrefs":[]}`)
    const environment = {
      DOGECOIN_BLOCKBOOK_URLS: ",",
      DOGECOIN_ESPLORA_URLS: ",",
      DOGECOIN_BLOCKCYPHER_URLS: "http://one.test"
    }
    const { count, height, utxos } = yield* contextOf(Dogecoin, { "one.test": one }, address, environment)
    assert.deepStrictEqual([height, count, utxos[0]?.value], [1_000, 1, "9007199254740993"])
    // Coinbase outputs mature later on Dogecoin than on other networks.
    assert.deepStrictEqual([utxos[0]?.coinbase, utxos[0]?.spendable], [true, false])
    const many = `{"txrefs":[${Array.from({ length: 2_000 }, (_, index) => row(index, String(index))).join()}]}`
    const full = yield* contextOf(Dogecoin, { "one.test": () => text(many) }, address, environment)
    assert.deepStrictEqual([full.count, full.truncated, full.utxos.length], [null, true, 500])
    // A host may return fewer at a time than are requested.
    const few = `{"hasMore":true,"txrefs":[${row(1, "5")}]}`
    const part = ({ url }: SentRequest): Reply => (url.pathname.includes("/txs/") ? one({ url } as never) : text(few))
    const first = yield* contextOf(Dogecoin, { "one.test": part }, address, environment)
    assert.deepStrictEqual([first.count, first.truncated, first.utxos.length], [null, true, 1])
  })
})

const keyHashOf = (key: Uint8Array) => Buffer.from(ripemd160(sha256(key)))

/** A transaction with these outputs, each of 500 units, and its hash. */
const transaction = (...scripts: ReadonlyArray<string>) => {
  const outputs = scripts.map(
    (script) => `f401000000000000${(script.length / 2).toString(16).padStart(2, "0")}${script}`
  )
  const count = scripts.length.toString(16).padStart(2, "0")
  const hex = `0100000001${"00".repeat(32)}ffffffff00ffffffff${count}${outputs.join("")}00000000`
  return { hex, txid: Buffer.from(sha256(sha256(Buffer.from(hex, "hex"))).toReversed()).toString("hex") }
}

describe("unspent outputs with a special script or address", () => {
  const book = (rows: ReadonlyArray<object>, transactions: unknown) => ({
    "one.test": ({ url }: SentRequest): Reply => json(url.pathname.includes("/utxo/") ? rows : { transactions })
  })
  const row = { txid: txid(1), vout: 0, value: "500", height: 900, confirmations: 101 }
  const dogecoin = {
    DOGECOIN_BLOCKBOOK_URLS: "http://one.test",
    DOGECOIN_ESPLORA_URLS: ",",
    DOGECOIN_BLOCKCYPHER_URLS: ","
  }
  const bch = { BCH_BLOCKBOOK_URLS: "http://one.test", BCH_HASKOIN_URLS: ",", BCH_ESPLORA_URLS: "," }
  const briefly = ({ utxos }: UtxoContext) =>
    utxos.map(({ reason = "", script, spendable }) => [script, spendable, reason.slice(0, 21)])

  for (const [title, module, host, environment] of [
    [
      "Blockbook",
      Litecoin,
      () => json([{ ...row, address: addressOf(Litecoin.info, 9) }]),
      { LITECOIN_BLOCKBOOK_URLS: "http://one.test", LITECOIN_ESPLORA_URLS: "," }
    ],
    [
      "Haskoin Store",
      Bch,
      ({ url }: SentRequest) =>
        json(
          url.pathname.endsWith("/block/best")
            ? { height: tip, time: 0 }
            : [
                {
                  address: addressOf(Bch.info, 9),
                  txid: txid(1),
                  index: 0,
                  pkscript: `76a914${"09".repeat(20)}88ac`,
                  value: 500,
                  block: { height: 900, position: 1 }
                }
              ]
        ),
      { BCH_HASKOIN_URLS: "http://one.test", BCH_BLOCKBOOK_URLS: ",", BCH_ESPLORA_URLS: "," }
    ]
  ] as const)
    it(`are rejected if a ${title} returns an output of another address`, function* () {
      const failure = yield* failureOf(module, { "one.test": host }, addressOf(module.info, 6), environment)
      assert.strictEqual(failure.reason, "bad_answer")
      assert.include(failure.message, "an output of another address")
    })

  it("have the script that pays a public key, although a Blockbook lists them under the address of the key's hash", function* () {
    for (const key of [`02${"11".repeat(32)}`, `04${"22".repeat(64)}`]) {
      const bytes = Buffer.from(key, "hex")
      const address = UtxoAddress.encode(Dogecoin.info.coding, { kind: "keyHash", hash: keyHashOf(bytes) })
      const toHash = `76a914${keyHashOf(bytes).toString("hex")}88ac`
      const toKey = `${bytes.length.toString(16)}${key}ac`
      const { hex, txid } = transaction(toKey, toHash, `76a914${"09".repeat(20)}88ac`)
      const rows = [0, 1].map((vout) => ({ ...row, txid, vout }))
      const context = yield* contextOf(Dogecoin, book(rows, [{ txid, hex }]), address, dogecoin)
      assert.deepStrictEqual(briefly(context), [
        [toKey, true, ""],
        [toHash, true, ""]
      ])
      const other = yield* failureOf(Dogecoin, book([{ ...row, txid, vout: 2 }], [{ txid, hex }]), address, dogecoin)
      assert.include(other.message, "another script")
    }
  })

  it("are not spendable if a Blockbook does not return their transaction", function* () {
    const address = addressOf(Dogecoin.info, 6)
    const own = `76a914${"06".repeat(20)}88ac`
    const other = transaction(own)
    for (const transactions of [[], [{ txid: row.txid, hex: other.hex }], [{ txid: row.txid }], "busy"]) {
      const context = yield* contextOf(Dogecoin, book([row], transactions), address, dogecoin)
      assert.deepStrictEqual(briefly(context), [[own, false, "the source did not re"]])
    }
  })

  it("have scripts of older transactions than those on a page of a Blockbook, which are read one by one", function* () {
    const address = addressOf(Dogecoin.info, 6)
    const own = `76a914${"06".repeat(20)}88ac`
    const all = Array.from({ length: 12 }, (_, n) => transaction(own, ...Array.from({ length: n }, () => own)))
    const [first, second] = all
    const requested: Array<string> = []
    const host = ({ url }: SentRequest): Reply => {
      if (url.pathname.includes("/utxo/")) return json(all.map(({ txid }) => ({ ...row, txid })))
      if (!url.pathname.includes("/tx/")) return json({ transactions: [first] })
      const id = url.pathname.split("/").at(-1) ?? ""
      requested.push(id)
      return json(id === second?.txid ? first : all.find(({ txid }) => txid === id))
    }
    const { utxos } = yield* contextOf(Dogecoin, { "one.test": host }, address, dogecoin)
    assert.sameMembers(
      requested,
      all.slice(1, 11).map(({ txid }) => txid)
    )
    assert.deepStrictEqual(
      utxos.filter(({ spendable }) => !spendable).map(({ txid }) => txid),
      [second?.txid, all[11]?.txid]
    )
  })

  it("are not spendable if they carry CashTokens, and do not hide other outputs", function* () {
    const address = addressOf(Bch.info, 6)
    const own = `76a914${"06".repeat(20)}88ac`
    const token = `ef${"aa".repeat(32)}1001${own}`
    const { hex, txid } = transaction(token, own)
    const rows = [0, 1].map((vout) => ({ ...row, txid, vout }))
    const expected = [
      [own, false, "it carries CashTokens"],
      [own, true, ""]
    ]
    assert.deepStrictEqual(briefly(yield* contextOf(Bch, book(rows, [{ txid, hex }]), address, bch)), expected)
    const store = ({ url }: SentRequest): Reply =>
      json(
        url.pathname.endsWith("/block/best")
          ? { height: tip, time: 0 }
          : [token, own].map((pkscript, index) => ({
              address,
              txid,
              index,
              pkscript,
              value: 500,
              block: { height: 900, position: 1 }
            }))
      )
    const haskoin = { BCH_HASKOIN_URLS: "http://one.test", BCH_BLOCKBOOK_URLS: ",", BCH_ESPLORA_URLS: "," }
    assert.deepStrictEqual(briefly(yield* contextOf(Bch, { "one.test": store }, address, haskoin)), expected)
  })
})
