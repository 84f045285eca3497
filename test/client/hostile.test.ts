import { assert, describe, it } from "@effect/vitest"
import { type ClientOptions, type Fetch, make, type Stream, type WalletDataError } from "../../src/client/Client.ts"
import { failure } from "./failure.ts"

const networks = { ethereum: ["0x1"] }

const json = (body: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), { ...init, headers: { "content-type": "application/json", ...init.headers } })

const problem = (status: number, type: string, headers: Record<string, string> = {}) =>
  new Response(
    JSON.stringify({ type: `urn:problem-type:${type}`, title: "No", status, detail: "not now", requestId: "r" }),
    { status, headers: { "content-type": "application/problem+json", ...headers } }
  )

interface Seen {
  readonly url: string
  readonly init: RequestInit
  readonly at: number
}

/** A client over a `fetch` that returns the answers in order and repeats the last answer. */
const answering = (
  answers: ReadonlyArray<() => Response | Promise<Response>>,
  options: Partial<ClientOptions> = {}
) => {
  const seen: Array<Seen> = []
  const fetch: Fetch = async (url, init) => {
    seen.push({ url, init, at: performance.now() })
    const answer = answers[Math.min(seen.length, answers.length) - 1]
    if (answer === undefined) throw new Error("no answer")
    return answer()
  }
  return { seen, client: make({ baseUrl: "http://wallet.test", retryDelay: 5, fetch, ...options }) }
}

/** The page of a gateway in front of the service. */
const gateway = (status: number) => () =>
  new Response("<html>", { status, headers: { "content-type": "text/html", "x-request-id": "of-the-gateway" } })

const unreachable = () => Promise.reject(new TypeError("connection refused"))
const never = () => new Promise<Response>(() => {})

/** A body in pieces: `undefined` breaks the connection, and a body with `open` never ends. */
const pieces = (parts: ReadonlyArray<string | Uint8Array | undefined>, end: "closed" | "open" = "closed") => {
  const state = { cancelled: false }
  let index = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const part = parts[index++]
      if (index > parts.length) return end === "closed" ? controller.close() : new Promise<void>(() => {})
      if (part === undefined) return controller.error(new TypeError("the connection was reset"))
      controller.enqueue(typeof part === "string" ? new TextEncoder().encode(part) : part)
    },
    cancel: () => {
      state.cancelled = true
    }
  })
  return { state, response: () => new Response(body, { headers: { "content-type": "application/x-ndjson" } }) }
}

const collect = async <A>(stream: Stream<A>) => {
  const values: Array<A> = []
  const error = await failure(
    (async () => {
      for await (const value of stream) values.push(value)
    })()
  ).catch(() => undefined)
  return { values, error, failures: stream.failures }
}

describe("pages of histories", () => {
  const page = (next: string | null) =>
    json({ data: { ethereum: { "0x1": [{}] } }, meta: { ethereum: { "0x1": { next } } } })
  const read = (answers: ReadonlyArray<() => Response>) => {
    const { client, seen } = answering(answers)
    const all = (async () => {
      for await (const _ of client.history.pages({ networks })) if (seen.length > 20) throw new Error("endless pages")
    })()
    return { all, seen }
  }

  it("fail if a cursor repeats", async () => {
    const { all, seen } = read([() => page("a"), () => page("b"), () => page("b")])
    assert.deepInclude(await failure(all), { kind: "response" })
    assert.lengthOf(seen, 3)
    const cycle = read([() => page("a"), () => page("b"), () => page("a"), () => page("b")])
    assert.deepInclude(await failure(cycle.all), { kind: "response" })
    assert.lengthOf(cycle.seen, 3)
    await read([() => page("a"), () => page("b"), () => page(null)]).all
  })

  for (const body of [
    {},
    [],
    null,
    1,
    "x",
    { data: {}, meta: null },
    { data: {}, meta: { ethereum: null } },
    { meta: {} }
  ])
    it(`fail if the response is ${JSON.stringify(body)}`, async () => {
      assert.deepInclude(await failure(read([() => json(body)]).all), { kind: "response", name: "WalletDataError" })
    })
})

describe("repeating", () => {
  it("waits for Retry-After, in seconds or as a date", async () => {
    const now = Date.now()
    for (const headers of [
      { "retry-after": "1" },
      { "retry-after": new Date(now + 1000).toUTCString(), date: new Date(now).toUTCString() }
    ]) {
      const { client, seen } = answering([() => problem(429, "too-many-requests", headers), () => json({ a: 1 })])
      assert.deepStrictEqual((await client.networks()) as unknown, { a: 1 })
      assert.isAtLeast((seen[1]?.at ?? 0) - (seen[0]?.at ?? 0), 950)
    }
  })

  it("does not wait longer than the maximum, and reports when to retry", async () => {
    const later = { "retry-after": new Date(Date.now() + 120_000).toUTCString() }
    for (const headers of [{ "retry-after": "120" }, later]) {
      const { client, seen } = answering([() => problem(429, "too-many-requests", headers)])
      const error = await failure(client.networks())
      assert.strictEqual(seen.length, 1)
      assert.strictEqual(error.type, "urn:problem-type:too-many-requests")
      assert.closeTo(error.retryAfter ?? 0, 120, 2)
    }
  })

  it("ignores an invalid Retry-After, and reads a past date as 0 seconds", async () => {
    for (const [text, expected] of [
      ["soon", undefined],
      ["-5", undefined],
      ["1e9", undefined],
      ["Wed, 21 Oct 2015 07:28:00 GMT", 0]
    ] as const) {
      const { client } = answering([() => problem(503, "overloaded", { "retry-after": text })], { retries: 0 })
      assert.strictEqual((await failure(client.networks())).retryAfter, expected, text)
    }
  })

  it("stops after the configured number of retries of a read", async () => {
    const reads = [
      (client: ReturnType<typeof make>) => client.networks(),
      (client: ReturnType<typeof make>) => client.balances({ networks }),
      (client: ReturnType<typeof make>) => client.balances.token({ networkId: "a", address: "b" }),
      (client: ReturnType<typeof make>) => client.history({ networks }),
      (client: ReturnType<typeof make>) => client.history.stream({ networks }).next(),
      (client: ReturnType<typeof make>) => client.transactions.getRaw({ chain: "a", tx: "b" }),
      (client: ReturnType<typeof make>) => client.transactions.first({ networkIds: [], address: "b" })
    ]
    for (const read of reads)
      for (const [answer, kind] of [
        [unreachable, "network"],
        [() => problem(503, "overloaded"), "problem"],
        [() => problem(429, "too-many-requests"), "problem"],
        ...[408, 429, 502, 503, 504].map((status) => [gateway(status), "status"] as const)
      ] as const) {
        const { client, seen } = answering([answer], { retries: 3, retryDelay: 0 })
        const error = await failure(read(client))
        assert.strictEqual(error.kind, kind)
        assert.strictEqual(seen.length, 4)
      }
  })

  it("includes reads after problems of a gateway, whose types are its own", async () => {
    const foreign = () =>
      new Response(JSON.stringify({ type: "about:blank", detail: "busy" }), {
        status: 502,
        headers: { "content-type": "application/problem+json" }
      })
    const { client, seen } = answering([foreign, () => json({ a: 1 })])
    assert.deepStrictEqual((await client.networks()) as unknown, { a: 1 })
    assert.strictEqual(seen.length, 2)
    const last = answering([foreign], { retries: 0 })
    assert.deepInclude(await failure(last.client.networks()), { kind: "status", detail: "busy", message: "busy" })
  })

  it("includes reads with a truncated response", async () => {
    const cut = pieces(['{"a":', undefined])
    const { client, seen } = answering([cut.response, () => json({ a: 1 })])
    assert.deepStrictEqual((await client.networks()) as unknown, { a: 1 })
    assert.strictEqual(seen.length, 2)
  })

  it("excludes requests that may change state", async () => {
    const acts = [
      (client: ReturnType<typeof make>) => client.transactions.sendRaw({ chain: "bitcoin", tx: "00" }),
      (client: ReturnType<typeof make>) => client.faucet.fund("0x1"),
      (client: ReturnType<typeof make>) => client.nodes.rpc("base", { method: "eth_sendRawTransaction" }),
      (client: ReturnType<typeof make>) => client.nodes.testnetRpc("base", { method: "eth_sendRawTransaction" }),
      (client: ReturnType<typeof make>) =>
        client.transactions.simulate({ chain: "1", input: { from: "a", to: "b", input: "0x" } })
    ]
    for (const act of acts)
      for (const answer of [
        unreachable,
        () => problem(503, "overloaded"),
        () => problem(429, "too-many-requests"),
        ...[408, 502, 504].map(gateway)
      ]) {
        const { client, seen } = answering([answer])
        await failure(act(client))
        assert.strictEqual(seen.length, 1)
      }
  })

  it("excludes failures that are permanent", async () => {
    for (const answer of [
      () => problem(400, "invalid-request"),
      () => problem(500, "internal"),
      () => problem(502, "upstream-failed"),
      () => problem(504, "deadline-exceeded"),
      () => problem(408, "unknown"),
      () => new Response("<html>", { status: 200 }),
      () => new Response("<html>", { status: 500 }),
      () => new Response("<html>", { status: 404 }),
      () => problem(429, "too-many-requests", { "retry-after": "99999999999" }),
      () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example" } })
    ]) {
      const { client, seen } = answering([answer])
      await failure(client.networks())
      assert.strictEqual(seen.length, 1)
    }
  })

  it("ends its pause when the caller aborts", async () => {
    const controller = new AbortController()
    const { client, seen } = answering([() => problem(503, "overloaded", { "retry-after": "20" })])
    const error = failure(client.networks({ signal: controller.signal }))
    setTimeout(() => controller.abort(new Error("left the page")), 20)
    assert.deepInclude(await error, { kind: "aborted" })
    assert.strictEqual(seen.length, 1)
  })
})

describe("errors", () => {
  it("distinguish an abort, a timeout and a failed connection, even if fetch ignores its signal", async () => {
    const { client, seen } = answering([never], { timeout: 30 })
    assert.deepInclude(await failure(client.networks()), { kind: "timeout", status: undefined })
    assert.strictEqual(seen.length, 1)
    assert.isTrue(seen[0]?.init.signal?.aborted)
    const reason = new Error("left the page")
    const error = await failure(client.networks({ signal: AbortSignal.abort(reason) }))
    assert.deepInclude(error, { kind: "aborted", cause: reason })
    assert.strictEqual(seen.length, 1)
    const controller = new AbortController()
    const pending = failure(client.networks({ signal: controller.signal, timeout: 5000 }))
    controller.abort()
    assert.strictEqual((await pending).kind, "aborted")
    const gone = await failure(answering([unreachable], { retries: 0 }).client.networks())
    assert.strictEqual(gone.kind, "network")
    assert.match(gone.message, /connection refused/)
  })

  it("report a body that times out or breaks off", async () => {
    const slow = pieces(['{"a":'], "open")
    const late = await failure(answering([slow.response], { timeout: 30 }).client.networks())
    assert.strictEqual(late.kind, "timeout")
    assert.isTrue(slow.state.cancelled)
    const cut = await failure(answering([pieces(["{", undefined]).response], { retries: 0 }).client.networks())
    assert.strictEqual(cut.kind, "network")
  })

  it("report an unusable response", async () => {
    for (const [answer, message] of [
      [() => new Response("<html>captive portal"), /not valid JSON/],
      [() => new Response(""), /not valid JSON/],
      [() => new Response('{"a":1'), /not valid JSON/],
      [() => new Response(new Uint8Array([0x22, 0xff, 0x22])), /not UTF-8/],
      [() => new Response(new Uint8Array([0x22, 0xe2])), /not UTF-8/],
      [() => json("x".repeat(2000)), /more than 1000 bytes/],
      [() => new Response(null, { status: 307, headers: { location: "https://elsewhere.example" } }), /redirect/]
    ] as const) {
      const error = await failure(answering([answer], { maxBytes: 1000 }).client.networks())
      assert.strictEqual(error.kind, "response")
      assert.match(error.message, message)
    }
  })

  it("are created from any response with an error status", async () => {
    const gateway = await failure(answering([() => new Response("<html>", { status: 502 })]).client.networks())
    assert.deepInclude(gateway, { kind: "status", status: 502, type: undefined, body: "<html>" })
    const odd = { type: 5, detail: ["x"], issues: [1, { path: "a", message: "b" }, null] }
    const strange = new Response(JSON.stringify(odd), {
      status: 400,
      headers: { "content-type": "application/problem+json; charset=utf-8", "x-request-id": "id" }
    })
    assert.deepInclude(await failure(answering([() => strange]).client.networks()), {
      kind: "status",
      type: undefined,
      detail: undefined,
      issues: [{ path: "a", message: "b" }],
      requestId: "id"
    })
  })

  it("are those of a gateway, with its status and request id, for every method", async () => {
    const foreign = (status: number) => () =>
      json({ message: "slow down" }, { status, headers: { "x-request-id": "of-the-gateway" } })
    for (const act of [
      (client: ReturnType<typeof make>) => client.networks(),
      (client: ReturnType<typeof make>) => client.status.ready(),
      (client: ReturnType<typeof make>) => client.status.metrics(),
      (client: ReturnType<typeof make>) => client.balances.stream({ networks }).next(),
      (client: ReturnType<typeof make>) => client.history.exportFile({ networks }),
      (client: ReturnType<typeof make>) => client.nodes.rpc("base", { method: "eth_call" }),
      (client: ReturnType<typeof make>) => client.nodes.testnetRpc("base", [{ method: "eth_call" }])
    ])
      for (const status of [400, 403, 429, 500, 503, 504])
        for (const [answer, body] of [
          [gateway(status), "<html>"],
          [foreign(status), { message: "slow down" }]
        ] as const) {
          const { client } = answering([answer], { retries: 0 })
          assert.deepInclude(await failure(act(client)), { kind: "status", status, requestId: "of-the-gateway", body })
        }
  })

  it("are absent if the service's own data says that it failed", async () => {
    const refused = { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "no node answered" } }
    for (const body of [refused, [refused, refused]]) {
      const { client } = answering([() => json(body, { status: 502 })])
      assert.deepStrictEqual(await client.nodes.rpc("base", { method: "eth_call" }), body)
    }
    const starting = { status: "starting", upstreams: [] }
    const { client } = answering([() => json(starting, { status: 503 })])
    assert.deepStrictEqual((await client.status.ready()) as unknown, starting)
  })

  it("have their message as JSON", async () => {
    const { client } = answering([() => problem(400, "invalid-request")])
    const logged: unknown = JSON.parse(JSON.stringify(await failure(client.networks())))
    assert.deepInclude(logged, { name: "WalletDataError", kind: "problem", message: "not now", requestId: "r" })
    const lost = await failure(answering([unreachable], { retries: 0 }).client.networks())
    assert.match(JSON.stringify(lost), /connection refused/)
  })

  it("never contain the API key, and redirects are not followed with it", async () => {
    const { client, seen } = answering([unreachable], { apiKey: "secret-key", retries: 0 })
    const error = await failure(client.networks())
    assert.strictEqual(seen[0]?.init.redirect, "manual")
    assert.notInclude(JSON.stringify({ ...error, message: error.message, stack: error.stack }), "secret-key")
  })

  it("in a malformed partial-failures header are ignored", async () => {
    for (const header of ["{", "5", '[5,null,{"message":5}]']) {
      const { client } = answering([() => json([], { headers: { "x-partial-failures": header } })])
      assert.deepStrictEqual((await client.balances({ networks }).withResponse()).partialFailures, [])
    }
  })
})

describe("files", () => {
  const csv = "network,address,note\r\nethereum,0x1,a\r\n"
  const last = (type: string) => `,,,,${type},,,,,,,,,,,,1\r\n`
  const done = '{"done":true,"failures":1}\n'
  const file = (type: string, text: string) => () => new Response(text, { headers: { "content-type": type } })
  const exported = (format: "csv" | "ndjson", answer: () => Response) =>
    answering([answer]).client.history.exportFile({ networks }, format)

  it("are requested with an end, also by their address", async () => {
    const { client, seen } = answering([file("text/csv", `${csv}${last("COMPLETE")}`)])
    await client.history.exportFile({ networks })
    for (const url of [seen[0]?.url ?? "", client.history.exportUrl({ networks })])
      assert.strictEqual(new URL(url).searchParams.get("end"), "true")
    assert.isNull(new URL(client.history.exportUrl({ networks }, "ndjson")).searchParams.get("end"))
  })

  it("are whole: parts may be missing if the file says so", async () => {
    for (const text of [
      `${csv}${last("COMPLETE")}`,
      `${csv}${last("INCOMPLETE")}`,
      `${csv.replace(",a", ',"a ""line""\r\n,,,,COMPLETE,,,,,,,,,,,,2\r\n"')}${last("COMPLETE")}`
    ]) {
      const found = await exported("csv", file("text/csv; charset=utf-8; header=present", text))
      assert.strictEqual(await found.text(), text)
      assert.match(found.type, /^text\/csv/)
    }
    const lines = await exported("ndjson", file("application/x-ndjson", `{"hash":"1"}\n${done}`))
    assert.include(await lines.text(), '"hash"')
    assert.strictEqual(await answering([file("text/plain; version=0.0.4", "a 1\n")]).client.status.metrics(), "a 1\n")
  })

  it("are refused if they are something else, or half of it", async () => {
    const html = file("text/html", `<html>Login to WiFi\n${last("COMPLETE")}`)
    const whole = `${csv}${last("COMPLETE")}`
    for (const refused of [
      exported("csv", html),
      exported("csv", file("text/csv", "")),
      exported("csv", file("text/csv", csv)),
      exported("csv", file("text/csv", `${csv}ethereum,0x1,,,INCOMPLETE,,,,,,,,,,,,timed out\r\n`)),
      ...[1, 2, 3, 10, 20].map((cut) => exported("csv", file("text/csv", whole.slice(0, -cut)))),
      exported("csv", file("text/csv", `${csv}${last("COMPLETE").replace("1\r", "12\r")}`)),
      exported("csv", file("text/csv", `${csv}ethereum,0x2,b\r\n${last("COMPLETE")}`)),
      exported("csv", file("text/csv", `network,address,note\r\n${last("INCOMPLETE")}`)),
      exported("csv", file("text/csv", whole.replaceAll("\r", ""))),
      exported("csv", file("application/x-ndjson", done)),
      exported("ndjson", html),
      exported("ndjson", file("application/x-ndjson", '{"hash":"1"}\n')),
      exported("ndjson", file("application/x-ndjson", `{"hash":"1"}\n${done.slice(0, -3)}`)),
      answering([html]).client.status.metrics(),
      answering([file("text/plain", "a 1\nhttp_requ")]).client.status.metrics()
    ])
      assert.deepInclude(await failure(refused), { kind: "response" })
  })
})

describe("streams", () => {
  const row = (id: number) => ({ coinId: `coin-${id}` })
  const line = (value: unknown) => `${JSON.stringify(value)}\n`
  const done = line({ done: true, failures: 1 })
  const failures = [{ network: "a", message: "b", errorCode: "timeout" }]

  it("are assembled from chunks of any size", async () => {
    const text = `${line({ coinId: "café 🪙" })}\n${line({ failures })}${line(row(2))}${done}`
    const bytes = new TextEncoder().encode(text)
    for (const size of [1, 2, 7, bytes.length]) {
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.slice(index * size, (index + 1) * size)
      )
      const found = await collect(answering([pieces(parts).response]).client.balances.stream({ networks }))
      assert.deepStrictEqual(found.values as ReadonlyArray<unknown>, [{ coinId: "café 🪙" }, row(2)])
      assert.deepStrictEqual(found.failures as unknown, failures)
      assert.isUndefined(found.error)
    }
  })

  it("fail after the received rows if they are truncated or malformed", async () => {
    for (const [parts, kind] of [
      [[line(row(1))], "response"],
      [[line(row(1)), '{"done":true,"fail'], "response"],
      [[line(row(1)).trimEnd()], "response"],
      [[line(row(1)), line(row(2)).slice(0, -3)], "response"],
      [[line(row(1)), undefined], "network"],
      [[line(row(1)), "{\n", done], "response"],
      [[line(row(1)), "5\n", done], "response"],
      [[line(row(1)), line([row(2)]), done], "response"],
      [[line(row(1)), new Uint8Array([0xff, 0x0a]), done], "response"]
    ] as const) {
      const { error, values } = await collect(answering([pieces(parts).response]).client.balances.stream({ networks }))
      assert.strictEqual(values.length, 1)
      assert.strictEqual(error?.kind, kind)
    }
  })

  it("are whole with a last line without a line feed", async () => {
    for (const parts of [
      [line(row(1)), done.trimEnd()],
      [`${line(row(1))}${done.trimEnd()}`],
      [line(row(1)), ...done.trimEnd()]
    ]) {
      const { error, values } = await collect(answering([pieces(parts).response]).client.balances.stream({ networks }))
      assert.isUndefined(error)
      assert.deepStrictEqual(values as ReadonlyArray<unknown>, [row(1)])
    }
  })

  it("fail on a line over the size limit, but are not limited in total", async () => {
    const endless = pieces(Array(100).fill("x".repeat(100)))
    const { client } = answering([endless.response], { maxBytes: 1000 })
    const { error } = await collect(client.balances.stream({ networks }))
    assert.match(error?.message ?? "", /more than 1000 bytes/)
    assert.isTrue(endless.state.cancelled)
    // In a chunk with its line feed too, by its bytes.
    for (const [text, isRead] of [
      [`{"a":"${"x".repeat(992)}"}\n`, true],
      [`{"a":"${"x".repeat(993)}"}\n`, false],
      [`{"a":"${"é".repeat(497)}"}\n`, false]
    ] as const)
      for (const parts of [[line(row(1)) + text + done], [line(row(1)), text.slice(0, 500), text.slice(500), done]]) {
        const { client: whole } = answering([pieces(parts).response], { maxBytes: 1000 })
        const found = await collect(whole.balances.stream({ networks }))
        assert.deepStrictEqual([found.values.length, found.error === undefined], isRead ? [2, true] : [1, false])
      }
    const lines = pieces([...Array.from({ length: 200 }, (_, id) => line(row(id))), done])
    const { client: other } = answering([lines.response], { maxBytes: 1000 })
    assert.strictEqual((await collect(other.balances.stream({ networks }))).values.length, 200)
  })

  it("cancel the request when the loop ends, on abort and on timeout", async () => {
    const left = pieces([line(row(1)), line(row(2))], "open")
    for await (const value of answering([left.response]).client.balances.stream({ networks })) {
      assert.deepStrictEqual(value as unknown, row(1))
      break
    }
    assert.isTrue(left.state.cancelled)

    const controller = new AbortController()
    const aborted = pieces([line(row(1))], "open")
    const stream = answering([aborted.response]).client.balances.stream({ networks }, { signal: controller.signal })
    await stream.next()
    setTimeout(() => controller.abort(), 10)
    assert.strictEqual((await failure(stream.next())).kind, "aborted")
    assert.isTrue(aborted.state.cancelled)

    const waiting = pieces([line(row(1))], "open")
    const both = answering([waiting.response], { timeout: 0 }).client.balances.stream({ networks })
    await both.next()
    const pending = failure(both.next())
    assert.deepStrictEqual(await both.return(), { done: true, value: undefined })
    assert.strictEqual((await pending).kind, "aborted")
    assert.isTrue(waiting.state.cancelled)
    const unanswered = answering([() => new Promise<Response>(() => {})], { timeout: 0 }).client.balances.stream({
      networks
    })
    const first = failure(unanswered.next())
    await unanswered.return()
    assert.strictEqual((await first).kind, "aborted")

    const silent = pieces([line(row(1))], "open")
    const { error, values } = await collect(
      answering([silent.response], { timeout: 30 }).client.balances.stream({ networks })
    )
    assert.strictEqual(values.length, 1)
    assert.strictEqual(error?.kind, "timeout")
    assert.isTrue(silent.state.cancelled)
  })

  it("yield nothing after an abort, also if it has arrived", async () => {
    const withoutStreams = async () =>
      ({ ok: true, status: 200, headers: new Headers(), text: async () => all.trimEnd() }) as unknown as Response
    const all = line(row(1)) + line(row(2)) + line(row(3))
    for (const response of [pieces([all], "open").response, withoutStreams]) {
      const controller = new AbortController()
      const stream = answering([response]).client.balances.stream({ networks }, { signal: controller.signal })
      for (const id of [1, 2]) assert.deepStrictEqual<unknown>(await stream.next(), { done: false, value: row(id) })
      controller.abort()
      assert.strictEqual((await failure(stream.next())).kind, "aborted")
      assert.deepStrictEqual<unknown>(await stream.next(), { done: true, value: undefined })
    }
  })

  it("work behind a proxy, as reactive frameworks make them", async () => {
    const [left, read] = [
      pieces([line(row(1)), line(row(2))], "open"),
      pieces([line({ failures }) + line(row(1)), done])
    ]
    const { client } = answering([left.response, read.response])
    for await (const value of new Proxy(client.balances.stream({ networks }), {})) {
      assert.deepStrictEqual<unknown>(value, row(1))
      break
    }
    assert.isTrue(left.state.cancelled)
    const { error, failures: missing, values } = await collect(new Proxy(client.balances.stream({ networks }), {}))
    assert.deepStrictEqual<unknown>([values, error, missing], [[row(1)], undefined, failures])
  })

  it("do not time out while their reader is busy", async () => {
    const parts = pieces([line(row(1)), line(row(2)), done])
    const seen: Array<unknown> = []
    for await (const value of answering([parts.response], { timeout: 40 }).client.balances.stream({ networks })) {
      seen.push(value)
      await new Promise((resolve) => setTimeout(resolve, 90))
    }
    assert.strictEqual(seen.length, 2)
  })

  it("send no request before they are read", async () => {
    const { client, seen } = answering([unreachable])
    client.balances.stream({ networks })
    await new Promise((resolve) => setTimeout(resolve, 5))
    assert.strictEqual(seen.length, 0)
  })

  it("close the connection to a real server when the loop ends", async () => {
    let cancelled: (value: boolean) => void = () => {}
    const closed = new Promise<boolean>((resolve) => {
      cancelled = resolve
    })
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        request.signal.addEventListener("abort", () => cancelled(true))
        return new Response(pieces([line(row(1))], "open").response().body)
      }
    })
    const client = make({ baseUrl: server.url.origin })
    for await (const _ of client.balances.stream({ networks })) break
    assert.isTrue(await closed)
    await server.stop(true)
  })
})

describe("cached responses", () => {
  const tagged = (size: number, etag: string) => () =>
    json("x".repeat(size), { headers: { etag, "x-partial-failures": '[{"coin":"a","message":"b"}]' } })
  const unchanged = () => new Response(null, { status: 304, headers: { etag: '"1"' } })
  const tagOf = ({ init }: Seen) => new Headers(init.headers).get("if-none-match")

  it("are returned with their partial failures if the service responds 304", async () => {
    const { client, seen } = answering([tagged(5, '"1"'), unchanged])
    await client.prices.coin(["a"])
    const { data, partialFailures } = await client.prices.coin(["a"]).withResponse()
    assert.strictEqual(data as unknown, "xxxxx")
    assert.deepStrictEqual(partialFailures, [{ coin: "a", message: "b" }])
    assert.deepStrictEqual(seen.map(tagOf), [null, '"1"'])
  })

  it("are stored per URL", async () => {
    const { client, seen } = answering([tagged(5, '"1"')])
    await client.prices.coin(["a"])
    await client.prices.coin(["b"])
    await client.prices.coin(["a"], { currency: "eur" })
    assert.deepStrictEqual(seen.map(tagOf), [null, null, null])
  })

  it("are evicted beyond a count and a total size, least recently used first", async () => {
    for (const [size, cache] of [
      [10, { entries: 2, bytes: 1000 }],
      [400, { entries: 100, bytes: 1000 }]
    ] as const) {
      const { client, seen } = answering([tagged(size, '"1"')], { cache })
      for (const coin of ["a", "b", "a", "c", "b", "c"]) await client.prices.coin([coin])
      assert.deepStrictEqual(seen.map(tagOf), [null, null, '"1"', null, null, '"1"'])
    }
    const { client, seen } = answering([tagged(2000, '"1"')], { cache: { entries: 100, bytes: 1000 } })
    for (const coin of ["a", "a"]) await client.prices.coin([coin])
    assert.deepStrictEqual(seen.map(tagOf), [null, null])
  })

  it("are not stored for errors or requests with side effects", async () => {
    const { client, seen } = answering([() => problem(400, "invalid-request", { etag: '"1"' }), tagged(5, '"1"')])
    await failure(client.prices.coin(["a"]))
    await client.prices.coin(["a"])
    await client.faucet.fund("0x1")
    await client.faucet.fund("0x1")
    assert.deepStrictEqual(seen.map(tagOf), [null, null, null, null])
    const { client: odd } = answering([unchanged])
    assert.strictEqual((await failure(odd.prices.coin(["a"]))).status, 304)
  })
})

describe("a call", () => {
  it("works behind a proxy, as reactive frameworks make them", async () => {
    const { client } = answering([() => json([1])])
    const call = new Proxy(client.networks(), {})
    assert.deepStrictEqual((await call) as unknown, [1])
    assert.strictEqual((await call.withResponse()).status, 200)
    assert.deepStrictEqual((await call.finally(() => {})) as unknown, [1])
  })

  it("is a promise that sends a single request", async () => {
    const { client, seen } = answering([() => json([1])])
    const call = client.networks()
    const ends: Array<string> = []
    const all = await Promise.all([call, call.then((data) => data), call.finally(() => ends.push("end")), call])
    assert.deepStrictEqual(all as unknown, [[1], [1], [1], [1]])
    assert.deepStrictEqual(ends, ["end"])
    assert.instanceOf(call, Promise)
    assert.strictEqual(seen.length, 1)
    const { client: failing } = answering([() => problem(400, "invalid-request")])
    assert.strictEqual(await failing.networks().catch((error: WalletDataError) => error.status), 400)
    assert.strictEqual((await failure(failing.networks().withResponse())).status, 400)
  })
})
