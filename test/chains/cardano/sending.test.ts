import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { network, pathOf, withBlockfrostKey } from "../../support/cardano.ts"
import { replay, sample } from "../../support/fixtures.ts"
import { brokenBody, json, neverResponds, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import { responseTo } from "../../support/rawTransactions.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const transaction = "84a3008001800200a0f5f6"
const id = "36fdff68dfe3660f1ceea60f018a0fd7a83da13def229108794c397a879b0436"

const hosts = (blockfrost: Reply, koios: Reply) => ({ "blockfrost.test": () => blockfrost, "koios.test": () => koios })

const calls = (requests: ReadonlyArray<SentRequest>) =>
  requests.map((request) => `${request.method} ${request.url.host} ${pathOf(request)}`)

const sent = Effect.fnUntraced(function* (blockfrost: Reply | undefined, koios: Reply, hex = transaction) {
  const built = yield* network(
    hosts(blockfrost ?? refused, koios),
    undefined,
    blockfrost === undefined ? {} : withBlockfrostKey
  )
  const { prepareSend } = built.rawTransactions ?? assert.fail("no raw transactions")
  const signed = Either.getOrThrow(prepareSend?.(hex) ?? Either.left("cannot send"))
  const answer = yield* settled(Effect.either(responseTo(signed)))
  return { answer, requests: built.requests, calls: calls(built.requests) }
})

const found = Effect.fnUntraced(function* (blockfrost: Reply | undefined, koios: Reply) {
  const built = yield* network(
    hosts(blockfrost ?? refused, koios),
    undefined,
    blockfrost === undefined ? {} : withBlockfrostKey
  )
  const { prepareLookup } = built.rawTransactions ?? assert.fail("no raw transactions")
  const answer = yield* settled(Effect.either(Either.getOrThrow(prepareLookup(id))))
  return { answer, requests: built.requests, calls: calls(built.requests) }
})

const done = (body: string) => Either.right({ verdict: "done" as const, body, contentType: "application/json" })
const problem = (status: number, message = "…") => json({ status_code: status, error: "…", message }, { status })
const both = ["POST blockfrost.test /tx/submit", "POST koios.test /submittx"]

describe("sending a Cardano transaction", () => {
  it("is too early before the first slot of its validity interval, and expired after the last", function* () {
    const interval = (validity: string, slot: number) =>
      `transaction submit error ShelleyTxValidationError ShelleyBasedEraConway (ApplyTxError (ConwayUtxowFailure (UtxoFailure (OutsideValidityIntervalUTxO (ValidityInterval {${validity}}) (SlotNo ${slot})))))`
    for (const [words, reason] of [
      [interval("invalidBefore = SJust (SlotNo 100), invalidHereafter = SNothing", 99), "too_early"],
      [interval("invalidBefore = SJust (SlotNo 100), invalidHereafter = SJust (SlotNo 200)", 99), "too_early"],
      [interval("invalidBefore = SJust (SlotNo 100), invalidHereafter = SJust (SlotNo 200)", 200), "expired"],
      [interval("invalidBefore = SNothing, invalidHereafter = SJust (SlotNo 200)", 200), "expired"]
    ] as const) {
      const { rawTransactions } = yield* network(hosts(refused, json(words, { status: 400 })), undefined, {})
      const signed = Either.getOrThrow(rawTransactions?.prepareSend?.(transaction) ?? Either.left("cannot send"))
      assert.deepInclude(yield* settled(Effect.merge(signed.send)), { accepted: false, reason }, words)
    }
  })

  it("goes to Koios as CBOR if there is no project id, and succeeds with HTTP 202", function* () {
    const { answer, requests, calls } = yield* sent(undefined, json(id, { status: 202 }))
    assert.deepStrictEqual(answer, done(`"${id}"`))
    assert.deepStrictEqual(calls, ["POST koios.test /submittx"])
    assert.strictEqual(requests[0]?.headers["content-type"], "application/cbor")
    assert.strictEqual(requests[0]?.body, new TextDecoder().decode(Buffer.from(transaction, "hex")))
  })

  it("goes only to Blockfrost, with the key, if there is a project id", function* () {
    const { answer, requests, calls } = yield* sent(json(id), json(id, { status: 202 }))
    assert.deepStrictEqual(answer, done(`"${id}"`))
    assert.deepStrictEqual(calls, ["POST blockfrost.test /tx/submit"])
    assert.strictEqual(requests[0]?.headers.project_id, "mainnetKey")
    assert.strictEqual(requests[0]?.headers["content-type"], "application/cbor")
  })

  it.effect.each<readonly [string, Reply]>([
    ["the connection is refused", refused],
    ["the daily limit is used up", problem(402)],
    ["the project is unknown", problem(403, "Invalid project token.")],
    ["this service is banned", problem(418)],
    ["the rate limit is reached", problem(429)],
    ["the mempool is full", problem(425, "Mempool is full, please try resubmitting again later.")],
    ["the path is unknown", problem(404, "The requested component has not been found.")],
    ["the path is unknown, with another status", problem(405)],
    ["the transaction is too large", text("<html>413</html>", { status: 413 })]
  ])("goes to the next source if %s", ([, fault]) =>
    Effect.gen(function* () {
      const { answer, calls } = yield* sent(fault, json(id, { status: 202 }))
      assert.deepStrictEqual(answer, done(`"${id}"`))
      assert.deepStrictEqual(calls, both)
    })
  )

  it.effect.each<readonly [string, Reply]>([
    ["hangs", neverResponds],
    ["closes the connection mid-response", brokenBody('"36fd')],
    ["returns HTML", text("<html>Bad gateway</html>")],
    ["returns HTML with HTTP 400", text("<html>Bad request</html>", { status: 400 })],
    ["returns HTML with HTTP 502", text("<html>Bad gateway</html>", { status: 502 })],
    ["returns HTTP 500", problem(500)],
    ["returns HTTP 503", problem(503)],
    ["returns HTML with HTTP 504", text("some html displaying the error", { status: 504 })],
    ["returns an empty body", text("")],
    ["returns another id", json("00".repeat(32))]
  ])(
    "is tried only once, at the first source, if that %s, and fails because the transaction may have arrived",
    ([, fault]) =>
      Effect.gen(function* () {
        const { answer, calls } = yield* sent(fault, json(id, { status: 202 }))
        assert.match(
          Either.getOrThrow(Either.flip(answer)).message,
          new RegExp(`may have arrived: look it up \\(${id}\\)`)
        )
        assert.deepStrictEqual(calls, ["POST blockfrost.test /tx/submit"])
      })
  )

  it("fails with the last reason if no source accepts the transaction", function* () {
    const { answer, calls } = yield* sent(problem(425), text("Payload too large", { status: 413 }))
    assert.deepStrictEqual(
      answer,
      Either.left({ reason: "upstream_error", message: "koios: accepts no transaction of this size" })
    )
    assert.deepStrictEqual(calls, both)
  })

  it("fails without a verdict if Blockfrost does not serve the path", function* () {
    const { answer } = yield* sent(problem(400, "Invalid path. Please check https://docs.blockfrost.io/"), refused)
    assert.isTrue(Either.isLeft(answer))
  })

  describe("with sample responses", () => {
    it("forwards a rejection of Koios that is a JSON string: submittx-400-undecodable", function* () {
      const body = JSON.stringify(sample("koios", "submittx-400-undecodable").response.body)
      const { answer } = yield* sent(undefined, text(body, { status: 400 }))
      assert.deepStrictEqual(answer, Either.right({ verdict: "refused", body, contentType: "application/json" }))
    })

    it.effect.each([
      ["blockfrost", "tx-submit-taken", 200],
      ["koios", "submittx-taken-202", 202]
    ] as const)("succeeds if %s accepts the transaction: %s", ([provider, name, status]) =>
      Effect.gen(function* () {
        const { request, response } = sample(provider, name)
        assert.strictEqual(response.status, status)
        const of = (hash: unknown) => {
          const reply = json(hash, { status })
          return sent(provider === "koios" ? undefined : reply, reply)
        }
        const taken = yield* of(response.body)
        assert.deepStrictEqual(taken.answer, done(`"${id}"`))
        assert.deepStrictEqual(taken.calls, [`POST ${provider}.test ${request.path}`])
        const another = yield* of("5a".repeat(32))
        assert.isTrue(Either.isLeft(another.answer))
      })
    )
  })
})

const notFound = problem(404, "The requested component has not been found.")
const cbor = { cbor: transaction }
const rows = [{ tx_hash: id, cbor: transaction }]

describe("looking up a Cardano transaction", () => {
  it("returns Blockfrost's response unchanged", function* () {
    const { answer, calls } = yield* found(text(` {"cbor": "${transaction}"}`), refused)
    assert.deepStrictEqual(answer, done(` {"cbor": "${transaction}"}`))
    assert.deepStrictEqual(calls, [`GET blockfrost.test /txs/${id}/cbor`])
  })

  it("returns Koios's response unchanged", function* () {
    const { answer, requests } = yield* found(undefined, json(rows))
    assert.deepStrictEqual(answer, done(JSON.stringify(rows)))
    assert.deepStrictEqual(JSON.parse(requests[0]?.body ?? ""), { _tx_hashes: [id] })
  })

  it("returns the verdict `unknown` if no source has the transaction", function* () {
    const atBlockfrost = Either.getOrThrow((yield* found(notFound, refused)).answer)
    assert.deepStrictEqual([atBlockfrost.verdict, JSON.parse(atBlockfrost.body).status_code], ["unknown", 404])
    const atKoios = Either.getOrThrow((yield* found(undefined, json([]))).answer)
    assert.deepStrictEqual([atKoios.verdict, atKoios.body], ["unknown", "[]"])
  })

  it.effect.each<readonly [string, Reply]>([
    ["hangs", neverResponds],
    ["cannot be reached", refused],
    ["closes the connection mid-response", brokenBody('{"cbor":"84')],
    ["returns HTML", text("<html></html>")],
    ["returns a rate limit", problem(429)],
    ["fails", problem(500)],
    ["refuses the key", problem(403)],
    ["does not have the transaction", notFound],
    ["does not serve the path", text("404 page not found", { status: 404 })],
    ["returns another format", json({ cbor: "" })]
  ])("falls back to the next source if the first %s", ([, fault]) =>
    Effect.gen(function* () {
      const { answer } = yield* found(fault, json(rows))
      assert.deepStrictEqual(answer, done(JSON.stringify(rows)))
    })
  )

  it("fails if both sources fail or return another transaction", function* () {
    const other = json([{ tx_hash: "00".repeat(32), cbor: transaction }])
    for (const [first, second] of [
      [refused, neverResponds],
      [json([]), other],
      [undefined, other],
      [undefined, json(cbor)]
    ] as const)
      assert.isTrue(Either.isLeft((yield* found(first, second)).answer))
  })

  it("lists its upstreams in order", function* () {
    const { abilities } = yield* network({}, undefined, withBlockfrostKey)
    assert.deepStrictEqual((yield* abilities).rawTransactions, Either.right(["blockfrost", "koios"]))
  })

  it("returns sample responses unchanged: tx-cbor of both sources", function* () {
    for (const provider of ["blockfrost", "koios"] as const) {
      const exchange = sample(provider, "tx-cbor")
      const reply = replay(exchange)
      const { answer, requests } = yield* found(provider === "koios" ? undefined : reply, reply)
      assert.deepStrictEqual(answer, done(JSON.stringify(exchange.response.body)))
      assert.deepStrictEqual(requests.map(pathOf), [exchange.request.path])
    }
  })
})
