import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { body, Service, textOf } from "../support/app.ts"
import { holder } from "../support/sandbox.ts"
import { assert, layer } from "../support/vitest.ts"

interface Event {
  readonly event: string
  readonly id: string
  readonly data: unknown
}

const eventsOf = (text: string): ReadonlyArray<Event> =>
  [...text.matchAll(/event: (.+)\nid: (.+)\ndata: (.+)\n\n/g)].map(([, event = "", id = "", data = ""]) => ({
    event,
    id,
    data: JSON.parse(data)
  }))

const read = Effect.fnUntraced(function* (path: string) {
  const { get } = yield* Service
  const response = yield* get(path)
  assert.strictEqual(response.status, 200, path)
  assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
  assert.strictEqual(response.headers.get("cache-control"), "no-store")
  const text = yield* textOf(response)
  const events = eventsOf(text)
  assert.strictEqual(
    events.map(({ data, event, id }) => `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`).join(""),
    text
  )
  const last = events.at(-1)
  assert.deepStrictEqual([last?.event, last?.id], ["end", "end"])
  assert.deepStrictEqual(
    events.slice(0, -1).map(({ id }) => id),
    events.slice(0, -1).map((_, index) => String(index + 1))
  )
  return { parts: events.slice(0, -1), end: last?.data }
})

/** Serializes and sorts the data of events, to compare them in any order. */
const sorted = (items: ReadonlyArray<unknown>) => items.map((row) => JSON.stringify(row)).sort()

const refusal = Effect.fnUntraced(function* (path: string) {
  const { get } = yield* Service
  const response = yield* get(path)
  assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
  const problem = yield* body<{ issues?: ReadonlyArray<{ path: string; message: string }> }>(response)
  return [response.status, ...(problem.issues ?? []).map(({ message, path }) => `${path}: ${message}`)]
})

const cash = "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"

layer(Service.layer({ MAX_ADDRESSES: "3" }), { excludeTestServices: true })("the streams for EventSource", (it) => {
  it("emit the balances of POST /balance, each as an event with a name and an id", function* () {
    const { post } = yield* Service
    const networks = { eth: [holder(1)], zkevm: [holder(1)], unheard: ["x"] }
    const plain = yield* body<ReadonlyArray<unknown>>(yield* post("/balance", { networks }))
    const query = `eth:${holder(1)},zkevm:${holder(1)},unheard:x`
    for (const addresses of [query, encodeURIComponent(query), query.replaceAll(",", " , ")]) {
      const { end, parts } = yield* read(`/balance/stream?addresses=${addresses}`)
      const [rows, failures] = Arr.partition(parts, ({ event }) => event === "failures")
      assert.isTrue(rows.every(({ event }) => event === "balance"))
      assert.deepStrictEqual(sorted(rows.map(({ data }) => data)), sorted(plain))
      const message = '"unheard" is not a network of this service'
      const skipped = { network: "unheard", message, errorCode: "unknown_network" }
      assert.deepStrictEqual(
        failures.map(({ data }) => data),
        [{ failures: [skipped] }]
      )
      assert.deepStrictEqual(end, { done: true, failures: 2 })
    }
  })

  it("emit the histories of POST /history, with its options", function* () {
    const { post } = yield* Service
    const networks = { ethereum: [holder(1)], ZKEVM: [holder(1)] }
    for (const [options, query] of [
      [{ limit: 2 }, "&limit=2"],
      [{ limit: 3, meta: true }, "&limit=3&meta=true"],
      [{ meta: false }, "&meta=false"]
    ] as const) {
      const lines = yield* post("/history", { networks, ...options }, { accept: "application/x-ndjson" })
      const addresses = `ethereum:${holder(1)},ZKEVM:${holder(1)}`
      const { end, parts } = yield* read(`/history/stream?addresses=${addresses}${query}`)
      assert.deepStrictEqual(
        parts.map(({ event }) => event),
        ["history", "history"]
      )
      const expected = (yield* textOf(lines)).trim().split("\n")
      assert.deepStrictEqual(sorted([...parts.map(({ data }) => data), end]), expected.sort())
    }
  })

  it("accept an address that contains a colon, and any network name", function* () {
    const { parts } = yield* read(`/balance/stream?addresses=bch:${cash},__proto__:x`)
    assert.deepInclude(parts[0]?.data, { holderAddress: cash })
    const raw = `0:${"a".repeat(64)}`
    const { parts: lists } = yield* read(`/history/stream?addresses=ton:${raw}&limit=1`)
    assert.nestedProperty(lists[0]?.data, `ton.${raw}`)
  })

  it("reject what the POST routes reject, with a problem and before the stream starts", function* () {
    for (const path of ["/balance/stream", "/history/stream"]) {
      assert.deepStrictEqual(yield* refusal(`${path}?addresses=a:1,a:2,b:3,b:4`), [413])
      assert.match(String(yield* refusal(`${path}?address=a:1`)), /^400,address: is not .* mean "addresses"/)
    }
    assert.match(String(yield* refusal("/balance/stream?addresses=a:1&limit=5")), /^400,limit: is not a known query/)
  })

  it("start again at a reconnection, and stop an EventSource that has received the end", function* () {
    const { handler } = yield* Service
    const get = (id: string) =>
      Effect.promise(() =>
        handler(
          new Request(`http://wallet.test/balance/stream?addresses=ethereum:${holder(1)}`, {
            headers: { "last-event-id": id, origin: "https://page.example" }
          })
        )
      )
    const again = yield* get("1")
    assert.strictEqual(again.headers.get("access-control-allow-origin"), "*")
    assert.strictEqual(eventsOf(yield* textOf(again))[0]?.id, "1")
    const over = yield* get("end")
    assert.deepStrictEqual([over.status, yield* textOf(over)], [204, ""])
    assert.strictEqual(over.headers.get("access-control-allow-origin"), "*")
  })

  it("support HEAD, but not POST", function* () {
    const { handler } = yield* Service
    const send = (method: string) =>
      Effect.promise(() => handler(new Request("http://wallet.test/history/stream?addresses=a:1", { method })))
    const head = yield* send("HEAD")
    assert.deepStrictEqual([head.status, yield* textOf(head)], [200, ""])
    const post = yield* send("POST")
    assert.deepStrictEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD, OPTIONS"])
  })
})

layer(Service.layer({ API_KEYS: "secret-of-a-test" }), { excludeTestServices: true })(
  "if API keys are required",
  (it) => {
    it("the streams accept a key only in the header", function* () {
      const { handler } = yield* Service
      const get = (query: string, headers: Record<string, string>) =>
        Effect.promise(() =>
          handler(new Request(`http://wallet.test/balance/stream?addresses=a:1${query}`, { headers }))
        )
      assert.strictEqual((yield* get("", {})).status, 401)
      assert.strictEqual((yield* get("&x-api-key=secret-of-a-test", {})).status, 401)
      assert.strictEqual((yield* get("", { "x-api-key": "secret-of-a-test" })).status, 200)
    })
  }
)
