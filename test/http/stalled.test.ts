import { connect } from "node:net"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { idleTimeout, Server } from "../../src/http/Server.ts"
import { serverDependencies, token } from "../support/edge.ts"
import { eventually } from "../support/process.ts"
import { exchange, statusOf } from "../support/rawSocket.ts"
import { assert, describe, it, layer } from "../support/vitest.ts"

const serving = (environment: Readonly<Record<string, string>> = {}) =>
  Server.layer.pipe(
    Layer.provideMerge(serverDependencies({ PORT: "0", HOST: "127.0.0.1", ...environment })),
    Layer.provide(Logger.remove(Logger.defaultLogger))
  )

const head = (path: string, ...fields: ReadonlyArray<string>) =>
  [`POST ${path} HTTP/1.1`, "host: a", "content-type: application/json", ...fields, "", ""].join("\r\n")

/**
 * Opens a connection that sends only this text. `answered` is the first status, or 0 if the connection closes; `ended`
 * is the whole response, once the connection closes.
 */
const sends = (url: string, text: string) => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  const answered = new Promise<number>((resolve) => {
    socket.once("data", (bytes) => resolve(statusOf(bytes.toString("latin1"))))
    socket.once("close", () => resolve(0))
    socket.once("error", () => resolve(0))
  })
  let received = ""
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1")
  })
  const ended = new Promise<string>((resolve) => socket.once("close", () => resolve(received)))
  socket.write(text)
  return { answered, ended, leave: () => void socket.destroy() }
}

const query = (url: string, path: string, body: unknown) =>
  Effect.promise(async () => {
    const content = JSON.stringify(body)
    const answer = await exchange(
      url,
      `${head(path, `content-length: ${content.length}`, "connection: close")}${content}`
    )
    return statusOf(answer ?? "")
  })

/** Waits until bodies reserve this number of bytes. */
const reserves = (url: string, bytes: number) => {
  const metrics = Effect.promise(async () => (await fetch(`${url}/metrics`)).text())
  return eventually(Effect.filterOrFail(metrics, (text) => text.includes(`\nhttp_request_body_bytes ${bytes}\n`)))
}

const long = "content-length: 100"
const chunked = "transfer-encoding: chunked"

describe("a body that never arrives", () => {
  layer(serving({ REQUEST_DEADLINE_MS: "100" }), { excludeTestServices: true })((it) => {
    for (const [name, text] of Object.entries({
      "sent to an API route": `${head("/balance", long)}{`,
      "sent to an API route, in chunks": `${head("/balance", chunked)}1\r\n{\r\n`,
      "sent as a proxied call": `${head("/utils/rpc/base", long)}{`,
      "sent as a proxied call, in chunks": `${head("/utils/rpc/base", chunked)}1\r\n{\r\n`,
      "sent as a raw transaction": `${head("/utils/sendrawtransaction", long)}{`,
      "without a first byte": head("/balance", long)
    }))
      it.effect(`times out: ${name}`, function* () {
        const { url } = yield* Server
        const { answered, ended } = sends(url, text)
        assert.strictEqual(yield* Effect.promise(() => answered), 504)
        assert.match(yield* Effect.promise(() => ended), /^connection: close\r$/im)
      })
  })

  it.live("takes no request slot", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const stalled = ["/balance/token", "/utils/rpc/base"].flatMap((path) =>
        Array.from({ length: 5 }, () => sends(url, `${head(path, long)}{`))
      )
      yield* reserves(url, 10 * 16_384)
      assert.strictEqual(yield* query(url, "/balance/token", token("any")), 200)
      assert.strictEqual(yield* query(url, "/utils/rpc/base", { jsonrpc: "2.0", id: 1, method: "eth_chainId" }), 200)
      for (const { leave } of stalled) leave()
      yield* reserves(url, 0)
    }).pipe(Effect.provide(serving({ MAX_REQUESTS: "2" })))
  )

  it.live("uses at most the memory for all bodies, and leaves a share to other clients", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const megabyte = "content-length: 1048576"
      const from = (client: string, path = "/balance") =>
        sends(url, `${head(path, megabyte, `x-forwarded-for: ${client}`)}{`)
      const first = Array.from({ length: 64 }, (_, index) =>
        from("192.0.2.1", index % 2 === 0 ? "/balance" : "/utils/rpc/base")
      )
      // Only refused requests get a response.
      assert.strictEqual(yield* Effect.promise(() => Promise.race(first.map(({ answered }) => answered))), 503)
      yield* reserves(url, 59 * 1_048_576)
      const other = from("198.51.100.1")
      yield* reserves(url, 60 * 1_048_576)
      for (const { leave } of [...first, other]) leave()
      yield* reserves(url, 0)
    }).pipe(Effect.provide(serving({ TRUST_PROXY: "1" })))
  )
})

describe("an idle connection", () => {
  it("is closed later than the request deadline, and later than proxies reuse it", () => {
    const times = [100, 15_000, 61_000, 240_000].map(idleTimeout)
    assert.deepStrictEqual(times, [75, 75, 76, 255])
  })
})
