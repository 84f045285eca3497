import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { exactJson } from "../../src/upstream/response/ResponseDecoder.ts"
import { folder, freeze, onFreePort, start } from "./process.ts"
import { tool } from "./tools.ts"

export class NodeError extends Data.TaggedError("NodeError")<{ readonly method: string; readonly message: string }> {}

/** A regtest node with a wallet. Stops when the layer's scope closes. */
export class Litecoind extends Context.Tag("test/Litecoind")<
  Litecoind,
  {
    /** The result of a call; amounts are floats, in coins, as the node returns them. */
    readonly rpc: <A>(method: string, ...params: ReadonlyArray<unknown>) => Effect.Effect<A, NodeError>
    /** The node's URL with user and password. */
    readonly url: string
    /** Suspends the process: it accepts connections but does not respond until `thaw`. */
    readonly freeze: Effect.Effect<void>
    readonly thaw: Effect.Effect<void>
    /** Kills the process and closes all its connections. */
    readonly kill: Effect.Effect<void>
  }
>() {}

export const layer = Layer.scoped(
  Litecoind,
  Effect.gen(function* () {
    const binary = yield* Effect.fromNullable(tool("litecoind"))
    const http = HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)
    const options = ["-regtest", "-server", "-listen=0", "-txindex=1", "-connect=0", "-fallbackfee=0.0001"]
    // By default a new node spends most of its startup on generating 1000 keys.
    const more = ["-keypool=10", "-printtoconsole", "-rpcuser=tester", "-rpcpassword=secret"]
    const { node, port } = yield* onFreePort((port) =>
      Effect.gen(function* () {
        const data = `-datadir=${yield* folder}`
        const { child, until } = yield* start([binary, ...options, ...more, data, `-rpcport=${port}`])
        yield* until(/Done loading/)
        return { node: child, port }
      })
    )

    const rpc = <A>(method: string, ...params: ReadonlyArray<unknown>) =>
      http
        .execute(
          HttpClientRequest.post(`http://127.0.0.1:${port}`).pipe(
            HttpClientRequest.basicAuth("tester", "secret"),
            HttpClientRequest.bodyUnsafeJson({ jsonrpc: "1.0", id: 1, method, params })
          )
        )
        .pipe(
          Effect.flatMap((response) => response.text),
          Effect.flatMap((text) => exactJson({ status: 200, text, retryAfter: undefined })),
          Effect.mapError(() => new NodeError({ method, message: "no answer" })),
          Effect.flatMap((body) => {
            const { error, result } = body as {
              readonly error: { readonly message: string } | null
              readonly result: A
            }
            return error === null ? Effect.succeed(result) : new NodeError({ method, message: error.message })
          })
        )

    yield* Effect.orDie(rpc("createwallet", "tester"))
    const signal = (name: "SIGCONT" | "SIGKILL") => Effect.sync(() => node.kill(name))
    return {
      rpc,
      url: `http://tester:secret@127.0.0.1:${port}`,
      freeze: freeze(node),
      thaw: signal("SIGCONT"),
      kill: Effect.zipRight(
        signal("SIGKILL"),
        Effect.promise(() => node.exited)
      )
    }
  })
).pipe(Layer.provide(FetchHttpClient.layer))
