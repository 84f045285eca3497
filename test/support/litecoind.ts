import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { exactJson } from "../../src/upstream/response/ResponseDecoder.ts"
import { freePort } from "./freePort.ts"
import { freeze } from "./freeze.ts"

/** Litecoin Core, where it is installed (Debian package litecoind). */
export const litecoindBinary: string | undefined = (process.env.PATH ?? "")
  .split(":")
  .map((folder) => join(folder, "litecoind"))
  .find((path) => existsSync(path))

/** What a suite is called: says why it is skipped where there is no node. */
export const onLitecoind = (title: string): string =>
  litecoindBinary === undefined ? `${title} (skipped: litecoind is not installed)` : title

export class NodeError extends Data.TaggedError("NodeError")<{ readonly method: string; readonly message: string }> {}

/** A node with a wallet on a chain of its own, which ends with the layer. */
export class Litecoind extends Context.Tag("test/Litecoind")<
  Litecoind,
  {
    /** The result of a call; amounts are whatever the node writes, coins as floats. */
    readonly rpc: <A>(method: string, ...params: ReadonlyArray<unknown>) => Effect.Effect<A, NodeError>
    /** Where it listens, with its user and password. */
    readonly url: string
    /** It continues to listen, but does not answer until it is resumed. */
    readonly freeze: Effect.Effect<void>
    readonly thaw: Effect.Effect<void>
    /** It ends at once, with all its connections. */
    readonly kill: Effect.Effect<void>
  }
>() {}

export const layer = Layer.scoped(
  Litecoind,
  Effect.gen(function* () {
    const binary = yield* Effect.fromNullable(litecoindBinary)
    const http = HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)
    const port = freePort()
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "litecoind-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const options = ["-regtest", "-server", "-listen=0", "-txindex=1", "-connect=0", "-fallbackfee=0.0001"]
    // A thousand keys in advance are what a node of its own is busiest with.
    const keys = "-keypool=10"
    const node = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.spawn(
          [
            binary,
            ...options,
            keys,
            `-datadir=${folder}`,
            `-rpcport=${port}`,
            "-rpcuser=tester",
            "-rpcpassword=secret"
          ],
          { stdout: "ignore", stderr: "ignore" }
        )
      ),
      (node) =>
        Effect.promise(() => {
          // Its folder goes with it; an orderly end would wait for idle connections.
          node.kill("SIGKILL")
          return node.exited
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

    yield* rpc("getblockcount").pipe(
      Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo("20 seconds"))),
      Effect.orDie
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
