import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import type { Hex } from "viem"
import type { TransactionStatus } from "../../src/chains/Chain.ts"
import { accountKey, timestampKey } from "../../src/chains/polkadot/storage.ts"
import { epochAt, epochSlotAt, slotAt } from "../../src/sandbox/cardano/CardanoChain.ts"
import { genesis, le } from "../support/AssetHub.ts"
import { exactBody, fixture, recorded } from "../support/fixtures.ts"
import { json, type Reply, refused, type SentRequest, text } from "../support/http.ts"
import { node, solanaClock, stateOf, statusesOver, storeOf, tonHead } from "../support/statuses.ts"
import { assert, describe, it } from "../support/vitest.ts"

// How each family reads what its sources return. Responses follow the API documentation of the providers.

type Host = (request: SentRequest) => Reply

const hash = "a1".repeat(32)
const other = "b2".repeat(32)

const notFound: TransactionStatus = { status: "not_found" }
const pending: TransactionStatus = { status: "pending", confirmations: 0 }

describe("stored notes of pending transactions", () => {
  it("are not used if they have another form, and reach no upstream", function* () {
    const evm = node(({ method }) =>
      method === "eth_chainId"
        ? "0x3d"
        : method === "eth_getBlockByNumber"
          ? { number: "0x10", timestamp: "0x0", hash: `0x${hash}` }
          : null
    )
    const esplora: Host = ({ url: { pathname } }) => {
      if (pathname === "/blocks/tip/hash") return text(hash)
      return pathname.startsWith("/block/")
        ? json({ height: 1, timestamp: 0 })
        : text("Transaction not found", { status: 404 })
    }
    const hosts = { "evm.test": evm, "esplora.test": esplora, "second.test": esplora }
    const environment = {
      ETHEREUM_CLASSIC_RPC_URLS: "http://evm.test",
      LITECOIN_ESPLORA_URLS: "http://esplora.test,http://second.test"
    }
    for (const note of ["", "x", "0x1:-1", `${hash}:../../admin`, `0x${"a".repeat(40)}:1e9`, "__proto__"])
      for (const [network, id] of [
        ["ethereum-classic", `0x${hash}`],
        ["litecoin", hash]
      ] as const) {
        const { read, requests } = yield* statusesOver(network, hosts, environment, storeOf(note))
        assert.deepStrictEqual((yield* read(id)).map(stateOf), [notFound], `${network} ${note}`)
        assert.notMatch(requests.map(({ body, url }) => url.pathname + body).join(), /admin|outspend|TransactionCount/)
      }
  })
})

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
  const reserves = { reserve_base_xrp: 1, reserve_inc_xrp: 0.2 }
  const rippled =
    (result: object, { complete = "32570-40110", seq = 40_010, age = 1, more = {} } = {}): Host =>
    ({ body }) =>
      json({
        result: body.includes("server_info")
          ? {
              info: { ...more, complete_ledgers: complete, validated_ledger: { seq, age, ...reserves } },
              status: "success"
            }
          : result
      })
  const absent = { error: "txnNotFound", status: "error" }
  const expired: TransactionStatus = { status: "expired", final: true }

  const over = (hosts: Record<string, Host>, ...store: ReadonlyArray<ReturnType<typeof storeOf>>) =>
    statusesOver(
      "ripple",
      hosts,
      {
        RIPPLE_RPC_URLS: Object.keys(hosts)
          .map((host) => `http://${host}`)
          .join(",")
      },
      ...store
    )
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

  it("is expired if two nodes that still have it have all ledgers up to the last that may include it", function* () {
    // Requests to one address may reach a node that is 45 ledgers behind.
    const later = { seq: 40_146, complete: "32570-40146" }
    assert.deepStrictEqual(yield* status(rippled(open, later), rippled(open, later)), expired)
    assert.deepStrictEqual(yield* status(rippled(open, { ...later, seq: 40_145 }), () => refused), pending)
    for (const complete of ["empty", "32570-40090,40095-40146", "39900-40146"])
      assert.deepStrictEqual(yield* status(rippled(open, { ...later, complete }), () => refused), pending, complete)
    // The last ledger that the first node returns decides nothing at the second.
    assert.strictEqual(yield* status(rippled(open, later), rippled(absent, later)), "bad_answer")
  })

  it("is expired after nodes dropped it if they have searched the ledgers up to the last one", function* () {
    const later = { seq: 40_101 }
    const searched = { ...absent, searched_all: true }
    const hosts = { "one.test": rippled(open) }
    const { read, requests } = yield* over(hosts)
    assert.deepStrictEqual((yield* read(id)).map(stateOf), [pending])
    for (const [host, expected] of [
      [rippled(searched, later), expired],
      // The node that responds lags, or does not have the ledgers.
      [rippled({ ...absent, searched_all: false }, later), "upstream_error"],
      [rippled(absent, later), "upstream_error"],
      // The last ledger is not validated yet, or the transaction is in it.
      [rippled(searched, { seq: 40_100 }), notFound],
      [rippled({ ...tx, ledger_index: 40_100 }, later), { ...confirmed, block: 40_100, confirmations: 2 }]
    ] as const) {
      hosts["one.test"] = host
      assert.deepStrictEqual<unknown>((yield* read(id)).map(stateOf), [expected])
    }
    const ranges = requests.flatMap(({ body }) => /"min_ledger.*?}/.exec(body) ?? [])
    assert.deepStrictEqual(new Set(ranges), new Set(['"min_ledger":39101,"max_ledger":40100}']))
  })

  it("is not expired because one node returns it with another last ledger than the one that was sent", function* () {
    const early = rippled({ ...open, LastLedgerSequence: 33_600 })
    const sent = storeOf("40100")
    for (const [second, expected] of [
      [rippled(absent), "bad_answer"],
      [rippled(open), pending]
    ] as const) {
      const { read } = yield* over({ "one.test": early, "two.test": second }, sent)
      assert.deepStrictEqual<unknown>((yield* read(id)).map(stateOf), [expected])
    }
  })

  it("is not absent at a node without the ledgers that may include it", function* () {
    const recent = rippled(absent, { complete: "38000-40010" })
    const read = (hosts: Record<string, Host>, ...store: ReadonlyArray<ReturnType<typeof storeOf>>) =>
      Effect.gen(function* () {
        const { read } = yield* over(hosts, ...store)
        return stateOf((yield* read(id))[0]) as unknown
      }).pipe(Effect.scoped, Effect.orDie)
    const whole = rippled({ ...tx, ledger_index: 33_000 })
    assert.deepStrictEqual(yield* read({ "one.test": recent, "two.test": recent, "three.test": whole }), {
      ...confirmed,
      block: 33_000,
      confirmations: 7_011
    })
    assert.strictEqual(yield* read({ "one.test": recent }), "upstream_error")
    // If its last ledger is known, it cannot be in an old one.
    assert.deepStrictEqual(yield* read({ "one.test": recent }, storeOf("40100")), notFound)
    const gap = rippled(absent, { complete: "32570-39500,39502-40010" })
    assert.strictEqual(yield* read({ "one.test": gap }, storeOf("40100")), "upstream_error")
  })

  it("is not expired by a ledger that is closed, but not validated: another one may take its place", function* () {
    const closed = { seq: 40_100, more: { closed_ledger: { seq: 40_101, age: 1 } } }
    const hosts = { "one.test": rippled(open, closed), "two.test": rippled(absent, closed) }
    const { read } = yield* over(hosts)
    assert.deepStrictEqual((yield* read(id)).map(stateOf), [pending])
    hosts["one.test"] = rippled(absent, closed)
    assert.deepStrictEqual((yield* read(id)).map(stateOf), [notFound])
    hosts["one.test"] = rippled({ ...tx, ledger_index: 40_100 }, { seq: 40_101 })
    const later = { ...confirmed, block: 40_100, confirmations: 2 }
    assert.deepStrictEqual<unknown>((yield* read(id)).map(stateOf), [later])
  })

  it("comes from the next node if the first is wrong or lags", function* () {
    for (const wrong of [
      rippled({ ...tx, hash: other.toUpperCase() }),
      rippled({ ...tx, meta: undefined }),
      rippled({ ...tx, ledger_index: 40_021 }),
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
  const confirmed = { status: "confirmed", confirmations: 11, block: 90, at: 5, fee: 345_000n, final: false } as const
  const blockID = `${(100).toString(16).padStart(16, "0")}${"0".repeat(48)}`
  const tron =
    (info: unknown, known: unknown = {}, timestamp = 0, solidified = timestamp): Host =>
    ({ url: { pathname } }) =>
      json(
        pathname.endsWith("/getblock")
          ? {
              blockID,
              block_header: {
                raw_data: { number: 100, timestamp: pathname.includes("solidity") ? solidified : timestamp }
              }
            }
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
    assert.deepStrictEqual(yield* status(tron(info)), confirmed)
    assert.deepStrictEqual(yield* status(tron({ ...info, fee: undefined })), { ...confirmed, fee: 0n })
    for (const failure of [{ result: "FAILED" }, { receipt: { result: "OUT_OF_ENERGY" } }])
      assert.deepStrictEqual(yield* status(tron({ ...info, ...failure })), { ...confirmed, status: "failed" })
    assert.deepStrictEqual(yield* status(tron({ ...info, receipt: { result: "SUCCESS" } })), confirmed)
  })

  it("does not have a time before Tron's first block or of the future", function* () {
    const clock = 1_764_000_000
    yield* TestClock.setTime(1_000 * clock)
    const at = (time: number) => tron({ ...info, blockTimeStamp: 1_000 * time }, {}, 1_000 * clock)
    for (const wrong of [1_400_000_000, clock + 10_000]) assert.strictEqual(yield* status(at(wrong)), "bad_answer")
    assert.deepStrictEqual(yield* status(at(clock - 30)), { ...confirmed, at: clock - 30 })
  })

  it("is pending until a block is minutes later than its expiration, also after the node dropped it", function* () {
    yield* TestClock.setTime(240_000)
    assert.deepStrictEqual(yield* status(tron({}, known, 60_000)), pending)
    // Requests to one address may reach a node that is three minutes behind.
    assert.deepStrictEqual(yield* status(tron({}, known, 239_999)), pending)
    assert.deepStrictEqual(yield* status(tron({}, known, 240_000)), { status: "expired" })
    assert.deepStrictEqual(yield* status(tron({}, {}, 240_000)), notFound)
    const hosts = { "node.test": tron({}, known, 200_000) }
    const { read } = yield* over(hosts)
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [pending])
    hosts["node.test"] = tron({}, {}, 200_000)
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [notFound])
    hosts["node.test"] = tron({}, {}, 240_000)
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [{ status: "expired" }])
  })

  it("is not expired by a block that is replaced before it is solidified", function* () {
    yield* TestClock.setTime(240_000)
    const hosts = { "node.test": tron({}, known, 240_000, 180_000) }
    const { read } = yield* over(hosts)
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [pending])
    hosts["node.test"] = tron(info, known, 243_000, 183_000)
    assert.deepStrictEqual<unknown>((yield* read(hash)).map(stateOf), [confirmed])
    const dropped = tron({}, {}, 243_000, 240_000)
    assert.deepStrictEqual(yield* status(dropped), notFound)
    hosts["node.test"] = dropped
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [{ status: "expired" }])
  })

  it("is unknown if the node returns another transaction, something else, or an error", function* () {
    for (const wrong of [
      tron({ ...info, id: other }),
      tron({ ...info, blockNumber: 111 }),
      tron({ ...info, blockNumber: -1 }),
      tron({ something: "else" }),
      tron({}, { ...known, txID: other }),
      tron({}, { txID: hash }),
      tron({ Error: "class java.lang.NullPointerException : null" }),
      tron({}, [])
    ])
      assert.include(["bad_answer", "upstream_error"], yield* status(wrong))
  })
})

describe("the status of a Solana transaction", () => {
  const signature = "5".repeat(88)
  const transaction = {
    blockTime: 5,
    slot: 90,
    meta: { err: null, fee: 5_000, preBalances: [], postBalances: [] },
    transaction: { signatures: [signature], message: { accountKeys: [], instructions: [] } }
  }
  const found = { slot: 90, confirmations: null, err: null, confirmationStatus: "finalized" }
  const confirmed = { status: "confirmed", confirmations: 11, block: 90, at: 5, fee: 5_000n, final: true } as const
  const solana = (value: unknown, details: unknown = transaction, time = 0): Host =>
    node(({ method }) => {
      if (method === "getAccountInfo") return solanaClock(time)
      return method === "getTransaction"
        ? details
        : { context: { slot: 100 }, value: Array.isArray(value) ? value : [value] }
    })
  const status = (first: Host, second: Host): Effect.Effect<unknown> =>
    Effect.gen(function* () {
      const hosts = { "one.test": first, "two.test": second }
      const { read } = yield* statusesOver("solana", hosts, { SOLANA_RPC_URLS: "http://one.test,http://two.test" })
      return stateOf((yield* read(signature))[0])
    }).pipe(Effect.scoped, Effect.orDie)
  const down = () => refused

  it("is that of its slot, with fee and time if the node returns the transaction", function* () {
    assert.deepStrictEqual(yield* status(solana(found), down), confirmed)
    assert.deepStrictEqual(yield* status(solana({ ...found, confirmationStatus: "confirmed" }), down), {
      ...confirmed,
      final: false
    })
    const err = { InstructionError: [0, { Custom: 1 }] }
    const failed = { ...transaction, meta: { ...transaction.meta, err } }
    assert.deepStrictEqual(yield* status(solana({ ...found, err }, failed), down), { ...confirmed, status: "failed" })
    const { at: _, fee: __, ...unknown } = confirmed
    assert.deepStrictEqual(yield* status(solana(found, null), down), unknown)
    assert.deepStrictEqual(yield* status(solana(found, null), solana(null)), confirmed)
  })

  it("is pending while it is only processed, and not found if two nodes do not have it", function* () {
    assert.deepStrictEqual(yield* status(solana({ ...found, confirmationStatus: "processed" }), down), pending)
    assert.deepStrictEqual(yield* status(solana(null), solana(null)), notFound)
    assert.deepStrictEqual(yield* status(solana(null), solana(found)), confirmed)
    assert.strictEqual(yield* status(solana(null), down), "upstream_error")
  })

  const noted = storeOf("9".repeat(44), "0")

  it("is expired if the finalized block is later than its sending and does not have its block hash", function* () {
    const absent = (time: number, isValid: boolean, slot = 100): Host =>
      node(({ method, params }) => {
        if (method === "isBlockhashValid") {
          assert.deepStrictEqual(params, ["9".repeat(44), { commitment: "finalized" }])
          return { context: { slot }, value: isValid }
        }
        if (method !== "getAccountInfo") return { context: { slot: 100 }, value: [null] }
        return solanaClock(JSON.stringify(params).includes("finalized") ? time : 100)
      })
    for (const [host, expected] of [
      // So fresh that the finalized block lacks it, or a fork may still include the transaction.
      [absent(30, false), "not_found"],
      [absent(31, true), "not_found"],
      // The nodes of the address differ: the one that does not have the transaction lags.
      [absent(31, false, 101), "not_found"],
      [absent(31, false), "expired"]
    ] as const) {
      const { read } = yield* statusesOver(
        "solana",
        { "one.test": host },
        { SOLANA_RPC_URLS: "http://one.test" },
        noted
      )
      assert.deepStrictEqual((yield* read(signature)).map(stateOf), [notFound])
      yield* TestClock.setTime(100_000)
      assert.deepStrictEqual((yield* read(signature)).map(stateOf), [{ status: expected }])
      yield* TestClock.setTime(0)
    }
  })

  it("is not expired by a block that is only confirmed, because a fork may include it", function* () {
    const nodeWith = (value: unknown): Host =>
      node(({ method, params }) => {
        // The block hash is valid in the finalized block, and in no block after the newest one.
        const isFinalized = JSON.stringify(params).includes("finalized")
        if (method === "isBlockhashValid") return { context: { slot: 90 }, value: isFinalized }
        if (method === "getAccountInfo") return solanaClock(isFinalized ? 70 : 100)
        return method === "getTransaction" ? transaction : { context: { slot: 100 }, value: [value] }
      })
    const hosts = { "one.test": nodeWith(null) }
    const { read } = yield* statusesOver("solana", hosts, { SOLANA_RPC_URLS: "http://one.test" }, noted)
    yield* TestClock.setTime(100_000)
    assert.deepStrictEqual((yield* read(signature)).map(stateOf), [notFound])
    hosts["one.test"] = nodeWith({ ...found, confirmationStatus: "confirmed" })
    assert.deepStrictEqual<unknown>((yield* read(signature)).map(stateOf), [{ ...confirmed, final: false }])
  })

  it("does not have a time of the future or before any chain, and comes from the next node", function* () {
    const clock = 1_764_000_000
    yield* TestClock.setTime(1_000 * clock)
    const at = (blockTime: number) => solana(found, { ...transaction, blockTime }, clock)
    for (const wrong of [4_105_123_200, 2_678_400]) {
      assert.deepStrictEqual(yield* status(at(wrong), at(clock - 60)), { ...confirmed, at: clock - 60 })
      assert.strictEqual(yield* status(at(wrong), at(wrong)), "bad_answer")
    }
  })

  it("is read beside one that cannot be read", function* () {
    const other = "4".repeat(88)
    const { read } = yield* statusesOver(
      "solana",
      { "one.test": solana([{ ...found, slot: "x" }, found], null) },
      {
        SOLANA_RPC_URLS: "http://one.test"
      }
    )
    const { at: _, fee: __, ...unknown } = confirmed
    assert.deepStrictEqual<unknown>((yield* read(other, signature)).map(stateOf), ["bad_answer", unknown])
  })

  it("comes from the next node if the first contradicts itself or lags", function* () {
    for (const wrong of [
      solana(found, transaction, -10_000),
      solana({ ...found, slot: 101 }),
      solana([found, found]),
      solana([]),
      solana({ ...found, confirmationStatus: "new" }),
      solana(found, {
        ...transaction,
        meta: { ...transaction.meta, loadedAddresses: { writable: null, readonly: [] } }
      }),
      solana({ ...found, err: "AccountInUse" })
    ])
      assert.deepStrictEqual(yield* status(wrong, solana(found)), confirmed)
  })
})

describe("the status of a Sui transaction", () => {
  const longAgo = "1969-12-31T23:58:00Z"
  const digest = "8".repeat(43)
  const found = {
    digest,
    effects: {
      status: "SUCCESS",
      timestamp: "1970-01-01T00:00:05.153Z",
      checkpoint: { sequenceNumber: 90 },
      gasEffects: { gasSummary: { computationCost: 1_000, storageCost: "500", storageRebate: 100 } }
    }
  }
  const confirmed = { status: "confirmed", confirmations: 11, block: 90, at: 5, fee: 1_400n, final: true } as const
  const sui =
    (transaction: unknown, timestamp = "1970-01-01T00:00:00Z", epochId?: number, startTimestamp = longAgo): Host =>
    () =>
      json({
        data: {
          chainIdentifier: "35834a8a",
          multiGetTransactions: [transaction],
          checkpoint: {
            sequenceNumber: 100,
            timestamp,
            epoch: epochId === undefined ? null : { epochId, startTimestamp }
          }
        }
      })
  const status = (first: Host, second: Host, ...notes: ReadonlyArray<string>): Effect.Effect<unknown> =>
    Effect.gen(function* () {
      const hosts = { "one.test": first, "two.test": second }
      const environment = { SUI_GRAPHQL_URLS: "http://one.test,http://two.test" }
      const { read } = yield* statusesOver(
        "sui",
        hosts,
        environment,
        notes.length === 0 ? undefined : storeOf(...notes)
      )
      return stateOf((yield* read(digest))[0])
    }).pipe(Effect.scoped, Effect.orDie)
  const withEffects = (effects: object) => sui({ ...found, effects: { ...found.effects, ...effects } })
  const down = () => refused

  it("is final in a checkpoint: success, failure, and the fee, which is not negative", function* () {
    assert.deepStrictEqual(yield* status(sui(found), down), confirmed)
    assert.deepStrictEqual(yield* status(withEffects({ status: "FAILURE" }), down), { ...confirmed, status: "failed" })
    const rebate = { gasSummary: { computationCost: 0, storageCost: 0, storageRebate: 5 } }
    assert.deepStrictEqual(yield* status(withEffects({ gasEffects: rebate }), down), { ...confirmed, fee: 0n })
    assert.deepStrictEqual(yield* status(withEffects({ gasEffects: null }), sui(found)), confirmed)
    for (const checkpoint of [null, { sequenceNumber: 101 }])
      assert.deepStrictEqual(yield* status(withEffects({ checkpoint }), down), pending)
  })

  it("is expired if two hosts have checkpoints of a later epoch than its last one", function* () {
    const absent = (epoch?: number, start?: string) => sui(null, undefined, epoch, start)
    const tooNew = absent(8, "1969-12-31T23:58:01Z")
    for (const [first, second, expected] of [
      [absent(8), absent(8), { status: "expired" }],
      [absent(7), absent(7), notFound],
      // The epoch began less than two minutes before the newest checkpoint.
      [tooNew, tooNew, notFound],
      // One host is still in the last epoch, in which a checkpoint may include it, or does not return its epoch.
      [absent(8), absent(7), "bad_answer"],
      [absent(8), absent(), "bad_answer"],
      [absent(8), sui(found, undefined, 8), confirmed],
      [absent(8), down, "upstream_error"]
    ] as const)
      assert.deepStrictEqual(yield* status(first, second, "7"), expected)
    for (const wrong of ["", "x", "-"]) assert.deepStrictEqual(yield* status(absent(8), absent(8), wrong), notFound)
    assert.deepStrictEqual(yield* status(absent(8), absent(8)), notFound)
  })

  it("is not found if two hosts do not have it; a host that lags or returns another transaction is not used", function* () {
    assert.deepStrictEqual(yield* status(sui(null), sui(null)), notFound)
    assert.strictEqual(yield* status(sui(null), down), "upstream_error")
    for (const wrong of [
      sui(null),
      sui({ ...found, digest: "9".repeat(43) }),
      sui(found, "1969-12-01T00:00:00Z"),
      withEffects({ timestamp: "soon" })
    ])
      assert.deepStrictEqual(yield* status(wrong, sui(found)), confirmed)
  })
})

describe("the status of a Cardano transaction", () => {
  const begin = 1_600_000_000
  const row = { tx_hash: hash, block_height: 90, tx_timestamp: begin, fee: "170000", plutus_contracts: [] }
  const confirmed = {
    status: "confirmed",
    confirmations: 11,
    block: 90,
    at: begin,
    fee: 170_000n,
    final: false
  } as const
  /** Koios with these rows; its newest block is this many slots after the begin. */
  const koios =
    (rows: unknown, slot = 100): Host =>
    ({ body, url: { pathname } }) => {
      if (pathname.endsWith("/tip")) return json([{ hash, block_no: 100, block_time: begin + slot }])
      if (!pathname.endsWith("/tx_info")) return json([tipBlock(begin + slot)])
      return json(typeof rows === "function" ? rows(JSON.parse(body)._tx_hashes) : rows)
    }
  const tipBlock = (time: number) => ({
    hash,
    epoch_no: epochAt(time),
    abs_slot: slotAt(time),
    epoch_slot: epochSlotAt(time),
    block_height: 100,
    block_time: time,
    block_size: 1,
    vrf_key: "",
    pool: "",
    op_cert: "",
    op_cert_counter: 1,
    tx_count: 0,
    total_output: "0",
    total_fees: "0",
    num_confirmations: 0,
    parent_hash: hash,
    child_hash: null,
    proto_major: 10,
    proto_minor: 0
  })
  const over = (hosts: Record<string, Host>, lastSlot?: string) =>
    statusesOver(
      "cardano",
      hosts,
      { KOIOS_URL: "http://koios.test" },
      lastSlot === undefined ? undefined : storeOf(lastSlot)
    )
  const status = (host: Host): Effect.Effect<unknown> =>
    Effect.gen(function* () {
      yield* TestClock.setTime((begin + 100) * 1000)
      const { read } = yield* over({ "koios.test": host })
      return stateOf((yield* read(hash))[0])
    }).pipe(Effect.scoped, Effect.orDie)

  it("is expired only when its last slot is stable: until then, a fork may include it", function* () {
    const hosts = { "koios.test": koios([], 101) }
    yield* TestClock.setTime((begin + 102) * 1000)
    const { read } = yield* over(hosts, String(slotAt(begin + 100)))
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [notFound])
    hosts["koios.test"] = koios([row], 102)
    assert.deepStrictEqual<unknown>((yield* read(hash)).map(stateOf), [confirmed])
    for (const [slot, expected] of [
      [43_300, "not_found"],
      [43_301, "expired"]
    ] as const) {
      hosts["koios.test"] = koios([], slot)
      yield* TestClock.setTime((begin + slot) * 1000)
      assert.deepStrictEqual((yield* read(hash)).map(stateOf), [{ status: expected }])
    }
  })

  it("is that of its block; a failed script pays the collateral, whose amount is not returned", function* () {
    assert.deepStrictEqual(yield* status(koios([row])), confirmed)
    const { fee: _, ...failed } = confirmed
    const invalid = { ...row, plutus_contracts: [{ valid_contract: false }] }
    assert.deepStrictEqual(yield* status(koios([invalid])), { ...failed, status: "failed" })
  })

  it("is not found without a row, and unknown if the source returns something else", function* () {
    assert.deepStrictEqual(yield* status(koios([])), notFound)
    for (const wrong of [
      koios([{ ...row, tx_hash: other }]),
      koios([{ ...row, block_height: 102 }]),
      koios({}),
      koios([{ ...row, fee: "-1" }])
    ])
      assert.strictEqual(yield* status(wrong), "bad_answer")
    // A row that cannot be decoded says nothing about the others.
    assert.deepStrictEqual(yield* status(koios([row, { ...row, tx_hash: other, fee: "-1" }])), confirmed)
    // Nor does a second one of the same transaction: the others are requested once more.
    const hashes = [hash, other, "c".repeat(64)]
    const mixed = (ids: ReadonlyArray<string>) =>
      ids.length < 3
        ? ids.map((tx_hash) => ({ ...row, tx_hash }))
        : [row, { ...row, tx_hash: other }, { ...row, tx_hash: other, fee: "1" }]
    const { read } = yield* over({ "koios.test": koios(mixed) })
    assert.deepStrictEqual<unknown>((yield* read(...hashes)).map(stateOf), [confirmed, confirmed, confirmed])
    // Whether its scripts failed is not known then.
    for (const plutus_contracts of [undefined, null, [{}], [{ valid_contract: null }]])
      assert.strictEqual(yield* status(koios([{ ...row, plutus_contracts }])), "bad_answer")
  })
})

describe("the status of a TON transaction", () => {
  const row = {
    hash,
    now: 5,
    mc_block_seqno: 90,
    description: { aborted: false, action: { success: true } },
    in_msg: { hash: "c3".repeat(32), hash_norm: other }
  }
  const confirmed = { status: "confirmed", at: 5, block: 90, final: false } as const
  const toncenter = (transactions: unknown, ofMessage: unknown = [], time = 0): Host => {
    const rows: Readonly<Record<string, unknown>> = {
      tx_hash: transactions,
      msg_hash: ofMessage,
      "/api/v3/transactions": transactions,
      "/api/v3/transactionsByMessage": ofMessage
    }
    return ({ url }) => {
      const head = tonHead(url, time)
      if (head !== undefined) return head
      if (url.pathname !== "/api/v3/traces") return json({ transactions: rows[url.pathname] })
      const found = rows[url.searchParams.has("tx_hash") ? "tx_hash" : "msg_hash"] ?? []
      const isFound = Array.isArray(found) && found.length > 0
      return json({ traces: isFound ? [{ transactions: { ...found } }] : [] })
    }
  }
  const tonapi =
    (transaction?: unknown, time = 0): Host =>
    ({ url }) =>
      tonHead(url, time) ??
      (transaction === undefined ? json({ error: "entity not found" }, { status: 404 }) : json(transaction))
  const status = (first: Host, second: Host, id = hash, ...notes: ReadonlyArray<string>): Effect.Effect<unknown> =>
    Effect.gen(function* () {
      const { read } = yield* statusesOver(
        "ton",
        { "toncenter.test": first, "tonapi.test": second },
        { TONCENTER_URL: "http://toncenter.test", TONAPI_URL: "http://tonapi.test", TONCENTER_PER_SECOND: "1000" },
        notes.length === 0 ? undefined : storeOf(...notes)
      )
      return stateOf((yield* read(id))[0])
    }).pipe(Effect.scoped, Effect.orDie)

  it("is expired if blocks at both indexers are two minutes later than the last time of the order", function* () {
    const at = (time: number) => status(toncenter([], [], time), tonapi(undefined, time), hash, "10")
    assert.deepStrictEqual(yield* at(130), notFound)
    assert.deepStrictEqual(yield* at(131), { status: "expired" })
    assert.strictEqual(yield* status(toncenter([], [], 131), tonapi(undefined, 130), hash, "10"), "bad_answer")
    assert.deepStrictEqual(yield* status(toncenter([row], [], 131), down, hash, "10"), confirmed)
  })

  it("is not expired by a block of a shard that the masterchain may replace", function* () {
    const hosts = { "toncenter.test": toncenter([], [], 11), "tonapi.test": tonapi(undefined, 11) }
    const environment = { TONCENTER_URL: "http://toncenter.test", TONAPI_URL: "http://tonapi.test" }
    const { read } = yield* statusesOver("ton", hosts, environment, storeOf("10"))
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [notFound])
    hosts["toncenter.test"] = toncenter([row], [], 16)
    assert.deepStrictEqual<unknown>((yield* read(hash)).map(stateOf), [confirmed])
  })

  it("is not read at an indexer that lags", function* () {
    assert.deepStrictEqual(yield* status(toncenter([row], [], -10_000), tonapi({ hash, utime: 5, success: true })), {
      status: "confirmed",
      at: 5,
      final: false
    })
  })
  const down = () => refused

  it("is that of its phases, found by its hash or by that of the message which caused it", function* () {
    assert.deepStrictEqual(yield* status(toncenter([row]), down), confirmed)
    assert.deepStrictEqual(yield* status(toncenter([], [row]), down, other), confirmed)
    // By the hash of the message that was sent, which is not normalized, and with which nodes confirm that they took it.
    assert.deepStrictEqual(yield* status(toncenter([], [row]), down, "d4".repeat(32), "", other), confirmed)
    for (const description of [{ aborted: true }, { aborted: false, action: { success: false } }])
      assert.deepStrictEqual(yield* status(toncenter([{ ...row, description }]), down), {
        ...confirmed,
        status: "failed"
      })
    assert.deepStrictEqual(yield* status(toncenter([{ ...row, emulated: true }]), down), pending)
    assert.deepStrictEqual(yield* status(down, tonapi({ hash, utime: 5, success: true })), {
      status: "confirmed",
      at: 5,
      final: false
    })
  })

  it("is read with all others in one call, and alone if the indexer cannot do that", function* () {
    const over = (traces: boolean) =>
      statusesOver(
        "ton",
        {
          "toncenter.test": (request) =>
            traces || request.url.pathname !== "/api/v3/traces"
              ? toncenter([row], [row])(request)
              : json({}, { status: 404 }),
          "tonapi.test": down
        },
        { TONCENTER_URL: "http://toncenter.test", TONAPI_URL: "http://tonapi.test", TONCENTER_PER_SECOND: "1000" }
      )
    const absent = "e5".repeat(32)
    for (const [traces, lookups] of [
      [true, ["/api/v3/traces"]],
      [false, ["/api/v3/traces", "/api/v3/transactions"]]
    ] as const) {
      const { read, requests } = yield* over(traces)
      const hashes = traces ? [hash, other] : [hash]
      assert.deepStrictEqual<unknown>(
        (yield* read(...hashes)).map(stateOf),
        hashes.map(() => confirmed)
      )
      const paths = requests.map(({ url }) => url).filter(({ host }) => host === "toncenter.test")
      assert.deepStrictEqual<unknown>(
        paths.map(({ pathname }) => pathname).filter((path) => path !== "/api/v3/masterchainInfo"),
        lookups
      )
    }
    const { read, requests } = yield* over(true)
    assert.deepStrictEqual((yield* read(absent)).map(stateOf), ["upstream_error"])
    assert.isTrue(requests.some(({ url }) => url.search === `?tx_hash=${absent}&limit=1`))
  })

  it("is not lost with another trace that cannot be read, and is alone if its own cannot be", function* () {
    const single = { ...row, hash: other, in_msg: null }
    const own = { transactions: { [hash]: row } }
    for (const trace of [{ transactions: "text" }, "text", null, { transactions: { [other]: { hash: null } } }, {}]) {
      const { read } = yield* statusesOver(
        "ton",
        {
          "toncenter.test": (request) =>
            request.url.pathname === "/api/v3/traces"
              ? json({ traces: request.url.searchParams.has("tx_hash") ? [trace, own] : [] })
              : toncenter([single])(request),
          "tonapi.test": down
        },
        { TONCENTER_URL: "http://toncenter.test", TONAPI_URL: "http://tonapi.test", TONCENTER_PER_SECOND: "1000" }
      )
      assert.deepStrictEqual<unknown>((yield* read(hash, other)).map(stateOf), [confirmed, confirmed])
    }
  })

  it("is not that of a trace which is listed twice with different values", function* () {
    const failed = { ...row, description: { aborted: true } }
    const { read } = yield* statusesOver(
      "ton",
      {
        "toncenter.test": (request) =>
          request.url.pathname === "/api/v3/traces"
            ? json({ traces: [row, failed].map((one) => ({ transactions: { [hash]: one } })) })
            : (tonHead(request.url, 0) ?? refused),
        "tonapi.test": down
      },
      { TONCENTER_URL: "http://toncenter.test", TONAPI_URL: "http://tonapi.test", TONCENTER_PER_SECOND: "1000" }
    )
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), ["upstream_error"])
  })

  it("has no block or time that the network does not have yet, or never had", function* () {
    const [since, now] = [Date.UTC(2026, 10) / 1000, Date.UTC(2026, 10, 29) / 1000]
    yield* TestClock.setTime(1000 * now)
    const at = (change: object) => status(toncenter([{ ...row, now: since, ...change }], [], now), down)
    assert.deepStrictEqual(yield* at({}), { ...confirmed, at: since })
    for (const change of [{ now: Date.UTC(2100, 0) / 1000 }, { now: 86_400 }, { mc_block_seqno: 50_000_000 }])
      assert.strictEqual(yield* at(change), "upstream_error")
    const alone = (utime: number) => status(down, tonapi({ hash, utime, success: true }, now))
    assert.deepStrictEqual(yield* alone(since), { status: "confirmed", at: since, final: false })
    assert.strictEqual(yield* alone(Date.UTC(2100, 0) / 1000), "bad_answer")
  })

  it("is failed if the wallet skipped all messages that it should send, and confirmed if it sent one", function* () {
    const skipping = { aborted: false, action: { success: true, skipped_actions: 1 } }
    const single = { hash, utime: 5, success: true, action_phase: { success: true, skipped_actions: 1 } }
    for (const [out_msgs, expected] of [
      [[], "failed"],
      [[{}], "confirmed"]
    ] as const) {
      const listed = { ...row, description: skipping, out_msgs }
      assert.deepStrictEqual(yield* status(toncenter([listed]), down), { ...confirmed, status: expected })
      assert.deepStrictEqual(yield* status(toncenter([], [listed]), down, other), { ...confirmed, status: expected })
      assert.deepStrictEqual(yield* status(down, tonapi({ ...single, out_msgs })), {
        status: expected,
        at: 5,
        final: false
      })
    }
  })

  it("is not found if both indexers do not have it, and never another transaction", function* () {
    assert.deepStrictEqual(yield* status(toncenter([]), tonapi()), notFound)
    assert.strictEqual(yield* status(toncenter([]), down), "upstream_error")
    for (const wrong of [toncenter([{ ...row, hash: other }]), toncenter([{ hash }]), toncenter([{}])])
      assert.strictEqual(yield* status(wrong, down), "upstream_error")
    assert.deepStrictEqual(
      yield* status(toncenter([{ ...row, hash: other }]), tonapi({ hash, utime: 5, success: true })),
      {
        status: "confirmed",
        at: 5,
        final: false
      }
    )
  })
})

describe("the status of a Polkadot extrinsic", () => {
  const id = `0x${hash}`
  const row = { extrinsic_hash: id, block_num: 90, block_timestamp: 5, success: true, finalized: true, fee_used: "156" }
  const confirmed = { status: "confirmed", block: 90, at: 5, fee: 156n, final: true } as const
  /** The status at Subscan, which has this extrinsic on Asset Hub, and `old` on the relay chain. */
  const status = (
    data: unknown,
    environment: Readonly<Record<string, string>> = { SUBSCAN_API_KEY: "key" },
    old: unknown = null
  ) =>
    Effect.gen(function* () {
      const host = () => json({ code: 0, data })
      const { read } = yield* statusesOver(
        "polkadot",
        { "hub.test": host, "relay.test": () => json({ code: 0, data: old }) },
        { SUBSCAN_URL: "http://hub.test", SUBSCAN_RELAY_URL: "http://relay.test", ...environment }
      )
      return stateOf((yield* read(id))[0]) as unknown
    }).pipe(Effect.scoped, Effect.orDie)

  it("is that of its block at Subscan, which needs a key", function* () {
    assert.deepStrictEqual(yield* status(row), confirmed)
    assert.deepStrictEqual(yield* status({ ...row, success: false }), { ...confirmed, status: "failed" })
    for (const [event_id, expected] of [
      ["ExtrinsicFailed", "failed"],
      ["ExtrinsicSuccess", "confirmed"]
    ] as const)
      assert.deepStrictEqual(yield* status({ ...row, event: [{ module_id: "system", event_id }] }), {
        ...confirmed,
        status: expected
      })
    const ended = { module_id: "system", event_id: "ExtrinsicSuccess" }
    const event = (name: string, value: unknown, isText = true) => {
      const [module_id = "", event_id = ""] = name.split(".")
      const params = [{ name: event_id === "BatchInterrupted" ? "index" : "result", value }]
      return { module_id, event_id, params: isText ? JSON.stringify(params) : params }
    }
    const error = { Error: { Module: { error: 2, index: 10 } } }
    const [bad, good] = [event("proxy.ProxyExecuted", error), event("proxy.ProxyExecuted", { Ok: "NULL" })]
    const [none, part] = [event("utility.BatchInterrupted", 0), event("utility.BatchInterrupted", 1)]
    const whole = event("utility.BatchCompleted", null)
    for (const [expected, ...events] of [
      ["failed", bad],
      ["failed", none],
      ["failed", event("multisig.MultisigExecuted", { Err: "Token" })],
      ["failed", event("multisig.MultisigExecuted", error, false)],
      // A proxy that starts a batch: the event of the inner call comes first.
      ["failed", none, good],
      ["failed", whole, bad],
      ["confirmed", part],
      ["confirmed", whole, good],
      ["confirmed", bad, none, whole],
      ["confirmed", bad, event("utility.BatchCompletedWithErrors", null)],
      ["confirmed", good],
      ["confirmed", { ...bad, params: "?" }],
      ["confirmed", { module_id: "proxy", event_id: "ProxyExecuted" }]
    ] as const)
      assert.deepStrictEqual(
        yield* status({ ...row, event: [...events, ended] }),
        { ...confirmed, status: expected },
        JSON.stringify(events)
      )
    assert.deepStrictEqual(yield* status({ ...row, finalized: false }), { ...confirmed, final: false })
    // By its age, if Subscan does not say whether its block is finalized.
    assert.deepStrictEqual(yield* status({ ...row, finalized: null }), { ...confirmed, final: false })
    yield* TestClock.setTime(1_000_000)
    assert.deepStrictEqual(yield* status({ ...row, finalized: null }), confirmed)
    assert.deepStrictEqual(yield* status(null), notFound)
    assert.strictEqual(yield* status(row, {}), "not_configured")
    const failed = { ...row, success: false }
    assert.deepStrictEqual(yield* status({ ...failed, event: [none, ended] }), { ...confirmed, status: "failed" })
    for (const wrong of [
      { ...row, extrinsic_hash: other },
      { extrinsic_hash: id },
      { ...row, success: "yes" },
      { ...failed, event: [ended] }
    ])
      assert.strictEqual(yield* status(wrong), "bad_answer")
  })

  it("has no block if it is on the relay chain, whose heights are not those of Asset Hub", function* () {
    const { block: _, ...withoutBlock } = confirmed
    assert.deepStrictEqual(yield* status(null, undefined, row), withoutBlock)
  })

  it("is pending in the pool, where it has not failed and has no block", function* () {
    const waiting = { ...row, pending: true, finalized: false, success: false, block_num: 0, block_timestamp: 0 }
    assert.deepStrictEqual(yield* status(waiting), pending)
    const event = [{ module_id: "system", event_id: "ExtrinsicSuccess" }]
    assert.deepStrictEqual(yield* status({ ...waiting, event }), pending)
  })

  describe("which this service has sent", () => {
    const account: Hex = `0x${"5".repeat(64)}`
    const blockHash = (number: number): Hex => `0x${number.toString(16).padStart(64, "0")}`
    const info = (nonce: number) => `0x${le(BigInt(nonce), 4)}${"0".repeat(152)}`
    const second = (block: number) => 6 * (block - 1_000)
    /** A node whose finalized block is this one: block 1,000 was made at second 0. */
    const chain = (finalized: number, stored: string | null = info(70), hasOld = true): Host =>
      node(({ method, params: [first, at] }) => {
        if (method === "chain_getBlockHash") return first === 0 ? genesis : blockHash(Number(first))
        if (method === "chain_getFinalizedHead") return blockHash(finalized)
        if (method === "chain_getHeader") return { number: `0x${Number(first).toString(16)}` }
        if (method === "state_getRuntimeVersion")
          return { specName: "statemint", specVersion: 1, transactionVersion: 1 }
        if (first === accountKey(account)) return at === blockHash(finalized) ? stored : info(1)
        const block = Number(at)
        return first === timestampKey && (hasOld || block === finalized)
          ? `0x${le(BigInt(1_000 * Math.max(0, second(block))), 8)}`
          : new Error("State already discarded")
      })
    const readAt = (clock: number, notes: ReadonlyArray<string>, host: Host, data: unknown = null) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_000 * clock)
        const subscan = () => json({ code: 0, data })
        const { read, requests } = yield* statusesOver(
          "polkadot",
          { "hub.test": subscan, "relay.test": () => json({ code: 0, data: null }), "node.test": host },
          {
            SUBSCAN_URL: "http://hub.test",
            SUBSCAN_RELAY_URL: "http://relay.test",
            SUBSCAN_API_KEY: "key",
            POLKADOT_RPC_URLS: "http://node.test"
          },
          storeOf(...notes)
        )
        const state: unknown = stateOf((yield* read(id))[0])
        return { state, calls: requests.filter(({ url }) => url.host === "node.test").length }
      }).pipe(Effect.scoped, Effect.orDie)
    const notes = [account, "70", "64", "10"]

    it("is expired if its era is over in finalized blocks, and its nonce is unused there", function* () {
      // Sent at second 10; block 1,007 is the first that is half a minute later, and its era ends 64 blocks after it.
      for (const [finalized, expected] of [
        [1_070, "not_found"],
        [1_071, "expired"]
      ] as const)
        assert.deepStrictEqual(
          (yield* readAt(430, notes, chain(finalized))).state,
          { status: expected },
          `${finalized}`
        )
      // The indexer has it: a fork of the last block included it.
      assert.deepStrictEqual((yield* readAt(430, notes, chain(1_071), row)).state, confirmed)
    })

    it("is not expired if its nonce is used, or may be, or the node cannot say", function* () {
      for (const host of [
        chain(1_071, info(71)),
        chain(1_071, info(69)),
        chain(1_071, null),
        chain(1_071, "0x46"),
        chain(1_071, info(70), false),
        chain(64),
        () => refused
      ])
        assert.deepStrictEqual((yield* readAt(430, notes, host)).state, notFound)
      for (const other of [
        [account, "0", "64", "10"],
        [account, "70", "64", "400"],
        [account, "70", "64"],
        ["../x", "70", "64", "10"],
        [account, "70", "64", "x"],
        [account, "70", "65536", "10"]
      ])
        assert.deepStrictEqual(yield* readAt(430, other, chain(1_071, info(Number(other[1])))), {
          state: notFound,
          calls: 0
        })
    })
  })

  it("has no fee if Subscan returns only an estimate", function* () {
    const { fee: _, ...unknown } = confirmed
    assert.deepStrictEqual(yield* status({ ...row, fee: "200", fee_used: null }), unknown)
    assert.deepStrictEqual(yield* status({ ...row, fee: "200" }), confirmed)
  })
})

describe("slow transactions", () => {
  /** Hosts that respond after 900 ms each, but never about the last transaction. */
  it("take no other with them: at the deadline, those that were read are returned", function* () {
    const hashes = Array.from({ length: 60 }, (_, index) => String(index + 10).repeat(32))
    const never = hashes.at(-1) ?? ""
    const slow =
      (host: Host): Host =>
      (request) =>
        request.url.href.includes(never) || request.body.includes(never)
          ? Effect.never
          : Effect.delay(host(request), "900 millis")
    const esplora: Host = ({ url: { pathname } }) => {
      if (pathname === "/blocks/tip/hash") return text(hash)
      return pathname.startsWith("/block/")
        ? json({ height: 1, timestamp: 0 })
        : text("Transaction not found", { status: 404 })
    }
    for (const [network, host, environment] of [
      ["litecoin", esplora, { LITECOIN_ESPLORA_URLS: "http://host.test", LITECOIN_BLOCKBOOK_URLS: "," }],
      [
        "ton",
        ({ url }: SentRequest) =>
          tonHead(url) ?? json({ transactions: [{ hash: url.searchParams.get("hash"), now: 5, description: {} }] }),
        { TONCENTER_URL: "http://host.test", TONCENTER_PER_SECOND: "1000" }
      ],
      [
        "polkadot",
        () => json({ code: 0, data: null }),
        { SUBSCAN_URL: "http://host.test", SUBSCAN_RELAY_URL: "http://host.test", SUBSCAN_API_KEY: "key" }
      ]
    ] as const) {
      const { read } = yield* statusesOver(network, { "host.test": slow(host) }, environment)
      const ids = network === "polkadot" ? hashes.map((id) => `0x${id}`) : hashes
      const states = (yield* read(...ids)).map(stateOf)
      assert.isAtLeast(states.filter((state) => typeof state !== "string").length, 8, network)
      assert.strictEqual(states.at(-1), "timeout", network)
    }
  })
})

recorded("the status in recorded responses", () => {
  const bodyOf = (provider: string, name: string) => json(exactBody(fixture(provider, name)))
  const read = (network: string, host: Host, hash: string, environment: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const { read } = yield* statusesOver(network, { "host.test": host }, environment)
      return stateOf((yield* read(hash))[0]) as unknown
    }).pipe(Effect.scoped, Effect.orDie)

  it("is read from Tron's node, Subscan and TON Center", function* () {
    const info = bodyOf("trongrid", "gettransactioninfobyid-trx-transfer")
    const block = 75_772_280
    const getblock = {
      blockID: `${block.toString(16).padStart(16, "0")}${"0".repeat(48)}`,
      block_header: { raw_data: { number: block, timestamp: 0 } }
    }
    const tron: Host = ({ url }) => (url.pathname.endsWith("/getblock") ? json(getblock) : info)
    const id = String((exactBody(fixture("trongrid", "gettransactioninfobyid-trx-transfer")) as { id: string }).id)
    assert.deepStrictEqual(yield* read("tron", tron, id, { TRONGRID_URL: "http://host.test" }), {
      status: "confirmed",
      confirmations: 11,
      block: 75_772_270,
      at: 1_757_976_723,
      fee: 1_100_000n,
      final: false
    })
    const subscan = { SUBSCAN_URL: "http://host.test", SUBSCAN_API_KEY: "key" }
    const extrinsic = "polkadot-extrinsic-transfer"
    const { data } = exactBody(fixture("subscan", extrinsic)) as { data: { extrinsic_hash: string } }
    assert.deepStrictEqual(yield* read("polkadot", () => bodyOf("subscan", extrinsic), data.extrinsic_hash, subscan), {
      status: "confirmed",
      block: 16_097_417,
      at: 1_687_547_412,
      fee: 157_316_518n,
      final: true
    })
    const last = { seqno: 50_429_700, gen_utime: "0" }
    const ton: Host = ({ url }) =>
      url.pathname.endsWith("/masterchainInfo")
        ? json({ last })
        : url.pathname.endsWith("ByMessage")
          ? bodyOf("toncenter-v3", "tx-transfer-success")
          : json({ transactions: [] })
    const message = Buffer.from("UKhWFkZX2M/HdtDKOugm+qjkPhxa/2Nov06RFo2tXAg=", "base64").toString("hex")
    assert.deepStrictEqual(yield* read("ton", ton, message, { TONCENTER_URL: "http://host.test" }), {
      status: "confirmed",
      at: 1_753_968_698,
      block: 50_429_627,
      final: false
    })
  })
})
