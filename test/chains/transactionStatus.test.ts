import * as Effect from "effect/Effect"
import type { TransactionStatus } from "../../src/chains/Chain.ts"
import { json, type Reply, refused, type SentRequest } from "../support/http.ts"
import { stateOf, statusesOver } from "../support/statuses.ts"
import { assert, describe, it } from "../support/vitest.ts"

// How each family reads what its sources return. Responses follow the API documentation of the providers.

type Host = (request: SentRequest) => Reply

const hash = "a1".repeat(32)
const other = "b2".repeat(32)

const notFound: TransactionStatus = { status: "not_found" }
const pending: TransactionStatus = { status: "pending", confirmations: 0 }

describe("the status of a transaction on the XRP Ledger", () => {
  const id = hash.toUpperCase()
  const tx = {
    hash: id,
    Account: "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B",
    Fee: "12",
    LastLedgerSequence: 40_100,
    date: 5,
    ledger_index: 40_000,
    meta: { TransactionResult: "tesSUCCESS" },
    validated: true
  }
  const open = { hash: id, Fee: "12", LastLedgerSequence: 40_100 }
  const confirmed = {
    status: "confirmed",
    confirmations: 11,
    block: 40_000,
    at: 946_684_805,
    fee: 12n,
    final: true
  } as const
  const rippled =
    (result: object, { complete = "32570-40110", seq = 40_010, age = 1 } = {}): Host =>
    ({ body }) =>
      json({
        result: body.includes("server_info")
          ? { info: { complete_ledgers: complete, validated_ledger: { seq, age } }, status: "success" }
          : result
      })
  const absent = { error: "txnNotFound", status: "error" }

  const over = (hosts: Record<string, Host>) =>
    statusesOver("ripple", hosts, {
      RIPPLE_RPC_URLS: Object.keys(hosts)
        .map((host) => `http://${host}`)
        .join(",")
    })
  const status = (first: Host, second: Host): Effect.Effect<unknown> =>
    Effect.gen(function* () {
      const { read } = yield* over({ "one.test": first, "two.test": second })
      return stateOf((yield* read(id))[0])
    }).pipe(Effect.scoped, Effect.orDie)

  it("is final in a validated ledger, whether it succeeded or only paid its fee", function* () {
    assert.deepStrictEqual(yield* status(rippled(tx), () => refused), confirmed)
    const failed = { ...tx, meta: { TransactionResult: "tecPATH_DRY" } }
    assert.deepStrictEqual(yield* status(rippled(failed), () => refused), { ...confirmed, status: "failed" })
  })

  it("is pending before, and not found if two nodes do not have it", function* () {
    assert.deepStrictEqual(yield* status(rippled(open), () => refused), pending)
    assert.deepStrictEqual(yield* status(rippled(absent), rippled(absent)), notFound)
    assert.strictEqual(yield* status(rippled(absent), () => refused), "upstream_error")
    assert.deepStrictEqual(yield* status(rippled(absent), rippled(tx)), confirmed)
  })

  it("is expired if two nodes have all ledgers up to the last that may include it, also after they dropped it", function* () {
    const later = { seq: 40_105 }
    const expired: TransactionStatus = { status: "expired", final: true }
    assert.deepStrictEqual(yield* status(rippled(open, later), rippled(absent, later)), expired)
    // The last ledger is not validated yet.
    assert.deepStrictEqual(yield* status(rippled(open, { seq: 40_100 }), () => refused), pending)
    for (const complete of ["empty", "32570-40090,40095-40105", "39900-40110"])
      assert.deepStrictEqual(yield* status(rippled(open, { ...later, complete }), () => refused), pending, complete)
    const hosts = { "one.test": rippled(open) }
    const { read } = yield* over(hosts)
    assert.deepStrictEqual((yield* read(id)).map(stateOf), [pending])
    hosts["one.test"] = rippled(absent, later)
    assert.deepStrictEqual((yield* read(id)).map(stateOf), [expired])
  })

  it("comes from the next node if the first is wrong or lags", function* () {
    for (const wrong of [
      rippled({ ...tx, hash: other.toUpperCase() }),
      rippled({ ...tx, meta: undefined }),
      rippled({ ...tx, Fee: "-1" }),
      rippled({ error: "noNetwork" }),
      rippled({}),
      rippled(tx, { age: 10_000 })
    ])
      assert.deepStrictEqual(yield* status(wrong, rippled(tx)), confirmed)
  })
})

describe("the status of a Tron transaction", () => {
  const info = { id: hash, fee: 345_000, blockNumber: 90, blockTimeStamp: 5_000, receipt: { net_fee: 345_000 } }
  const known = { txID: hash, raw_data: { expiration: 60_000 }, ret: [{ contractRet: "SUCCESS" }] }
  const confirmed = { status: "confirmed", confirmations: 11, block: 90, at: 5, fee: 345_000n } as const
  const blockID = `${(100).toString(16).padStart(16, "0")}${"0".repeat(48)}`
  const node =
    (info: unknown, known: unknown = {}, timestamp = 0): Host =>
    ({ url: { pathname } }) =>
      json(
        pathname.endsWith("/getblock")
          ? { blockID, block_header: { raw_data: { number: 100, timestamp } } }
          : pathname.endsWith("infobyid")
            ? info
            : known
      )
  const over = (hosts: Record<string, Host>) =>
    statusesOver("tron", hosts, { TRONGRID_URL: "http://node.test", TRONGRID_PER_SECOND: "1000" })
  const status = (host: Host): Effect.Effect<unknown> =>
    Effect.gen(function* () {
      const { read } = yield* over({ "node.test": host })
      return stateOf((yield* read(hash))[0])
    }).pipe(Effect.scoped, Effect.orDie)

  it("is that of its block: success, failure, and the fee, which is absent if it is zero", function* () {
    assert.deepStrictEqual(yield* status(node(info)), confirmed)
    assert.deepStrictEqual(yield* status(node({ ...info, fee: undefined })), { ...confirmed, fee: 0n })
    for (const failure of [{ result: "FAILED" }, { receipt: { result: "OUT_OF_ENERGY" } }])
      assert.deepStrictEqual(yield* status(node({ ...info, ...failure })), { ...confirmed, status: "failed" })
    assert.deepStrictEqual(yield* status(node({ ...info, receipt: { result: "SUCCESS" } })), confirmed)
  })

  it("is pending until a block is later than its expiration, also after the node dropped it", function* () {
    assert.deepStrictEqual(yield* status(node({}, known)), pending)
    assert.deepStrictEqual(yield* status(node({}, known, 60_000)), { status: "expired" })
    assert.deepStrictEqual(yield* status(node({}, {}, 60_000)), notFound)
    const hosts = { "node.test": node({}, known) }
    const { read } = yield* over(hosts)
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [pending])
    hosts["node.test"] = node({})
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [notFound])
    hosts["node.test"] = node({}, {}, 60_000)
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [{ status: "expired" }])
  })

  it("is unknown if the node returns another transaction, something else, or an error", function* () {
    for (const wrong of [
      node({ ...info, id: other }),
      node({ ...info, blockNumber: -1 }),
      node({ something: "else" }),
      node({}, { ...known, txID: other }),
      node({}, { txID: hash }),
      node({ Error: "class java.lang.NullPointerException : null" }),
      node({}, [])
    ])
      assert.include(["bad_answer", "upstream_error"], yield* status(wrong))
  })
})
