// Serves every upstream of the sandbox over HTTP in a separate process: `/<name of the upstream>/<its path>`.
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import * as World from "../hot/World.ts"

/** Numbers from 0 to 1, the same in each run (SplitMix32). */
const seeded = (seed: number) => () => {
  seed = (seed + 0x9e3779b9) | 0
  let mixed = Math.imul(seed ^ (seed >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}

const random = seeded(1)

/** A normally distributed number (Box-Muller). */
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

const program = Effect.gen(function* () {
  const http = yield* HttpClient.HttpClient
  const runtime = yield* Effect.runtime()
  // Set by the load: milliseconds before each response, their spread, and the share of failures.
  let latency = 0
  let spread = 0
  let failures = 0
  /** Calls of each upstream since the counts were read last. */
  const counts = new Map<string, number>()
  const server = Bun.serve({
    port: 0,
    // All addresses of 127.0.0.0/8: each upstream has its own.
    hostname: "0.0.0.0",
    fetch: async (request) => {
      const url = new URL(request.url)
      const [, name = "", ...rest] = url.pathname.split("/")
      if (name === "latency") {
        ;[latency = 0, spread = 0, failures = 0] = rest.map(Number)
        return new Response()
      }
      if (name === "counts") {
        const response = Response.json(Object.fromEntries(counts))
        counts.clear()
        return response
      }
      counts.set(name, (counts.get(name) ?? 0) + 1)
      const body = new Uint8Array(await request.arrayBuffer())
      if (latency > 0) await Bun.sleep(latency * Math.exp(spread * normal()))
      if (random() < failures) return new Response("", { status: 500 })
      const target = `https://sandbox.example/${rest.join("/")}${url.search}`
      const asked = HttpClientRequest.make(request.method as "GET")(target)
      const answer = http.execute(HttpClientRequest.bodyUint8Array(asked, body, "application/json")).pipe(
        Effect.provideService(CurrentUpstream, { name, secrets: [] }),
        Effect.flatMap((response) =>
          Effect.map(response.text, (text) => new Response(text, { status: response.status }))
        ),
        Effect.catchAll(() => Effect.succeed(new Response("", { status: 502 })))
      )
      return Runtime.runPromise(runtime)(answer)
    }
  })
  console.log(`"listening on http://127.0.0.1:${server.port}"`)
}).pipe(Effect.provide(process.argv.includes("tokens") ? World.layer : Sandbox.layer(Catalogue.all)))

void Effect.runPromise(program)
