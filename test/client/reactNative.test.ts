import { assert, describe, it } from "@effect/vitest"
import { beforeAll } from "vitest"
import { type ClientOptions, make as makeHere, type WalletData, type WalletDataError } from "../../src/client/Client.ts"
import { load } from "../support/reactNative.ts"
import { polyfill } from "../support/reactNativeFetch.ts"
import { calls } from "./calls.ts"

const networks = { ethereum: ["0x1"] }

type Answer = () => Response | Promise<Response>

const json = (body: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), { ...init, headers: { "content-type": "application/json", ...init.headers } })

const row = (id: number) => ({ coinId: `coin-${id}`, tokenName: "café 🪙" })
const failures = [{ network: "a", message: "b", errorCode: "timeout" }]
const lines = (...values: ReadonlyArray<unknown>) => values.map((value) => `${JSON.stringify(value)}\n`).join("")
const streamed = lines(row(1), { failures }, row(2), { done: true, failures: 1 })

/** A response whose connection breaks after the first part of the body. */
const broken = () =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{"hash":'))
        controller.error(new TypeError("the connection was reset"))
      }
    })
  )

const never = () => new Promise<Response>(() => {})
const unreachable = () => Promise.reject(new TypeError("connection refused"))

describe("the client in React Native", () => {
  let native: Awaited<ReturnType<typeof load>>
  beforeAll(async () => {
    native = await load()
  })

  const client = (answer: Answer, options: Partial<ClientOptions> = {}): WalletData =>
    native.make({ baseUrl: "http://wallet.test", retries: 0, fetch: polyfill(async () => answer()), ...options })

  /** The values of a stream, and the error that ended it. */
  const collect = async (stream: ReturnType<WalletData["balances"]["stream"]>) => {
    const values: Array<unknown> = []
    try {
      for await (const value of stream) values.push(value)
    } catch (error) {
      return { values, error: error as WalletDataError }
    }
    return { values, error: undefined }
  }

  const failure = async (promise: PromiseLike<unknown>): Promise<WalletDataError> => {
    const error = await promise.then(
      () => undefined,
      (cause: unknown) => cause
    )
    assert.instanceOf(error, native.WalletDataError)
    return error as WalletDataError
  }

  it("reads the response of every operation", async () => {
    for (const [name, call] of Object.entries(calls)) {
      const { data, requestId } = await call(
        client(() =>
          name === "status.metrics"
            ? new Response("a 1\n", { headers: { "content-type": "text/plain", "x-request-id": "r" } })
            : json([1], { headers: { "x-request-id": "r" } })
        )
      ).withResponse()
      assert.strictEqual(JSON.stringify(data), name === "status.metrics" ? '"a 1\\n"' : "[1]", name)
      assert.strictEqual(requestId, "r")
    }
    const csv = "type,note\r\n,,,COMPLETE,,0\r\n"
    const answer = () => new Response(csv, { headers: { "content-type": "text/csv" } })
    const file = await client(answer).history.exportFile({ networks })
    assert.strictEqual(await file.text(), csv)
  })

  it("yields the items of a stream at its end, as on a platform with streams", async () => {
    const stream = client(() => new Response(streamed)).balances.stream({ networks })
    const { error, values } = await collect(stream)
    assert.isUndefined(error)
    assert.strictEqual(JSON.stringify(values), JSON.stringify([row(1), row(2)]))
    assert.strictEqual(JSON.stringify(stream.failures), JSON.stringify(failures))
    const cut = await collect(client(() => new Response(lines(row(1)))).balances.stream({ networks }))
    assert.lengthOf(cut.values, 1)
    assert.strictEqual(cut.error?.kind, "response")
  })

  it("limits the size of responses, and of whole streams", async () => {
    const maxBytes = 1_000
    const long = lines(...Array.from({ length: 100 }, (_, id) => row(id)), { done: true })
    for (const answer of [
      () => json("x".repeat(2_000)),
      () => json("x", { headers: { "content-length": "1001" } }),
      () => new Response(long)
    ]) {
      const whole = await failure(client(answer, { maxBytes }).networks())
      assert.match(whole.message, /more than 1000 bytes/)
      const { error, values } = await collect(client(answer, { maxBytes }).balances.stream({ networks }))
      assert.match(error?.message ?? "", /more than 1000 bytes/)
      assert.lengthOf(values, 0)
    }
  })

  it("distinguishes an abort, a timeout and a failed connection", async () => {
    const left = native.abortController()
    left.abort()
    let requests = 0
    const counting = client(() => {
      requests++
      return never()
    })
    assert.strictEqual((await failure(counting.networks({ signal: left.signal }))).kind, "aborted")
    assert.strictEqual(requests, 0)
    const leaving = native.abortController()
    const pending = failure(counting.networks({ signal: leaving.signal, timeout: 0 }))
    leaving.abort()
    assert.strictEqual((await pending).kind, "aborted")
    assert.strictEqual((await failure(counting.networks({ timeout: 1 }))).kind, "timeout")
    assert.strictEqual((await failure(client(unreachable).networks())).kind, "network")
    assert.strictEqual((await failure(client(broken).networks())).kind, "network")
    assert.strictEqual((await collect(client(broken).balances.stream({ networks }))).error?.kind, "network")
  })

  it("limits the time of a body that does not arrive, and reads bodies of another kind of stream", async () => {
    const response = (text: () => Promise<string>) => async () =>
      ({ ok: true, status: 200, type: "default", headers: new Headers(), body: {}, text }) as unknown as Response
    const hanging = native.make({ baseUrl: "", timeout: 1, fetch: response(() => new Promise(() => {})) })
    assert.strictEqual((await failure(hanging.networks())).kind, "timeout")
    const other = native.make({ baseUrl: "", fetch: response(async () => "[1]") })
    assert.strictEqual(JSON.stringify(await other.networks()), "[1]")
  })

  it("revalidates a response with an ETag, unless it is larger than the cache", async () => {
    for (const [bytes, isCached] of [
      [3, true],
      [2, false]
    ] as const) {
      const answers = [json([1], { headers: { etag: '"1"' } }), new Response(null, { status: 304 })]
      const { prices } = client(() => answers.shift() ?? json([2]), { cache: { entries: 1, bytes } })
      await prices.coin(["a"])
      const second = await prices
        .coin(["a"])
        .withResponse()
        .catch((error: WalletDataError) => error)
      assert.deepInclude(second, isCached ? { cached: true } : { kind: "status" })
    }
  })
})

describe("the error of a sent transaction", () => {
  const sent = async (answer: Answer, options: Partial<ClientOptions> = {}, signal?: AbortSignal) =>
    makeHere({ baseUrl: "http://wallet.test", fetch: async () => answer(), ...options })
      .transactions.sendRaw({ chain: "bitcoin", tx: "00" }, { signal })
      .then(
        () => undefined,
        (error: WalletDataError) => error
      )
  const problem = (status: number, more: object = {}) =>
    new Response(JSON.stringify({ type: "urn:problem-type:x", detail: "No node", status, ...more }), {
      status,
      headers: { "content-type": "application/problem+json" }
    })

  it("says that it may have arrived, unless the service or the node refused it", async () => {
    for (const [answer, options] of [
      [unreachable],
      [broken],
      [never, { timeout: 1 }],
      [() => new Response("<html>captive portal")],
      [() => json("x".repeat(2_000)), { maxBytes: 1_000 }],
      [() => new Response("<html>", { status: 502 })],
      [() => new Response("upstream connect error or disconnect/reset before headers", { status: 503 })],
      [() => json({ sent: "no" }, { status: 502 })],
      [() => problem(500)],
      [() => problem(503, { type: "about:blank" })],
      [() => problem(501)],
      [() => new Response("<html>", { status: 408 })],
      [() => new Response("", { status: 499 })],
      [() => problem(502, { sent: "unknown" })],
      [() => problem(504)]
    ] as const) {
      const error = await sent(answer, options)
      assert.isTrue(error?.mayHaveArrived)
      assert.match(error?.message ?? "", /\. The request may have arrived: .* before you send it again$/)
      assert.strictEqual(error?.name, "WalletDataError")
    }
    for (const answer of [
      () => json({ error: { code: -26 } }, { status: 400 }),
      ...[400, 401, 404, 413, 429].map((status) => () => problem(status)),
      () => problem(501, { type: "urn:problem-type:not-implemented" }),
      () => problem(503, { type: "urn:problem-type:shutting-down" }),
      () => problem(503, { type: "urn:problem-type:overloaded" }),
      () => problem(502, { sent: "no" })
    ]) {
      const error = await sent(answer)
      assert.isFalse(error?.mayHaveArrived)
      assert.notMatch(error?.message ?? "", /may have arrived/)
    }
  })

  it("keeps the fields and the cause of the failure", async () => {
    const error = await sent(() => problem(504, { title: "Late", requestId: "r" }))
    assert.deepInclude(error, { kind: "problem", status: 504, title: "Late", requestId: "r", detail: "No node" })
    assert.instanceOf((await sent(unreachable))?.cause, TypeError)
  })

  it("does not say so about a transaction that was not sent, or about a read", async () => {
    assert.isFalse((await sent(never, {}, AbortSignal.abort()))?.mayHaveArrived)
    const reads = makeHere({ baseUrl: "", retries: 0, fetch: unreachable })
    const read = await reads.transactions
      .getRaw({ chain: "bitcoin", tx: "00" })
      .catch((error: WalletDataError) => error)
    assert.deepInclude(read, { mayHaveArrived: false, message: "The service could not be reached: connection refused" })
  })
})

it("a timeout of 0 is no time limit, for a client and for a call", async () => {
  const fetch = () => new Promise<Response>((resolve) => setTimeout(() => resolve(json([1])), 5))
  assert.deepStrictEqual((await makeHere({ baseUrl: "", timeout: 0, fetch }).networks()) as unknown, [1])
  assert.deepStrictEqual((await makeHere({ baseUrl: "", fetch }).networks({ timeout: 0 })) as unknown, [1])
})
