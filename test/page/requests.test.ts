import { assert, describe, it } from "@effect/vitest"
import { make } from "../../src/client/Client.ts"
import { type RecordedCall, recorded } from "../../src/page/state/recording.ts"
import { codeOf, curlOf, jsonOf, requestOf } from "../../src/page/text/request.ts"

const baseUrl = "https://service.example"
const rows = [1, 2].map((balance) => JSON.stringify({ balance }))
const body = [...rows, '{"done":true,"failures":0}', ""].join("\n")

const csv = "type,note\r\n,,,COMPLETE,,0\r\n"

/** A client whose calls are recorded, and the recorded states of the calls. */
const recording = (isBroken = false) => {
  const calls: Array<RecordedCall> = []
  const client = make({
    baseUrl,
    apiKey: "secret",
    retries: 0,
    fetch: (url) => {
      if (isBroken) return Promise.reject(new TypeError("down"))
      const isStream = url.endsWith("/balance")
      if (url.includes("/history/export"))
        return Promise.resolve(new Response(csv, { headers: { "content-type": "text/csv" } }))
      return Promise.resolve(
        isStream
          ? new Response(body, { headers: { "content-type": "application/x-ndjson" } })
          : Response.json({ price: "1" })
      )
    }
  })
  return { calls, client: recorded(client, (call) => calls.push(call)) }
}

const { signal } = new AbortController()

describe("recorded calls", () => {
  it("have method, arguments and response, without the page's abort signal", async () => {
    const { calls, client } = recording()
    const call = client.addresses.lookUp("a/b", { signal })
    assert.strictEqual((await call.withResponse()).status, 200)
    assert.deepStrictEqual(await call, { price: "1" } as never)
    const waiting = { method: ["addresses", "lookUp"], args: ["a/b"], isStream: false, answer: { state: "waiting" } }
    assert.deepStrictEqual(calls, [
      waiting,
      { ...waiting, answer: { state: "answered", data: { price: "1" } } }
    ] as never)
    await client.status.ready({ signal, timeout: 1 })
    assert.deepStrictEqual(calls.at(-1)?.method, ["status", "ready"])
    assert.deepStrictEqual(calls.at(-1)?.args, [{ timeout: 1 }])
  })

  it("of a stream have its values and their number, and do not change the stream", async () => {
    const { calls, client } = recording()
    const stream = client.balances.stream({ networks: { ethereum: ["a"] } }, { signal })
    assert.deepStrictEqual(stream.failures, [])
    const seen = await Array.fromAsync(stream)
    assert.lengthOf(seen, 2)
    assert.deepStrictEqual(calls.at(-1)?.answer, { state: "answered", data: seen, values: 2 })
    assert.isTrue(calls.at(-1)?.isStream)
  })

  it("of a file have its type and size, but not its content", async () => {
    const { calls, client } = recording()
    const file = await client.history.exportFile({ networks: { ethereum: ["a"] } })
    assert.strictEqual(await file.text(), csv)
    assert.deepStrictEqual(calls.at(-1)?.answer, { state: "answered", data: { type: file.type, bytes: file.size } })
  })

  it("that fail have the error, and reject for the caller as well", async () => {
    const { calls, client } = recording(true)
    const error = await client.networks().catch((cause: unknown) => cause)
    assert.deepStrictEqual(calls.at(-1)?.answer, { state: "failed", error })
  })
})

describe("the request of a call", () => {
  const call: RecordedCall = {
    method: ["balances", "stream"],
    args: [{ networks: { ethereum: ["it's\u202e"] } }],
    isStream: true,
    answer: { state: "waiting" }
  }

  it("is a curl command that is safe in a shell and has a placeholder for the key", async () => {
    const request = await requestOf(call, { baseUrl, apiKey: "secret" })
    if (request === undefined) return assert.fail("there is no request")
    assert.deepStrictEqual(curlOf(request, true).split(" \\\n  "), [
      "curl -X POST 'https://service.example/balance'",
      "-H 'accept: application/x-ndjson'",
      "-H 'x-api-key: YOUR_API_KEY'",
      "-H 'content-type: application/json'",
      `-d '{"networks":{"ethereum":["it'\\''s\\u202e"]}}'`
    ])
    const lookUp = await requestOf(
      { ...call, method: ["addresses", "lookUp"], args: ["a b'"], isStream: false },
      { baseUrl }
    )
    assert.strictEqual(lookUp && curlOf(lookUp, false), "curl 'https://service.example/address/a%20b'\\'''")
  })

  it("is client code for the same call", () => {
    assert.include(codeOf(call, baseUrl, true), 'make({ baseUrl: "https://service.example", apiKey: "YOUR_API_KEY" })')
    assert.include(
      codeOf(call, baseUrl, false),
      `for await (const value of client.balances.stream({"networks":{"ethereum":["it's\\u202e"]}}))`
    )
    const networks = { ...call, method: ["networks"], args: [], isStream: false }
    assert.match(codeOf(networks, baseUrl, false), /console\.log\(await client\.networks\(\)\)$/)
  })

  it("has its response as JSON, with visible characters only and a limited length", () => {
    assert.strictEqual(jsonOf({ name: "a\u202eb\u{e0041}" }), '{\n  "name": "a\\u202eb\\udb40\\udc41"\n}')
    assert.deepStrictEqual(JSON.parse(jsonOf({ name: "\u202e" })), { name: "\u202e" })
    assert.match(jsonOf("x".repeat(30_000)), /… cut off here$/)
    assert.strictEqual(jsonOf(undefined), "")
  })
})
