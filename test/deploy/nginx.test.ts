import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { dnsServer } from "../support/dns.ts"
import { eventually } from "../support/process.ts"
import { nginxWith, shipped } from "../support/rolling.ts"
import { isMissing } from "../support/tools.ts"
import { assert, describe, it } from "../support/vitest.ts"

type Respond = (request: Request) => Response | Promise<Response>

const [first, second] = ["127.0.0.1", "127.0.0.2"] as const

/** A replica at this address; port 0 means a free port. */
const replica = (hostname: string, port: number, respond: Respond) =>
  Effect.acquireRelease(
    // The limit of header sizes is that of this process; tests of the binary send longer headers.
    Effect.sync(() => Bun.serve({ port, hostname, fetch: respond })),
    (server) => Effect.promise(() => server.stop(true))
  )

/** A replica that reads a request, records it and closes the connection. */
const breaking = (hostname: string, port: number, taken: Array<string>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.listen({
        hostname,
        port,
        socket: {
          data: (socket, bytes) => {
            taken.push(Buffer.from(bytes).toString("latin1").split(" HTTP/", 1)[0] ?? "")
            socket.end()
          }
        }
      })
    ),
    (server) => Effect.sync(() => server.stop(true))
  )

/** nginx with the shipped configuration, in front of replicas with this port at the addresses that DNS returns. */
const nginx = Effect.fnUntraced(function* (port: number | undefined, addresses: () => ReadonlyArray<string>) {
  const dns = yield* Effect.acquireRelease(
    Effect.promise(() => dnsServer(addresses)),
    ({ stop }) => Effect.sync(stop)
  )
  return yield* nginxWith((own, folder) =>
    shipped({ port: own, folder })
      .replace("resolver 127.0.0.11", `resolver 127.0.0.1:${dns.port}`)
      .replaceAll("$replicas:3000", `$replicas:${port}`)
  )
})

const fetched = (url: string, init?: RequestInit) => Effect.promise(() => fetch(url, init))

const textOf = (url: string, init?: RequestInit) =>
  Effect.flatMap(fetched(url, init), (response) => Effect.promise(() => response.text()))

const post: RequestInit = { method: "POST", body: "x" }

describe.skipIf(isMissing("nginx"))("nginx in front of two replicas", () => {
  it.scopedLive("forwards long headers, client addresses and streams, and hides /metrics", function* () {
    const read = yield* Deferred.make<void>()
    const runtime = yield* Effect.runtime()
    const wait = () => Runtime.runPromise(runtime)(Deferred.await(read))
    const respond: Respond = ({ headers, url }) => {
      if (!url.endsWith("/stream")) return Response.json([url.length, headers.get("x-forwarded-for")])
      const body = async function* () {
        yield "first\n"
        await wait()
        yield "second\n"
      }
      return new Response(body() as never, { headers: { "content-type": "application/x-ndjson" } })
    }
    const { port } = yield* replica(first, 0, respond)
    const url = yield* nginx(port, () => [first])
    const query = "x".repeat(12_000)
    const long = yield* fetched(`${url}/${query}`, { headers: { "x-forwarded-for": "1.2.3.4" } })
    assert.deepStrictEqual(yield* Effect.promise(() => long.json()), [`${url}/${query}`.length, "127.0.0.1"])
    // Too long for the replicas of this test (431): nginx forwards it instead of rejecting it (414). The replica may
    // close the connection before nginx has sent everything (502).
    const longer = yield* fetched(`${url}/${"x".repeat(390_000)}`)
    assert.include([431, 502], longer.status)
    for (const path of ["/metrics", "/metrics/", "/%6detrics", "//metrics", "/metrics?x=1", "/x/../metrics/"])
      assert.strictEqual((yield* fetched(`${url}${path}`)).status, 404, path)
    const stream = yield* fetched(`${url}/stream`)
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
    const line = Effect.map(
      Effect.promise(() => reader.read()),
      ({ value }) => new TextDecoder().decode(value)
    )
    assert.strictEqual(yield* line, "first\n")
    yield* Deferred.succeed(read, undefined)
    assert.strictEqual(yield* line, "second\n")
  })

  it.scopedLive("loses no POST when a replica stops, and finds new replicas", function* () {
    let addresses: ReadonlyArray<string> = [first, second]
    const one = yield* replica(first, 0, () => new Response("one"))
    const port = one.port ?? 0
    const two = yield* replica(second, port, () => new Response("two"))
    const url = yield* nginx(port, () => addresses)
    const both = yield* Effect.forEach(Array.from({ length: 40 }), () => textOf(`${url}/before`, post))
    assert.deepStrictEqual([...new Set(both)].sort(), ["one", "two"])
    yield* Effect.promise(() => one.stop())
    const after = yield* Effect.forEach(Array.from({ length: 40 }), () => textOf(`${url}/after`, post), {
      concurrency: 5
    })
    assert.deepStrictEqual([...new Set(after)], ["two"])
    yield* replica("127.0.0.3", port, () => new Response("three"))
    addresses = ["127.0.0.3"]
    yield* Effect.promise(() => two.stop())
    yield* eventually(
      Effect.filterOrFail(
        textOf(`${url}/new`, post),
        (text) => text === "three",
        () => "not found yet" as const
      )
    )
  })

  it.scopedLive("retries only reads: no POST, and no GET with side effects", function* () {
    const taken: Array<string> = []
    const other: Array<string> = []
    const two = yield* replica(second, 0, ({ method, url }) => {
      other.push(`${method} ${new URL(url).pathname}`)
      return new Response("two")
    })
    yield* breaking(first, two.port ?? 0, taken)
    const url = yield* nginx(two.port, () => [first, second])
    const send = (path: string, init?: RequestInit) =>
      Effect.map(Effect.replicateEffect(fetched(`${url}${path}`, init), 20), (all) => all.map(({ status }) => status))
    for (const [path, init] of [
      ["/utils/sendrawtransaction", post],
      ["/utils/rpc/base", post],
      ["/utils/simulate-tx", post],
      ["/balance", post],
      ["/utils/fund-testnet-account/0x00000000219ab540356cBB839Cbe05303d7705Fa", {}]
    ] as const) {
      taken.length = 0
      other.length = 0
      const statuses = yield* send(path, init)
      assert.deepStrictEqual([...new Set(statuses)].sort(), [200, 502], path)
      assert.strictEqual(taken.length + other.length, 20, path)
      assert.strictEqual(statuses.filter((status) => status === 502).length, taken.length, path)
    }
    taken.length = 0
    assert.deepStrictEqual([...new Set(yield* send("/networks"))], [200])
    assert.isAbove(taken.length, 0)
  })
})
