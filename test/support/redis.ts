import { RedisClient } from "bun"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { folder, freeze, onFreePort, start } from "./process.ts"
import { tool } from "./tools.ts"

/** Starts a Redis server with more options; replaces `{port}` in them with its port. Stops it when the scope ends. */
export const redisServer = Effect.fnUntraced(function* (...more: ReadonlyArray<string>) {
  const binary = yield* Effect.fromNullable(tool("redis-server"))
  const cwd = yield* folder
  const scope = yield* Effect.scope
  const onPort = Effect.fnUntraced(function* (port: number) {
    const words = ["--port", "{port}", "--save", "", ...more]
    const { child, until } = yield* start([binary, ...words.map((word) => word.replaceAll("{port}", `${port}`))], {
      cwd
    })
    yield* until(/Ready to accept connections/)
    return { port, child }
  })
  const running = yield* onFreePort(onPort)
  const url = `redis://127.0.0.1:${running.port}`
  return {
    url,
    /** Sends one command, as an operator would. */
    command: (...words: ReadonlyArray<string>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => new RedisClient(url)),
        (client) => Effect.tryPromise(() => client.send(words[0] ?? "", words.slice(1))),
        (client) => Effect.sync(() => client.close())
      ),
    /** Suspends the server; connections stay open. */
    pause: Effect.suspend(() => freeze(running.child)),
    resume: Effect.sync(() => running.child.kill("SIGCONT")),
    kill: Effect.promise(() => {
      running.child.kill("SIGKILL")
      return running.child.exited
    }),
    /** Restarts the server on the same port. */
    start: Effect.provideService(
      Effect.map(onPort(running.port), ({ child }) => {
        running.child = child
      }),
      Scope.Scope,
      scope
    )
  }
})
