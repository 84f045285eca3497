import { gunzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { Server } from "../src/http/Server.ts"
import { body, Service } from "./support/app.ts"
import { Edge, problem, serverDependencies } from "./support/edge.ts"
import { type Hostile, hostile, inherited } from "./support/hostile.ts"
import { exchange, statusOf } from "./support/rawSocket.ts"
import { assert, built, describe, it, layer } from "./support/vitest.ts"

/** Whether a Request can represent it; sockets test the others. */
const isSendable = ({ method, target }: Hostile) => target.startsWith("/") && !["TRACE", "CONNECT"].includes(method)

const toRequest = ({ body, headers, method, target }: Hostile) =>
  new Request(`http://wallet.test${target}`, {
    method,
    headers: headers.map(([name, text]) => [name, text]),
    ...(body === undefined || method === "GET" || method === "HEAD" ? {} : { body })
  })

const post = (path: string, text: string) =>
  new Request(`http://wallet.test${path}`, {
    method: "POST",
    body: text,
    headers: { "content-type": "application/json" }
  })

/** The decompressed body. */
const textOf = async (response: Response) => {
  const bytes = Buffer.from(await response.arrayBuffer())
  const encoding = response.headers.get("content-encoding")
  const plain =
    encoding === "zstd" ? Buffer.from(Bun.zstdDecompressSync(bytes)) : encoding === "gzip" ? gunzipSync(bytes) : bytes
  return plain.toString()
}

layer(Service.layer(), { excludeTestServices: true })("the whole service, simulated", (it) => {
  it("responds to any request without an internal error, with a request id and consistent problems", function* () {
    const { handler } = yield* Service
    const property = FastCheck.asyncProperty(hostile(2_000).filter(isSendable), async (request) => {
      const response = await handler(toRequest(request))
      const text = await textOf(response)
      assert.notStrictEqual(response.status, 500, text)
      assert.isNotEmpty(response.headers.get("x-request-id"))
      if (response.headers.get("content-type") !== "application/problem+json" || request.method === "HEAD") return
      assert.strictEqual(JSON.parse(text).status, response.status)
      assert.notMatch(text, /\bat \w+ \(|\.ts:\d|node_modules/)
    })
    yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 300 }))
  })

  it("treats names that every object inherits as unknown names", function* () {
    const { get, handler } = yield* Service
    const status = (request: Request) =>
      Effect.map(
        Effect.promise(() => handler(request)),
        (found) => found.status
      )
    for (const name of inherited) {
      const quoted = JSON.stringify(name)
      assert.strictEqual((yield* get(`/price/coin/details/${name}/abc`)).status, 404, name)
      assert.strictEqual((yield* get(`/price/coin/details/${name}`)).status, 404, name)
      assert.strictEqual((yield* get(`/price?network_ids=1&${name}=1`)).status, 400, name)
      assert.deepStrictEqual(yield* body(yield* get(`/price/coin?coin_ids=${name}`)), {}, name)
      assert.strictEqual(yield* status(post("/balance", `{"networks":{},${quoted}:1}`)), 400, name)
      assert.strictEqual(yield* status(post(`/utils/rpc/${name}`, "{}")), 404, name)
      const skipped = yield* Effect.promise(() => handler(post("/balance", `{"networks":{${quoted}:["a"]}}`)))
      assert.deepStrictEqual(yield* body(skipped), [], name)
      const listed = yield* Effect.promise(() => handler(post("/history", `{"networks":{"base":[${quoted}]}}`)))
      assert.strictEqual(yield* Effect.promise(() => listed.text()), `{"base":{${quoted}:[]}}`)
    }
  })
})

/** Values that are expensive for a schema or a formatter, in bodies and queries of about the largest accepted size. */
const large = 1_000_000
const list = (text: string) => Array.from({ length: Math.floor(large / (text.length + 1)) }, () => text).join(",")

const oversized: ReadonlyArray<readonly [what: string, status: number, path: string, text?: string]> = [
  ["wrong addresses", 413, "/balance", `{"networks":{"ethereum":[${list("1")}]}}`],
  ["addresses", 413, "/history", `{"networks":{"ethereum":[${list('"a"')}]}}`],
  ["networks", 413, "/history", `{"networks":{${Array.from({ length: 80_000 }, (_, at) => `"${at}":1`).join(",")}}}`],
  ["unknown members", 413, "/balance", `{${Array.from({ length: 80_000 }, (_, at) => `"${at}":1`).join(",")}}`],
  ["network ids", 413, "/utils/first-tx", `{"address":"a","networkIds":[${list("1")}]}`],
  ["values of a simulation", 413, "/utils/simulate-tx", `{"chain":"1","input":[${list("{}")}]}`],
  ["values of a transaction", 413, "/utils/sendrawtransaction", `{"tx":[${list("[]")}]}`],
  ["calls", 400, "/utils/rpc/base", `[${Array.from({ length: 1_001 }, () => "{}").join(",")}]`],
  ["values of a call", 413, "/utils/rpc/base", `{"params":[${list("1")}]}`],
  ["coin ids", 400, `/price/coin?coin_ids=${list("a").slice(0, 60_000)}`],
  ["chain ids", 400, `/price?network_ids=${list("1").slice(0, 60_000)}`],
  ["a long query", 400, `/price/coin?coin_ids=${"a+".repeat(100_000)}`],
  ["parameters", 400, `/price/coin?${"a=1&".repeat(16_000)}`],
  ["empty parameters", 400, `/price/coin?${"&".repeat(65_000)}`],
  ["a deep body", 400, "/balance", "[".repeat(large)],
  ["a deep body that is JSON", 400, "/balance/token", "[".repeat(large / 2) + "]".repeat(large / 2)],
  ["a deep member", 400, "/balance", `{"networks":${"[".repeat(100)}${"]".repeat(100)}}`],
  ["a deep transaction", 400, "/utils/getrawtransaction", '{"tx":'.repeat(large / 6)],
  ["a deep call", 400, "/utils/rpc/base", '{"params":['.repeat(large / 11)],
  ["a long text", 400, "/balance", `"${"a".repeat(large)}"`],
  ["a text of escapes", 400, "/balance", `"${'\\"'.repeat(large / 2)}"`],
  ["a long name", 400, "/balance", `{"${"a".repeat(large)}":1}`],
  ["call data", 400, "/utils/simulate-tx", `{"chain":"1","input":{"input":"0x${"0".repeat(large)}g"}}`]
]

layer(Edge.layer())("a very large request", (it) => {
  it.effect.each(oversized.map(([what, ...rest]) => [what, rest] as const))(
    "is rejected with a short response: %s",
    ([, [status, path, text]]) =>
      Effect.gen(function* () {
        const { call } = yield* Edge
        const headers = { "content-type": "application/json" }
        const response = yield* call(path, text === undefined ? {} : { method: "POST", body: text, headers })
        assert.strictEqual(response.status, status)
        assert.isBelow((yield* Effect.promise(() => response.text())).length, 2_000)
      })
  )

  it("gets one issue if many values are wrong, and all issues if few are", function* () {
    const { post: send } = yield* Edge
    const wrong = (count: number) =>
      Effect.flatMap(send("/balance", { networks: { ethereum: Array.from({ length: count }, () => 1) } }), problem)
    assert.strictEqual((yield* wrong(50)).issues?.length, 50)
    assert.deepStrictEqual((yield* wrong(1_500)).issues, [
      { path: "networks.ethereum.0", message: "must be a string; it is 1" }
    ])
  })

  it("may have as many addresses as the operator allows", function* () {
    const { post: send } = yield* built(Edge, Edge.layer({ MAX_ADDRESSES: "5000" }))
    const networks = { ethereum: Array.from({ length: 5_000 }, () => "0x") }
    assert.strictEqual((yield* send("/balance", { networks })).status, 200)
  })
})

/** The HTTP layer on a free port. */
const serving = Server.layer.pipe(
  Layer.provideMerge(serverDependencies({ PORT: "0", HOST: "127.0.0.1" })),
  Layer.provide(Logger.remove(Logger.defaultLogger))
)

const head = (lines: ReadonlyArray<string>) => `${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`
const json = "Content-Type: application/json"
const inChunks = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`

/** Bytes that only a socket can send, and the allowed statuses; 0 if the connection is closed without one. */
const raw: ReadonlyArray<readonly [what: string, statuses: ReadonlyArray<number>, bytes: string]> = [
  ...["", "a b", "a:99999", "[::1", "http://x", "%zz", "\xe9"].map(
    (host) =>
      [
        `a chunked body for the host "${host}"`,
        [200],
        head(["POST /balance HTTP/1.1", `Host: ${host}`, json, "Transfer-Encoding: chunked"]) +
          inChunks('{"networks":{}}')
      ] as const
  ),
  ["no host", [400], head(["GET /health/live HTTP/1.1"])],
  ["HTTP 1.0", [200], head(["GET /health/live HTTP/1.0"])],
  ["another address in the query", [404], head(["GET /nowhere?x=://y/health/live HTTP/1.0"])],
  ["an absolute target", [200], head(["GET http://other.test/health/live HTTP/1.1", "Host: h"])],
  ["an absolute target with an alias", [404], head(["GET http://other.test//health/live HTTP/1.1", "Host: h"])],
  ["a target with a backslash", [404], head(["GET /health\\\\live HTTP/1.1", "Host: h"])],
  ["dot segments, which are resolved first", [200], head(["GET /x/../health/./live HTTP/1.1", "Host: h"])],
  ["a fragment", [404], head(["GET /health/live#x HTTP/1.1", "Host: h"])],
  ["another server's name", [405], head(["CONNECT h:80 HTTP/1.1", "Host: h"])],
  ["an unknown method", [0, 400], head(["FOO /balance HTTP/1.1", "Host: h"])],
  ...["PROPFIND", "TRACE", "CONNECT", "PURGE", "PATCH"].map(
    (method) => [`the method ${method}`, [405], head([`${method} /balance HTTP/1.1`, "Host: h"])] as const
  ),
  ["a HEAD that would pay", [405], head(["HEAD /utils/fund-testnet-account/0x1 HTTP/1.1", "Host: h"])],
  ["a HEAD that would pay, as an alias", [404], head(["HEAD //utils/fund-testnet-account/0x1 HTTP/1.1", "Host: h"])],
  [
    "a form for an alias",
    [404],
    `${head(["POST //balance HTTP/1.1", "Host: h", "Content-Type: multipart/form-data; boundary=x", "Content-Length: 5"])}--x--`
  ],
  [
    "a chunk with an invalid size",
    [0, 400],
    `${head(["POST /balance HTTP/1.1", "Host: h", json, "Transfer-Encoding: chunked"])}zz\r\n{}\r\n0\r\n\r\n`
  ],
  [
    "two lengths",
    [0, 400],
    `${head(["POST /balance HTTP/1.1", "Host: h", json, "Content-Length: 2", "Content-Length: 3"])}{}`
  ],
  ["a header without a name", [0, 400], head(["GET /health/live HTTP/1.1", "Host: h", ": x"])],
  ["a header with a NUL", [0, 400], head(["GET /health/live HTTP/1.1", "Host: h", "a: \0"])],
  ["no HTTP", [0, 400], "\x16\x03\x01\x02\r\n\r\n"],
  [
    "thousands of headers",
    [0, 200, 400, 431],
    head(["GET /health/live HTTP/1.1", "Host: h", ...Array.from({ length: 2_000 }, (_, at) => `h${at}: x`)])
  ]
]

describe("a socket", () => {
  it.live("gets a response to any bytes, and so does the next request", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      for (const [what, statuses, bytes] of raw) {
        const answer = yield* Effect.promise(() => exchange(url, bytes))
        assert.isDefined(answer, what)
        assert.include(statuses, statusOf(answer), `${what}: ${answer.slice(0, 400)}`)
      }
      const after = yield* Effect.promise(() => exchange(url, head(["GET /health/live HTTP/1.1", "Host: h"])))
      assert.strictEqual(statusOf(after ?? ""), 200)
    }).pipe(Effect.provide(serving))
  )
})
