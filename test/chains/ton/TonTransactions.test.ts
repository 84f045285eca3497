import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { parseHash } from "../../../src/chains/ton/TonTransactions.ts"
import { brokenBody, json, neverResponds, type Reply, refused, text } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { network } from "./ton.ts"

const hash = "fbefbe52c5ddca2a1fe2d7adf51b3bc3ddff2ca93e0f54f952715d111527493f"
const base64 = Buffer.from(hash, "hex").toString("base64")
const done = (body: string) => Either.right({ verdict: "done" as const, body, contentType: "application/json" })

const found = Effect.fnUntraced(function* (toncenter: Reply, tonapi: Reply, request = hash) {
  const { requests: calls, network: ton } = yield* network({
    "toncenter.test": () => toncenter,
    "tonapi.test": () => tonapi
  })
  const { prepareLookup, prepareSend } = ton.rawTransactions ?? assert.fail("no raw transactions")
  assert.isUndefined(prepareSend)
  const answer = yield* settled(Effect.either(Either.getOrThrow(prepareLookup(request))))
  return { answer, calls: calls.map(({ url }) => `${url.host}${url.pathname}${url.search}`) }
})

const listed = { transactions: [{ hash: base64, lt: "1" }], address_book: {} }
const single = { hash, lt: 1 }

describe("looking up a TON transaction", () => {
  it("accepts a hash in hexadecimal digits, base64 and base64url", () => {
    const url = Buffer.from(hash, "hex").toString("base64url")
    for (const text of [hash, hash.toUpperCase(), base64, url, `${url}=`, base64.replace("=", "")])
      assert.deepStrictEqual(parseHash(text), Either.right(hash), text)
    assert.deepStrictEqual(parseHash(base64.replaceAll("+", " ")), Either.right(hash))
    for (const text of ["", "00", `0x${hash}`, hash.slice(1), `${hash}0`, `${base64}=`, base64.slice(1), `${base64}AA`])
      assert.isTrue(Either.isLeft(parseHash(text)), text)
    assert.isTrue(Either.isLeft(parseHash(`${url.slice(0, -1)}9`)), "unused bits must be zero")
  })

  it("returns TON Center's response unchanged", function* () {
    const body = JSON.stringify(listed, undefined, 1)
    const { answer, calls } = yield* found(text(body), refused)
    assert.deepStrictEqual(answer, done(body))
    assert.deepStrictEqual(calls, [`toncenter.test/api/v3/transactions?hash=${hash}`])
  })

  it("returns the verdict `unknown` if no responding indexer has the transaction", function* () {
    const none = { transactions: [], address_book: {} }
    for (const other of [refused, json({ error: "entity not found" }, { status: 404 })]) {
      const { answer, calls } = yield* found(json(none), other)
      assert.deepStrictEqual(
        answer,
        Either.right({ verdict: "unknown", body: JSON.stringify(none), contentType: "application/json" })
      )
      assert.strictEqual(calls[1], `tonapi.test/v2/blockchain/transactions/${hash}`)
    }
    const atTonApi = yield* found(refused, json({ error: "entity not found" }, { status: 404 }))
    assert.deepStrictEqual(
      atTonApi.answer,
      Either.right({ verdict: "unknown", body: '{"error":"entity not found"}', contentType: "application/json" })
    )
  })

  it.effect.each<readonly [string, Reply]>([
    ["hangs", neverResponds],
    ["cannot be reached", refused],
    ["closes the connection mid-response", brokenBody('{"transactions":[')],
    ["returns HTML", text("<html></html>")],
    ["returns a rate limit", json({ ok: false, result: "Ratelimit exceed", code: 429 }, { status: 429 })],
    ["fails", text("", { status: 500 })],
    ["does not have the transaction", json({ transactions: [], address_book: {} })],
    ["rejects the hash", json({ error: "invalid hash" }, { status: 422 })],
    ["returns another transaction", json({ transactions: [{ hash: `${"A".repeat(43)}=` }] })],
    ["returns another format", json({ transactions: "none" })]
  ])("falls back to TonAPI if TON Center %s", ([, fault]) =>
    Effect.gen(function* () {
      const { answer, calls } = yield* found(fault, json(single))
      assert.deepStrictEqual(answer, done(JSON.stringify(single)))
      assert.strictEqual(calls.at(-1), `tonapi.test/v2/blockchain/transactions/${hash}`)
    })
  )

  it("fails if both indexers fail or return another transaction", function* () {
    for (const second of [refused, text("<html>", { status: 404 }), json({ ...single, hash: "00".repeat(32) })])
      assert.isTrue(Either.isLeft((yield* found(refused, second)).answer))
  })
})
