import * as Effect from "effect/Effect"
import type { TransactionStatus } from "../../../src/chains/Chain.ts"
import { height, seconds } from "../../../src/domain/units.ts"
import { json, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import { stateOf, statusesOver, storeOf } from "../../support/statuses.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// Responses follow the API documentation of Esplora, Blockbook and Haskoin Store.

const hash = "a1".repeat(32)
const other = "b2".repeat(32)
const parent = "c3".repeat(32)
const tip = "d4".repeat(32)

const confirmed: TransactionStatus = {
  status: "confirmed",
  confirmations: 6,
  block: height(95),
  at: seconds(5),
  fee: 1000n,
  final: false
}

const row = {
  txid: hash,
  vin: [{ txid: parent, vout: 1, is_coinbase: false, prevout: { scriptpubkey_address: "x", value: 51_000 } }],
  vout: [{ value: 50_000 }],
  status: { confirmed: true, block_height: 95, block_time: 5 }
}
const waiting = { ...row, status: { confirmed: false } }

type Routes = Readonly<Record<string, Reply>>
const absent = text("Transaction not found", { status: 404 })

const esplora = (routes: Routes) => (request: SentRequest) =>
  ({
    "/blocks/tip/hash": text(tip),
    [`/block/${tip}`]: json({ height: 100, timestamp: 0 }),
    ...routes
  })[request.url.pathname] ?? absent

const blockbookRow = {
  txid: hash,
  vin: [{ txid: parent, vout: 1, value: "51000", isAddress: true }],
  vout: [{ value: "50000", isAddress: true }],
  blockHeight: 95,
  confirmations: 6,
  blockTime: 5
}
const blockbook =
  (tx: unknown, status = 200) =>
  (request: SentRequest) =>
    request.url.pathname === "/api/v2"
      ? json({ blockbook: { bestHeight: 100, lastBlockTime: new Date(0).toISOString() } })
      : json(tx, { status })
const notInBlockbook = blockbook({ error: `Transaction '${hash}' not found` }, 400)

const litecoin = (
  first: (request: SentRequest) => Reply,
  second: (request: SentRequest) => Reply,
  hosts: Record<string, (request: SentRequest) => Reply> = { "esplora.test": first, "blockbook.test": second }
) =>
  statusesOver("litecoin", hosts, {
    LITECOIN_ESPLORA_URLS: "http://esplora.test",
    LITECOIN_BLOCKBOOK_URLS: "http://blockbook.test"
  })

const status = (...sources: readonly [(request: SentRequest) => Reply, (request: SentRequest) => Reply]) =>
  Effect.gen(function* () {
    const { read } = yield* litecoin(...sources)
    return stateOf((yield* read(hash))[0])
  }).pipe(Effect.scoped, Effect.orDie)

const haskoin = (more: object) => (request: SentRequest) =>
  request.url.pathname === "/block/best"
    ? json({ height: 100, time: 0 })
    : json({
        txid: hash,
        inputs: [{ coinbase: false, txid: parent, output: 1, value: 51_000, address: null }],
        outputs: [{ value: 50_000, address: null }],
        block: { height: 95 },
        deleted: false,
        time: 5,
        ...more
      })

const onBch = (...stores: readonly [(request: SentRequest) => Reply, (request: SentRequest) => Reply]) =>
  Effect.gen(function* () {
    const { read } = yield* statusesOver(
      "bch",
      { "0.test": stores[0], "1.test": stores[1] },
      { BCH_HASKOIN_URLS: "http://0.test,http://1.test", BCH_BLOCKBOOK_URLS: "", BCH_ESPLORA_URLS: "" }
    )
    return stateOf((yield* read(hash))[0])
  }).pipe(Effect.scoped, Effect.orDie)

const tx = (body: unknown) => esplora({ [`/tx/${hash}`]: json(body) })
const down = () => refused

describe("the status of a transaction in the Bitcoin family", () => {
  it("is that of its block, with the fee, at each kind of indexer", function* () {
    assert.deepStrictEqual(yield* status(tx(row), down), confirmed)
    assert.deepStrictEqual(yield* status(down, blockbook(blockbookRow)), confirmed)
    assert.deepStrictEqual(yield* onBch(haskoin({}), down), confirmed)
  })

  it("is not pending at a Haskoin Store that has dropped it", function* () {
    const open = { block: { mempool: 5 } }
    const dropped = haskoin({ ...open, deleted: true })
    assert.deepStrictEqual(yield* onBch(haskoin(open), down), { status: "pending", confirmations: 0 })
    assert.deepStrictEqual(yield* onBch(dropped, dropped), { status: "not_found" })
    assert.deepStrictEqual(yield* onBch(dropped, haskoin({})), confirmed)
  })

  it("is pending in the mempool, and has no fee and no time yet", function* () {
    const pending: TransactionStatus = { status: "pending", confirmations: 0 }
    assert.deepStrictEqual(yield* status(tx({ ...waiting, firstSeen: 4 }), down), pending)
    assert.deepStrictEqual(
      yield* status(down, blockbook({ ...blockbookRow, blockHeight: -1, confirmations: 0 })),
      pending
    )
  })

  it("is not found if two indexers do not have it", function* () {
    assert.deepStrictEqual(yield* status(esplora({}), notInBlockbook), { status: "not_found" })
    assert.deepStrictEqual(yield* status(esplora({}), blockbook(blockbookRow)), confirmed)
    assert.strictEqual(yield* status(esplora({}), down), "upstream_error")
    // The page of a gateway is no response about the transaction.
    assert.notDeepEqual(yield* status(() => text("<html>not found</html>", { status: 404 }), notInBlockbook), {
      status: "not_found"
    })
  })

  it("is replaced if a block has spent its input in another transaction, after it was pending here", function* () {
    const hosts: Record<string, (request: SentRequest) => Reply> = {
      "esplora.test": tx(waiting),
      "blockbook.test": notInBlockbook
    }
    const { read } = yield* litecoin(down, down, hosts)
    const confirmedRow = { ...blockbookRow, txid: other }
    const rival = (row: object) => (request: SentRequest) =>
      (request.url.pathname.endsWith(other) ? blockbook(row) : notInBlockbook)(request)
    const state = Effect.map(read(hash), ([result]) => stateOf(result))
    assert.deepInclude(yield* state, { status: "pending" })
    const spentBy = (spending: unknown) => {
      hosts["esplora.test"] = esplora({ [`/tx/${parent}/outspend/1`]: json(spending) })
      return state
    }
    const spent = { spent: true, txid: other, status: { confirmed: true } }
    hosts["blockbook.test"] = rival(confirmedRow)
    assert.deepStrictEqual(yield* spentBy(spent), { status: "replaced", replacedBy: other })
    // Blockbook does not have that transaction, or not in a block, or it spends something else.
    for (const row of [
      { ...confirmedRow, txid: hash },
      { ...confirmedRow, blockHeight: -1, confirmations: 0 },
      { ...confirmedRow, vin: [{ ...confirmedRow.vin[0], vout: 2 }] }
    ]) {
      hosts["blockbook.test"] = rival(row)
      assert.match(String(yield* spentBy(spent)), /_(answer|error)$/, JSON.stringify(row))
    }
    hosts["blockbook.test"] = notInBlockbook
    assert.strictEqual(yield* spentBy(spent), "bad_answer")
    for (const spending of [
      { spent: false },
      { spent: true, txid: other, status: { confirmed: false } },
      { spent: true, txid: hash, status: { confirmed: true } }
    ])
      assert.deepStrictEqual(yield* spentBy(spending), { status: "not_found" }, JSON.stringify(spending))
  })

  it("is not replaced if only one of two indexers has the spender", function* () {
    const outspend = { spent: true, txid: other, status: { confirmed: true } }
    const spent = { [`/tx/${parent}/outspend/1`]: json(outspend) }
    const open = { [`/tx/${parent}/outspend/1`]: json({ spent: false }) }
    for (const [second, expected] of [
      [tx(row), confirmed],
      [esplora(open), "bad_answer"],
      [down, "upstream_error"],
      [esplora(spent), { status: "replaced", replacedBy: other }]
    ] as const) {
      const hosts = { "0.test": esplora(spent), "1.test": second }
      const environment = {
        LITECOIN_ESPLORA_URLS: "http://0.test,http://1.test",
        LITECOIN_BLOCKBOOK_URLS: ","
      }
      const { read } = yield* statusesOver("litecoin", hosts, environment, storeOf(`${parent}:1`))
      assert.deepStrictEqual<unknown>((yield* read(hash)).map(stateOf), [expected])
    }
  })

  it("is not replaced by a transaction that an indexer returns by mistake", function* () {
    const byOther = { spent: true, txid: other, status: { confirmed: true } }
    const hosts = {
      "0.test": tx({ ...waiting, txid: other }),
      "1.test": esplora({ [`/tx/${parent}/outspend/1`]: json(byOther) }),
      "2.test": notInBlockbook
    }
    const { read } = yield* statusesOver("litecoin", hosts, {
      LITECOIN_ESPLORA_URLS: "http://0.test,http://1.test",
      LITECOIN_BLOCKBOOK_URLS: "http://2.test"
    })
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [{ status: "not_found" }])
  })

  it("comes from the next indexer if the first is wrong, lags or returns impossible data", function* () {
    const late = { [`/block/${tip}`]: json({ height: 100, timestamp: -100_000 }), [`/tx/${hash}`]: json(row) }
    for (const wrong of [
      tx({ ...row, txid: other }),
      tx({ ...row, status: { ...row.status, block_height: 102 } }),
      tx({ ...row, status: { ...row.status, block_time: 100_000_000_000 } }),
      tx({ ...row, vout: [{ value: 60_000 }] }),
      tx({ ...row, vin: [{ ...row.vin[0], prevout: null }] }),
      tx({}),
      esplora(late),
      esplora({ [`/tx/${hash}`]: text("", { status: 500 }) })
    ])
      assert.deepStrictEqual(yield* status(wrong, blockbook(blockbookRow)), confirmed)
  })
})
