import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { NodeResponse, ReadFailure } from "../../../src/chains/Chain.ts"
import { brokenBody, json, neverResponds, type Reply, refused, text } from "../../support/http.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { serialize } from "../../support/rawTransactions.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { hash, hex, made, only, type Replies, runOver } from "./sends.ts"

const other = { ...made, lockTime: 7 }

const answered = (outcome: Either.Either<NodeResponse, ReadFailure>) =>
  Either.getOrElse(outcome, ({ message }): NodeResponse => ({ verdict: "refused", body: message, contentType: "none" }))

const failure = (outcome: Either.Either<NodeResponse, ReadFailure>) =>
  Either.getOrElse(Either.flip(outcome), () => ({ reason: "none", message: "" }))

const result = (value: string) => ({ result: value, error: null, id: 1 })
const error = (code: number, message: string, id: unknown = 1) =>
  json({ result: null, error: { code, message }, id }, { status: 500 })

/** Response with the exact spaces of bitcoind. */
const raw = (value: string) => text(`{"result":"${value}", "error":null,"id":1}\n`, { status: 200 })

/** Replies after which it is unknown whether the transaction arrived. */
const ambiguousReplies: Readonly<Record<string, Reply>> = {
  hangs: neverResponds,
  "resets the connection": Effect.fail({ code: "ECONNRESET" }),
  "closes the connection mid-response": brokenBody('{"result":"'),
  "returns truncated JSON": text('{"result":"ab', { status: 200 }),
  "returns HTML": text("<html>hello</html>", { status: 200 }),
  "returns an empty body": text("", { status: 200 }),
  "returns HTML with HTTP 500": text("<html>oops</html>", { status: 500 }),
  "returns HTTP 502": text("bad gateway", { status: 502 }),
  "returns HTTP 504": json({ result: null, error: { code: -26, message: "no" }, id: 1 }, { status: 504 })
}

/** Replies after which the transaction certainly has not arrived. */
const rejectedBeforeArrival: Readonly<Record<string, Reply>> = {
  "refuses connections": refused,
  "returns HTTP 401": text("", { status: 401 }),
  "returns HTTP 403": text("<html>no</html>", { status: 403 }),
  "returns HTTP 429": text("slow down", { status: 429 }),
  "does not have the path": text("<html>not found</html>", { status: 404 }),
  "does not accept a body of this size": text("too large", { status: 413 })
}

describe("a raw transaction that is sent", () => {
  it("goes to the operator's node first, with its password, and the node's response is returned unchanged", function* () {
    const { requests, outcome } = yield* runOver("send", { node: raw(hash) })
    assert.deepStrictEqual(
      outcome,
      Either.right({
        verdict: "done",
        body: `{"result":"${hash}", "error":null,"id":1}\n`,
        contentType: "application/json"
      })
    )
    assert.strictEqual(requests.length, 1)
    assert.strictEqual(requests[0]?.headers.authorization, `Basic ${Buffer.from("tester:secret").toString("base64")}`)
    const { method, params } = JSON.parse(requests[0]?.body ?? "")
    assert.deepStrictEqual([method, params], ["sendrawtransaction", [hex]])
  })

  it("goes to an indexer if there is no node, and success has bitcoind's format", function* () {
    const expected: Either.Either<NodeResponse, ReadFailure> = Either.right({
      verdict: "done",
      body: JSON.stringify({ result: hash, error: null, id: null }),
      contentType: "application/json"
    })
    const book = yield* runOver("send", { blockbook: json({ result: hash }) }, only("BLOCKBOOK"))
    assert.deepStrictEqual(book.outcome, expected)
    assert.deepStrictEqual(
      book.requests.map(({ body, method, url }) => [method, url.pathname, body]),
      [["POST", "/api/v2/sendtx/", hex]]
    )
    const esplora = yield* runOver("send", { esplora: text(hash) }, only("ESPLORA"))
    assert.deepStrictEqual(esplora.outcome, expected)
    assert.deepStrictEqual(
      esplora.requests.map(({ body, method, url }) => [method, url.pathname, body]),
      [["POST", "/tx", hex]]
    )
  })

  for (const [fault, reply] of Object.entries(ambiguousReplies)) {
    it(`is not sent again if a source ${fault}, and the failure says that it may have arrived`, function* () {
      for (const kind of ["RPC", "BLOCKBOOK", "ESPLORA"] as const) {
        const host = kind === "RPC" ? "node" : kind.toLowerCase()
        const { hosts, outcome } = yield* runOver("send", { [host]: reply }, only(kind))
        assert.match(failure(outcome).message, new RegExp(`may have arrived: look it up \\(${hash}\\)`), kind)
        assert.deepStrictEqual(hosts, [host], kind)
      }
      const { hosts } = yield* runOver("send", { node: reply, node2: raw(hash), blockbook: json({ result: hash }) })
      assert.deepStrictEqual(hosts, ["node"])
    })
  }

  for (const [fault, reply] of Object.entries(rejectedBeforeArrival))
    it(`goes to the next source if one ${fault}`, function* () {
      const second = yield* runOver("send", { node: reply, node2: raw(hash) })
      assert.deepStrictEqual(second.hosts, ["node", "node2"])
      assert.strictEqual(answered(second.outcome).verdict, "done")
      const third = yield* runOver("send", { node: reply, node2: reply, blockbook: reply, esplora: text(hash) })
      assert.deepStrictEqual(third.hosts, ["node", "node2", "blockbook", "esplora"])
      assert.strictEqual(answered(third.outcome).verdict, "done")
      const none = yield* runOver("send", { node: reply, node2: reply, blockbook: reply, esplora: reply })
      assert.notMatch(failure(none.outcome).message, /arrived/)
      assert.deepStrictEqual(none.hosts, ["node", "node2", "blockbook", "esplora"])
    })

  it("goes to the next source if a node is starting, is too busy, or does not have the method", function* () {
    for (const reply of [
      error(-28, "Loading block index..."),
      error(-32601, "Method not found", null),
      text("Work queue depth exceeded", { status: 503 })
    ]) {
      const { hosts, outcome } = yield* runOver("send", { node: reply, node2: raw(hash) })
      assert.deepStrictEqual(hosts, ["node", "node2"])
      assert.strictEqual(answered(outcome).verdict, "done")
    }
  })

  it("is refused with the response of the source that refuses it, and is sent to no other source", function* () {
    for (const [code, message] of [
      [-22, "TX decode failed"],
      [-26, "min relay fee not met, 1 < 2"],
      [-26, "258: txn-mempool-conflict"]
    ] as const) {
      const body = { code, message }
      for (const [host, kind, reply] of [
        ["node", "RPC", error(code, message)],
        ["blockbook", "BLOCKBOOK", json({ error: `${code}: ${message}` }, { status: 400 })],
        ["esplora", "ESPLORA", text(`sendrawtransaction RPC error: ${JSON.stringify(body)}`, { status: 400 })],
        ["esplora", "ESPLORA", text(`sendrawtransaction RPC error ${code}: ${message}`, { status: 400 })]
      ] as const) {
        const { hosts, outcome } = yield* runOver("send", { [host]: reply }, only(kind))
        const sent = yield* Effect.promise(async () =>
          (await Effect.runPromise(reply as Effect.Effect<Response>)).text()
        )
        assert.deepStrictEqual(
          { verdict: answered(outcome).verdict, body: answered(outcome).body },
          { verdict: "refused", body: sent }
        )
        assert.strictEqual(
          answered(outcome).contentType,
          host === "esplora" ? "text/plain; charset=utf-8" : "application/json"
        )
        assert.deepStrictEqual(hosts, [host])
      }
    }
  })

  it("counts as sent, under its own hash, if the source already has it", function* () {
    for (const [code, message] of [
      [-27, "Transaction already in block chain"],
      [-27, "Transaction outputs already in utxo set"],
      [-26, "txn-already-known"],
      [-26, "257: txn-already-known"],
      [-26, "txn-already-in-mempool"]
    ] as const)
      for (const [host, kind, reply, id] of [
        ["node", "RPC", error(code, message), 1],
        ["blockbook", "BLOCKBOOK", json({ error: `${code}: ${message}` }, { status: 400 }), null],
        [
          "esplora",
          "ESPLORA",
          text(`sendrawtransaction RPC error: {"code":${code},"message":"${message}"}`, { status: 400 }),
          null
        ]
      ] as const) {
        const { outcome } = yield* runOver("send", { [host]: reply }, only(kind))
        assert.deepStrictEqual(
          outcome,
          Either.right({
            verdict: "done",
            body: JSON.stringify({ result: hash, error: null, id }),
            contentType: "application/json"
          })
        )
      }
  })

  it("may have arrived if the node accepts it under another hash, and is not sent again", function* () {
    const { hosts, outcome } = yield* runOver("send", { node: raw("cd".repeat(32)), node2: raw(hash) })
    assert.match(failure(outcome).message, /another hash; the transaction may have arrived/)
    assert.deepStrictEqual(hosts, ["node"])
  })

  it("is not confirmed by the response to another call, and may have arrived", function* () {
    for (const reply of [
      json({ ...result(hash), id: 2 }),
      json({ ...result(hash), id: null }),
      error(-26, "no", 7),
      json(result("258: txn-mempool-conflict")),
      json({ id: 1 }),
      error(-32603, "internal error")
    ]) {
      const { hosts, outcome } = yield* runOver("send", { node: reply, node2: raw(hash) })
      assert.match(failure(outcome).message, /may have arrived/)
      assert.deepStrictEqual(hosts, ["node"])
    }
  })

  it("is not refused if a Blockbook reports a failure of the node behind it", function* () {
    for (const message of [
      'Post "http://127.0.0.1:8030": dial tcp 127.0.0.1:8030: connect: connection refused',
      "context deadline exceeded",
      "unexpected EOF"
    ]) {
      const reply = json({ error: message }, { status: 400 })
      const { outcome } = yield* runOver("send", { blockbook: reply }, only("BLOCKBOOK"))
      assert.match(
        failure(outcome).message,
        /the node did not say whether it accepted it .*; the transaction may have arrived/
      )
    }
  })

  it("is not sent if no source is configured, and the error names the variables", function* () {
    for (const { info, layer } of [Bitcoin, Bch, Litecoin, Dogecoin]) {
      const prefix = info.id.toUpperCase()
      const off = Object.fromEntries(["RPC", "BLOCKBOOK", "ESPLORA"].map((kind) => [`${prefix}_${kind}_URLS`, ","]))
      const { requests, outcome } = yield* runOver("send", {}, off, { info, layer })
      assert.deepStrictEqual(failure(outcome), {
        reason: "not_configured",
        message: `no source for raw transactions is configured for ${info.name}: set ${prefix}_RPC_URLS, ${prefix}_BLOCKBOOK_URLS or ${prefix}_ESPLORA_URLS`
      })
      assert.deepStrictEqual(requests, [])
    }
  })
})

describe("a raw transaction that is looked up", () => {
  const everywhere: Replies = {
    node: error(-5, "No such mempool transaction. Use -txindex"),
    node2: raw(hex),
    blockbook: json({ txid: hash, hex }),
    esplora: text(hex)
  }

  it("comes from the operator's node, whose response is returned unchanged", function* () {
    const { requests, outcome } = yield* runOver("find", { node: raw(hex) })
    assert.deepInclude(answered(outcome), { verdict: "done", body: `{"result":"${hex}", "error":null,"id":1}\n` })
    const { method, params } = JSON.parse(requests[0]?.body ?? "")
    assert.deepStrictEqual([method, params], ["getrawtransaction", [hash]])
  })

  it("comes from an indexer in bitcoind's format if the node does not have it", function* () {
    const expected: Partial<NodeResponse> = {
      verdict: "done",
      body: JSON.stringify({ result: hex, error: null, id: null })
    }
    const book = yield* runOver("find", everywhere)
    assert.deepInclude(answered(book.outcome), expected)
    assert.deepStrictEqual(book.hosts, ["node", "blockbook"])
    assert.strictEqual(book.requests[1]?.url.pathname, `/api/v2/tx/${hash}`)
    const esplora = yield* runOver("find", everywhere, only("ESPLORA"))
    assert.deepInclude(answered(esplora.outcome), expected)
    assert.strictEqual(esplora.requests[0]?.url.pathname, `/tx/${hash}/hex`)
  })

  it("is unknown, with the response of the first source, if no source has it", function* () {
    const missing = error(-5, "No such mempool or blockchain transaction.")
    const nowhere = {
      node: missing,
      blockbook: json({ error: `Transaction '${hash}' not found` }, { status: 400 }),
      esplora: text("Transaction not found", { status: 404 })
    }
    const { hosts, outcome } = yield* runOver("find", nowhere)
    assert.deepStrictEqual(hosts, ["node", "blockbook", "esplora"])
    assert.strictEqual(answered(outcome).verdict, "unknown")
    assert.match(answered(outcome).body, /No such mempool or blockchain transaction/)
    const book = yield* runOver("find", nowhere, only("BLOCKBOOK"))
    assert.deepInclude(answered(book.outcome), { verdict: "unknown", contentType: "application/json" })
    const esplora = yield* runOver("find", nowhere, only("ESPLORA"))
    assert.deepInclude(answered(esplora.outcome), { verdict: "unknown", body: "Transaction not found" })
  })

  it("is not unknown at a node that cannot look into blocks", function* () {
    for (const more of [
      "Use -txindex to enable",
      "Blockchain transactions are still in the process of being indexed."
    ]) {
      const node = error(-5, `No such mempool transaction. ${more}`)
      const alone = yield* runOver("find", { node }, only("RPC"))
      assert.match(failure(alone.outcome).message, /^litecoin-rpc: has no index of the transactions in blocks/)
      const absent = { blockbook: json({ error: `Transaction '${hash}' not found` }, { status: 400 }) }
      const next = yield* runOver("find", { node, ...absent })
      assert.strictEqual(answered(next.outcome).verdict, "unknown")
    }
  })

  const wrong: Readonly<Record<string, Reply>> = {
    ...ambiguousReplies,
    ...rejectedBeforeArrival,
    "is starting": error(-28, "Loading block index..."),
    "responds to another call": json({ ...result(hex), id: 2 }),
    "returns another transaction": json(result(serialize(other))),
    "returns a part of the transaction": json(result(hex.slice(0, -2)))
  }
  for (const [fault, reply] of Object.entries(wrong))
    it(`is requested from the next source if the first ${fault}, and fails if all do`, function* () {
      const next = yield* runOver("find", { ...everywhere, node: reply })
      assert.strictEqual(answered(next.outcome).verdict, "done")
      assert.strictEqual(next.hosts.at(-1), "node2")
      const indexed = yield* runOver("find", { ...everywhere, node: reply, node2: reply })
      assert.strictEqual(indexed.hosts.at(-1), "blockbook")
      const all = yield* runOver("find", { node: reply, node2: reply, blockbook: reply, esplora: reply })
      assert.isTrue(Either.isLeft(all.outcome), JSON.stringify(all.outcome))
      assert.sameMembers([...new Set(all.hosts)], ["node", "node2", "blockbook", "esplora"])
    })
})
