// Every upstream of the sandbox over HTTP, in a process of its own: `/<name of the upstream>/<its path>`.
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"

const program = Effect.gen(function* () {
  const http = yield* HttpClient.HttpClient
  const runtime = yield* Effect.runtime()
  /** Milliseconds before each answer; the load sets it. */
  let latency = 0
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const url = new URL(request.url)
      const [, name = "", ...rest] = url.pathname.split("/")
      if (name === "latency") {
        latency = Number(rest[0])
        return new Response()
      }
      const body = new Uint8Array(await request.arrayBuffer())
      if (latency > 0) await Bun.sleep(latency)
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
}).pipe(Effect.provide(Sandbox.layer(Catalogue.all)))

void Effect.runPromise(program)
