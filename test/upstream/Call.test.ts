import type * as HttpBody from "@effect/platform/HttpBody"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as boundCalls from "../../src/jsonrpc/boundCalls.ts"
import { tooLarge } from "../../src/jsonrpc/callAll.ts"
import { RpcError } from "../../src/jsonrpc/errors.ts"
import { answered, answeredRpc, answerOf, rpcAnswerOf } from "../../src/sandbox/world/answers.ts"
import * as Call from "../../src/upstream/Call.ts"
import * as GraphQl from "../../src/upstream/response/GraphQl.ts"
import * as ResponseDecoder from "../../src/upstream/response/ResponseDecoder.ts"
import { assert, describe, it } from "../support/vitest.ts"

const outputs = Call.get("/txs/{hash}/utxos", {
  query: ({ page }: { readonly page?: number | undefined }) => ({ page }),
  response: Schema.Struct({ hash: Schema.String, amount: Schema.NumberFromString }),
  about: (found, { hash }) => found.hash === hash
})

const submit = Call.post("/submit", {
  body: ({ bytes }: { readonly bytes: Uint8Array }) => bytes,
  response: Schema.String
})

const response = (body: unknown) => ({ status: 200, text: JSON.stringify(body), retryAfter: undefined })

const broadcast = Call.post("/tx", {
  body: ({ hex }: { readonly hex: string }) => hex,
  response: Schema.String
})

const balance = Call.rpc("balance", {
  params: ({ address }: { readonly address: string }) => ({ account: address }),
  response: Schema.Struct({ account: Schema.String, amount: Schema.NumberFromString }),
  about: ({ account }, { address }) => account === address
})

describe("a call of a JSON-RPC API", () => {
  it("has its name, its parameters, and the check of its result", () => {
    assert.deepStrictEqual([balance.rpc, balance.params({ address: "a" })], ["balance", { account: "a" }])
    const decode = Call.decoding(balance, { address: "a" })
    assert.deepStrictEqual(decode(response({ account: "a", amount: "5" })), Either.right({ account: "a", amount: 5 }))
    assert.deepStrictEqual(decode(response({ account: "b", amount: "5" })), Either.left(Call.notRequested))
  })

  it("is answered by its name, by the first answer that has it", () => {
    const of = (own: string) =>
      answeredRpc(balance, ({ params: { account = "" } }) => (account === own ? { account, amount: "5" } : undefined))
    const answerTo = (method: string, account: string) => rpcAnswerOf([of("a"), of("b")], method, { account }, 0)
    assert.deepStrictEqual(answerTo("balance", "b"), { account: "b", amount: "5" })
    assert.isUndefined(answerTo("balance", "c"))
    assert.isUndefined(answerTo("other", "a"))
  })
})

const balances = Call.graphql("address", {
  document: ({ fields }: { readonly fields: string; readonly owner: string }) =>
    `query ($owner: String!) { address(id: $owner) { ${fields} } }`,
  variables: ({ owner }) => ({ owner }),
  response: Schema.Struct({ address: Schema.Struct({ balance: Schema.String }) })
})

describe("a document of a GraphQL API", () => {
  it("is one POST with its text and its variables", () => {
    const { body, method } = GraphQl.request(balances, { fields: "balance", owner: "a" })
    const sent = (body as HttpBody.Uint8Array).body
    assert.deepStrictEqual(
      [balances.graphql, method, JSON.parse(new TextDecoder().decode(sent))],
      [
        "address",
        "POST",
        { query: "query ($owner: String!) { address(id: $owner) { balance } }", variables: { owner: "a" } }
      ]
    )
  })
})

describe("bound calls", () => {
  it("are decoded by their own call, in their order", () => {
    const { call, read } = boundCalls.bound(balance, { address: "a" })
    assert.deepStrictEqual(call, { method: "balance", params: { account: "a" } })
    assert.deepStrictEqual(read(Either.right({ account: "a", amount: "5" })), Either.right({ account: "a", amount: 5 }))
    assert.deepStrictEqual(read(Either.right({ account: "b", amount: "5" })), Either.left(Call.notRequested))
    assert.deepStrictEqual(read(Either.right({ account: "a" })), Either.left(ResponseDecoder.notUnderstood))
    assert.deepStrictEqual(read(undefined), Either.left(ResponseDecoder.notUnderstood))
    assert.deepStrictEqual(read(tooLarge), Either.left(ResponseDecoder.tooLarge))
    const refused = Either.left(new RpcError({ code: -32601, detail: "Method not found" }))
    assert.isTrue(boundCalls.isRefused(refused, -32601))
    assert.deepStrictEqual(
      read(refused),
      Either.left({ reason: "upstream_error", detail: "the node rejected the call (-32601)" })
    )
  })
})

describe("a call", () => {
  it("has its parameters encoded in the path, and no query for those that are absent", () => {
    const { method, url, urlParams } = Call.requestOf(outputs, { hash: "a/../b?c#d", page: undefined })
    assert.deepStrictEqual([method, url, [...urlParams]], ["GET", "/txs/a%2F..%2Fb%3Fc%23d/utxos", []])
    assert.deepStrictEqual([...Call.requestOf(outputs, { hash: "a", page: 2 }).urlParams], [["page", "2"]])
  })

  it("has the colon of an address unencoded in its path", () => {
    assert.strictEqual(Call.requestOf(outputs, { hash: "bitcoincash:qp/1" }).url, "/txs/bitcoincash:qp%2F1/utxos")
  })

  it("sends text unchanged, and not as a JSON string", () => {
    const { body } = Call.requestOf(broadcast, { hex: "02ff" })
    assert.deepInclude(body.toJSON(), { contentType: "text/plain", contentLength: 4 })
  })

  it("sends bytes unchanged", () => {
    const { body } = Call.requestOf(submit, { bytes: Uint8Array.of(1, 2) })
    assert.deepInclude(body.toJSON(), { contentType: "application/cbor", contentLength: 2 })
  })

  it("fails for a response about something else", () => {
    const decode = Call.decoding(outputs, { hash: "a" })
    assert.deepStrictEqual(decode(response({ hash: "a", amount: "5" })), Either.right({ hash: "a", amount: 5 }))
    assert.deepStrictEqual(decode(response({ hash: "b", amount: "5" })), Either.left(Call.notRequested))
  })

  it("is answered below any base address, with the parameters of its path", () => {
    const answers = [answered(outputs, ({ parameters: { hash } }) => ({ hash, amount: "5" }))]
    const request = { method: "GET", query: new URLSearchParams(), body: "", now: 0 }
    const answerTo = (path: string) => answerOf(answers, { ...request, path })
    assert.deepInclude(answerTo("/api/v0/txs/ab/utxos"), { _tag: "Some", value: { hash: "ab", amount: "5" } })
    const refusing = [answered(broadcast, ({ text }) => new Response(`bad: ${text}`, { status: 400 }))]
    const refusal = answerOf(refusing, { ...request, path: "/api/tx", body: "02ff" })
    assert.strictEqual(Option.getOrUndefined(Option.map(refusal, (answer) => (answer as Response).status)), 400)
    for (const other of ["/txs/ab", "/txs/ab/utxos/more", "/txs/a/b/utxos"])
      assert.deepInclude(answerTo(other), { _tag: "None" }, other)
  })
})
