import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { infos } from "../../src/networks/Networks.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../src/upstreams/CurrentUpstream.ts"

/** The simulated nodes behind the paths of the RPC proxy, for clients that know nothing of this service. */
export class Proxy extends Context.Tag("test/Proxy")<
  Proxy,
  {
    /** Before `/utils/rpc/{network}`. */
    readonly url: string
  }
>() {
  static readonly layer = Layer.scoped(
    Proxy,
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const runtime = yield* Effect.runtime<never>()
      const passOn = (request: Request) =>
        Effect.gen(function* () {
          const [, network = "", testnet = ""] =
            /^\/utils\/rpc\/([\w-]+)(\/testnet)?$/.exec(new URL(request.url).pathname) ?? []
          const trial = testnet === "" ? "" : "-testnet"
          const name = network === "ton" && trial === "" ? "toncenter" : `${network}${trial}-rpc`
          const body = yield* Effect.promise(() => request.text())
          const response = yield* http
            .execute(HttpClientRequest.bodyText(HttpClientRequest.post("http://node.test/api/v2/jsonRPC"), body))
            .pipe(Effect.provideService(CurrentUpstream, { name, secrets: [] }))
          return new Response(yield* response.text, {
            status: response.status,
            headers: { "content-type": "application/json" }
          })
        })
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Bun.serve({
            hostname: "127.0.0.1",
            port: 0,
            fetch: (request) => Runtime.runPromise(runtime)(passOn(request))
          })
        ),
        (server) => Effect.promise(() => server.stop(true))
      )
      return { url: `http://127.0.0.1:${server.port}` }
    })
  ).pipe(Layer.provide(Layer.fresh(Sandbox.layer(infos))))
}
