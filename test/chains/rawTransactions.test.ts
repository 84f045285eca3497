import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import type { Statuses } from "../../src/chains/Chain.ts"
import { genesis } from "../../src/chains/polkadot/providers/substrate/Substrate.ts"
import * as PolkadotExtrinsic from "../../src/chains/polkadot/sending.ts"
import * as RippleTransaction from "../../src/chains/ripple/RippleTransaction.ts"
import * as TronTransaction from "../../src/chains/tron/TronTransaction.ts"
import { fixture, recorded, replay } from "../support/fixtures.ts"
import { brokenBody, json, neverResponds, type Reply, refused, type SentRequest, text } from "../support/http.ts"
import { network, ripplePayment, samples, tronRaw } from "../support/rawNetworks.ts"
import { noStatus, statusesWith } from "../support/rawTransactions.ts"
import { settled } from "../support/settled.ts"
import { assert, describe, it } from "../support/vitest.ts"

type Id = keyof typeof samples
const ids = ["ripple", "tron", "polkadot"] as const

const submit = (engine_result: string, more: object = {}) =>
  json({ result: { engine_result, tx_json: { hash: samples.ripple.hash }, status: "success", ...more } })
const failed = (error: string) => json({ result: { error, status: "error" } })
const broadcast = (members: object) => json(members)
const rejected = (code: string) => broadcast({ code, txid: samples.tron.hash, message: "6e6f" })
const rpc = (members: object) => json({ jsonrpc: "2.0", id: 1, ...members })
const rpcError = (code: number) => rpc({ error: { code, message: "no", data: "why" } })

/** True if a request only checks the node or looks up a transaction. */
const isCheck = ({ body }: SentRequest) => body.includes("chain_getBlockHash") || body.includes('"method":"tx"')
const checks = ({ body }: SentRequest): Reply =>
  body.includes("chain_getBlockHash") ? rpc({ result: genesis }) : failed("txnNotFound")

/** Sends a transaction through a network whose first node returns `first` and whose second node accepts it. */
const sent = Effect.fnUntraced(function* (
  id: Id,
  first: Reply,
  check: (request: SentRequest) => Reply = checks,
  statuses?: Statuses
) {
  const built = yield* network(id, (request) =>
    isCheck(request) ? check(request) : request.url.host === "first.test" ? first : accepted[id]
  )
  const answer = yield* settled(Effect.either(Either.getOrThrow(built.sending(samples[id].tx, statuses))))
  const calls = built.requests.filter((request) => !isCheck(request)).map(({ url }) => url.host)
  return { answer, calls, requests: built.requests }
})

const accepted = {
  ripple: submit("tesSUCCESS"),
  tron: broadcast({ result: true, code: "SUCCESS", txid: samples.tron.hash }),
  polkadot: rpc({ result: samples.polkadot.hash })
}

const bodyOf = (reply: Reply) =>
  Effect.flatMap(Effect.orDie(reply), (response) => Effect.promise(() => response.text()))

const once = ["first.test"]
const both = ["first.test", "second.test"]

describe("sending raw transactions on the XRP Ledger, Tron and Polkadot", () => {
  it("takes one call and returns the response unchanged", function* () {
    for (const id of ids) {
      const { answer, calls, requests } = yield* sent(id, accepted[id])
      const body = yield* bodyOf(accepted[id])
      assert.deepStrictEqual(answer, Either.right({ verdict: "done", body, contentType: "application/json" }))
      assert.deepStrictEqual(calls, once)
      assert.include(requests.at(-1)?.body.toLowerCase(), samples[id].tx.toLowerCase())
    }
  })

  const verdicts: ReadonlyArray<readonly [Id, Reply, "done" | "refused"]> = [
    ...["tecPATH_DRY", "terQUEUED", "terPRE_SEQ", "tefALREADY"].map(
      (code) => ["ripple", submit(code), "done"] as const
    ),
    ...["terPRE_SEQ", "terRETRY", "terOF_TOMORROW"].map(
      (code) => ["ripple", submit(code, { accepted: true }), "done"] as const
    ),
    ...["terPRE_SEQ", "telINSUF_FEE_P", "tefBAD_AUTH", "tefNO_TICKET"].map(
      (code) => ["ripple", submit(code, { accepted: false }), "refused"] as const
    ),
    ...["tefPAST_SEQ", "tefMAX_LEDGER", "temMALFORMED", "telWRONG_NETWORK"].map(
      (code) => ["ripple", submit(code, { accepted: true }), "refused"] as const
    ),
    ["ripple", failed("invalidTransaction"), "refused"],
    ["tron", rejected("DUP_TRANSACTION_ERROR"), "done"],
    ...["SIGERROR", "CONTRACT_VALIDATE_ERROR", "TRANSACTION_EXPIRATION_ERROR", "TAPOS_ERROR"].map(
      (code) => ["tron", rejected(code), "refused"] as const
    ),
    ["polkadot", rpcError(1013), "done"],
    ...[1001, 1010, 1014].map((code) => ["polkadot", rpcError(code), "refused"] as const)
  ]

  it("returns the node's verdict: an already known transaction is a success, a rejection keeps its reason", function* () {
    for (const [id, reply, verdict] of verdicts) {
      const { answer, calls } = yield* sent(id, reply)
      const body = yield* bodyOf(reply)
      const { body: said, verdict: found } = Either.getOrThrow(answer)
      assert.strictEqual(found, verdict, body)
      if (verdict === "refused") assert.strictEqual(said, body)
      assert.deepStrictEqual(calls, once, body)
    }
    // The response for an already known transaction has the format of a success.
    const known = yield* Effect.all([sent("tron", rejected("DUP_TRANSACTION_ERROR")), sent("polkadot", rpcError(1013))])
    assert.deepStrictEqual(
      known.map(({ answer }) => JSON.parse(Either.getOrThrow(answer).body)),
      [
        { result: true, txid: samples.tron.hash },
        { jsonrpc: "2.0", id: 1, result: samples.polkadot.hash }
      ]
    )
  })

  it("looks up a payment whose sequence number or ticket is used: only the same payment is a success", function* () {
    for (const past of [submit("tefPAST_SEQ"), submit("tefNO_TICKET", { accepted: false })]) {
      const own = yield* sent("ripple", past, checks, statusesWith("confirmed"))
      assert.strictEqual(Either.getOrThrow(own.answer).verdict, "done")
      const other = yield* sent("ripple", past, checks, statusesWith("not_found"))
      assert.deepStrictEqual([Either.getOrThrow(other.answer).verdict, other.calls], ["refused", once])
      const unknown = yield* sent("ripple", past, checks, statusesWith(noStatus))
      assert.include(Either.getOrThrow(Either.flip(unknown.answer)).message, "may have arrived: look it up")
      assert.deepStrictEqual(unknown.calls, once)
    }
  })

  it("looks up a payment with a code that decides nothing, or which the node keeps and tries again", function* () {
    for (const reply of [
      ...["terRETRY", "terNO_ACCOUNT", "terOF_TOMORROW", "telOF_TOMORROW", "telINSUF_FEE_P", "tefOF_TOMORROW"].map(
        (code) => submit(code)
      ),
      ...["terOF_TOMORROW", "tefEXCEPTION"].map((code) => submit(code, { accepted: false })),
      ...["telINSUF_FEE_P", "telCAN_NOT_QUEUE_FULL", "tefBAD_AUTH", "tefNO_TICKET"].map((code) =>
        submit(code, { accepted: true })
      )
    ]) {
      const own = yield* sent("ripple", reply, checks, statusesWith("pending"))
      assert.strictEqual(Either.getOrThrow(own.answer).verdict, "done")
      for (const status of ["not_found", noStatus] as const) {
        const unknown = yield* sent("ripple", reply, checks, statusesWith(status))
        assert.include(Either.getOrThrow(Either.flip(unknown.answer)).message, "may have arrived: look it up")
        assert.deepStrictEqual(unknown.calls, once)
      }
    }
  })

  it("looks up an extrinsic that the pool reports as banned or outdated: a block may include it", function* () {
    const outdated = rpc({ error: { code: 1010, message: "Invalid Transaction", data: "Transaction is outdated" } })
    for (const reply of [rpcError(1012), outdated]) {
      const own = yield* sent("polkadot", reply, checks, statusesWith("confirmed"))
      assert.deepStrictEqual(JSON.parse(Either.getOrThrow(own.answer).body), {
        jsonrpc: "2.0",
        id: 1,
        result: samples.polkadot.hash
      })
      for (const status of ["not_found", noStatus] as const) {
        const unknown = yield* sent("polkadot", reply, checks, statusesWith(status))
        assert.include(Either.getOrThrow(Either.flip(unknown.answer)).message, "may have arrived: look it up")
      }
    }
  })

  const unsent: ReadonlyArray<readonly [Id, Reply]> = [
    ...(["ripple", "polkadot"] as const).flatMap((id) =>
      [
        refused,
        text("<html>no</html>", { status: 403 }),
        text("slow down", { status: 429 }),
        text("<html>no such path</html>", { status: 404 }),
        text("too large", { status: 413 })
      ].map((reply) => [id, reply] as const)
    ),
    ...["tooBusy", "noNetwork", "notSynced", "unknownCmd"].map((error) => ["ripple", failed(error)] as const),
    ...[1016, -32601, -32029].map((code) => ["polkadot", rpcError(code)] as const)
  ]

  it("tries the next node if the first certainly did not accept the transaction", function* () {
    for (const [id, reply] of unsent) {
      const { answer, calls } = yield* sent(id, reply)
      assert.strictEqual(Either.getOrThrow(answer).verdict, "done")
      assert.deepStrictEqual(calls, both, id)
    }
    const wrong = yield* sent("polkadot", accepted.polkadot, ({ url }) =>
      rpc({ result: url.host === "first.test" ? `0x${"33".repeat(32)}` : genesis })
    )
    assert.deepStrictEqual([Either.isRight(wrong.answer), wrong.calls], [true, ["second.test"]])
  })

  it("stops after the first node if the transaction may have arrived, and reports that", function* () {
    const uncertain: ReadonlyArray<readonly [Id, Reply]> = [
      ...ids.flatMap((id) =>
        [
          neverResponds,
          brokenBody('{"res'),
          text("<html>Bad gateway</html>", { status: 502 }),
          text("<html>fine</html>"),
          text("")
        ].map((reply) => [id, reply] as const)
      ),
      ["ripple", submit("tesSUCCESS", { tx_json: { hash: "AB".repeat(32) } })],
      ["ripple", failed("internal")],
      ["tron", broadcast({ result: true, txid: "ab".repeat(32) })],
      ["tron", rejected("NOT_ENOUGH_EFFECTIVE_CONNECTION")],
      ["tron", rejected("OTHER_ERROR")],
      ["polkadot", rpc({ result: `0x${"ab".repeat(32)}` })],
      ["polkadot", rpcError(-32603)]
    ]
    for (const [id, reply] of uncertain) {
      const { answer, calls } = yield* sent(id, reply)
      const { message } = Either.getOrThrow(Either.flip(answer))
      assert.include(message, `may have arrived: look it up (${samples[id].hash})`)
      assert.deepStrictEqual(calls, once, id)
    }
    // Tron has a single node to try; a busy node did not accept the transaction.
    for (const code of ["SERVER_BUSY", "NO_CONNECTION"]) {
      const { answer } = yield* sent("tron", rejected(code))
      assert.notInclude(Either.getOrThrow(Either.flip(answer)).message, "arrived")
    }
  })
})

describe("looking up raw transactions on the XRP Ledger, Tron and Polkadot", () => {
  const found = Effect.fnUntraced(function* (id: Id, first: Reply, second: Reply = refused) {
    const { finding, requests } = yield* network(id, ({ url }) => (url.host === "second.test" ? second : first), {
      SUBSCAN_API_KEY: "key"
    })
    return {
      answer: yield* settled(Effect.either(Either.getOrThrow(finding(samples[id].hash.toLowerCase())))),
      requests
    }
  })

  const there = {
    ripple: json({ result: { tx: samples.ripple.tx, hash: samples.ripple.hash, status: "success" } }),
    tron: json({ txID: samples.tron.hash, raw_data_hex: tronRaw, ret: [{ contractRet: "SUCCESS" }] }),
    polkadot: json({ code: 0, message: "Success", data: { extrinsic_hash: samples.polkadot.hash } })
  }
  const absent = { ripple: failed("txnNotFound"), tron: json({}), polkadot: json({ code: 0, data: null }) }
  const others: Readonly<Record<Id, Reply>> = {
    ripple: json({ result: { tx: ripplePayment({ Amount: "5" }), hash: samples.ripple.hash } }),
    tron: json({ txID: samples.tron.hash, raw_data_hex: `${tronRaw}00` }),
    polkadot: json({ code: 0, data: { extrinsic_hash: `0x${"ab".repeat(32)}` } })
  }

  it("returns the response unchanged with its verdict, and rejects another transaction", function* () {
    for (const id of ids) {
      for (const [verdict, reply] of [
        ["done", there[id]],
        ["unknown", absent[id]]
      ] as const) {
        const { answer } = yield* found(id, reply, id === "polkadot" ? absent.polkadot : undefined)
        assert.deepStrictEqual(
          answer,
          Either.right({ verdict, body: yield* bodyOf(reply), contentType: "application/json" })
        )
      }
      const { answer } = yield* found(id, others[id], others[id])
      assert.strictEqual(Either.getOrThrow(Either.flip(answer)).reason, "bad_answer", id)
    }
    const stated = json({ result: { tx: samples.ripple.tx, hash: "AB".repeat(32) } })
    const { answer } = yield* found("ripple", stated, stated)
    assert.strictEqual(Either.getOrThrow(Either.flip(answer)).reason, "bad_answer")
  })

  it("queries every node of the XRP Ledger, because some nodes do not have all ledgers", function* () {
    const { answer } = yield* found("ripple", absent.ripple, there.ripple)
    assert.strictEqual(Either.getOrThrow(answer).verdict, "done")
  })

  it("queries the indexer of Polkadot's relay chain for extrinsics that are not on Asset Hub", function* () {
    const { answer, requests } = yield* found("polkadot", absent.polkadot, there.polkadot)
    assert.strictEqual(Either.getOrThrow(answer).verdict, "done")
    assert.deepStrictEqual(
      requests.map(({ url }) => url.host),
      ["subscan.test", "second.test"]
    )
    assert.lengthOf((yield* found("polkadot", there.polkadot)).requests, 1)
    // If either indexer fails, the extrinsic may still exist.
    for (const [hub, relay] of [
      [absent.polkadot, refused],
      [refused, absent.polkadot]
    ] as const)
      assert.isTrue(Either.isLeft((yield* found("polkadot", hub, relay)).answer))
  })

  it("fails with the name of the variable if Polkadot has no indexer", function* () {
    const { finding, requests } = yield* network("polkadot", () => refused)
    const { message, reason } = yield* Effect.flip(Either.getOrThrow(finding(samples.polkadot.hash)))
    assert.deepStrictEqual([reason, requests.length], ["not_configured", 0])
    assert.include(message, "SUBSCAN_API_KEY")
  })
})

type Parsed = Either.Either<{ readonly hash?: string; readonly id?: string }, string>

const parsers: Readonly<Record<Id, (tx: string) => Parsed>> = {
  ripple: RippleTransaction.parse,
  tron: TronTransaction.parse,
  polkadot: PolkadotExtrinsic.parse
}

recorded("recorded responses for raw transactions", () => {
  it("are returned unchanged: a payment that the XRP Ledger accepts, and a transaction that Tron has", function* () {
    const submitted = fixture("rippled", "submit-success")
    const { params } = submitted.request.body as { readonly params: readonly [{ readonly tx_blob: string }] }
    const ripple = yield* network("ripple", (request) => (isCheck(request) ? checks(request) : replay(submitted)))
    const transfer = fixture("trongrid", "gettransactionbyid-trx-transfer")
    const { value } = transfer.request.body as { readonly value: string }
    const tron = yield* network("tron", () => replay(transfer))
    for (const [exchange, prepared] of [
      [submitted, ripple.sending(params[0].tx_blob)],
      [transfer, tron.finding(value)]
    ] as const) {
      const body = yield* bodyOf(replay(exchange))
      const answer = yield* settled(Either.getOrThrow(prepared))
      assert.deepStrictEqual(answer, { verdict: "done", body, contentType: "application/json" })
    }
  })
})

describe("raw transactions in binary formats", () => {
  it("are parsed in any letter case, and their hashes match those of the networks", () => {
    for (const id of ids) {
      const { hash, id: own } = Either.getOrThrow(parsers[id](samples[id].tx.toUpperCase()))
      assert.strictEqual(hash ?? own, samples[id].hash)
    }
  })

  it("are rejected with an explanation if they are not signed transactions", () => {
    const { polkadot, tron } = samples
    const problem = (id: Id, tx: string) => Either.getOrElse(Either.flip(parsers[id](tx)), () => "none")
    for (const id of ids) {
      assert.strictEqual(problem(id, ""), "it is empty")
      assert.match(problem(id, `${samples[id].tx}0`), /odd number/)
      assert.match(problem(id, "zz"), /not hexadecimal \(character 1\)/)
      assert.match(problem(id, "ab".repeat(5 * 1024 * 1024)), /at most \d+ bytes/)
    }
    assert.strictEqual(problem("tron", tron.tx.slice(0, -2 * 67)), "it is not signed")
    assert.match(problem("tron", `${tron.tx}ff`), /not a Protocol Buffers message/)
    assert.match(problem("polkadot", `${polkadot.tx}00`), /which declares/)
    assert.match(problem("polkadot", "0x00"), /does not begin with its length/)
  })

  it("are parsed or rejected if they are truncated or have changed bytes, and the parser never throws", () => {
    for (const id of ids) {
      const digits = samples[id].tx.replace("0x", "")
      // XRP Ledger nodes report missing fields, so a truncated transaction is accepted here.
      for (let length = 2; length < digits.length; length += 2)
        assert.strictEqual(Either.isRight(parsers[id](digits.slice(0, length))), id === "ripple", `${id} ${length}`)
      FastCheck.assert(
        FastCheck.property(FastCheck.nat(digits.length / 2 - 1), FastCheck.nat(255), (at, byte) => {
          const changed = digits.slice(0, 2 * at) + byte.toString(16).padStart(2, "0") + digits.slice(2 * at + 2)
          const read = parsers[id](changed)
          if (Either.isLeft(read)) assert.isString(read.left)
        }),
        { numRuns: 300 }
      )
      FastCheck.assert(
        FastCheck.property(FastCheck.uint8Array({ maxLength: 200 }), (bytes) => {
          parsers[id](Buffer.from(bytes).toString("hex"))
        }),
        { numRuns: 200 }
      )
    }
  })
})
