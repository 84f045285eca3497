import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { RedisClient } from "bun"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { freePort } from "./freePort.ts"
import { freeze } from "./freeze.ts"

/** Redis, where it is installed (Debian package redis-server). */
export const redisBinary: string | undefined = (process.env.PATH ?? "")
  .split(":")
  .map((folder) => join(folder, "redis-server"))
  .find((path) => existsSync(path))

/** What a suite is called: says why it is skipped where there is no server. */
export const onRedis = (title: string): string =>
  redisBinary === undefined ? `${title} (skipped: redis-server is not installed)` : title

/** A server of its own, which ends with the scope, with these further options; `{port}` in them is its port. */
export const redisServer = (...more: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const binary = yield* Effect.fromNullable(redisBinary)
    const port = freePort()
    const url = `redis://127.0.0.1:${port}`
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "redis-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const filled = (word: string) => word.replaceAll("{port}", String(port))
    const spawn = () =>
      Bun.spawn([binary, ...["--port", "{port}", "--save", "", ...more].map(filled), "--dir", folder], {
        stdout: "ignore",
        stderr: "ignore"
      })
    const running = yield* Effect.acquireRelease(
      Effect.sync(() => ({ child: spawn() })),
      (running) => Effect.sync(() => running.child.kill("SIGKILL"))
    )
    const listening = Effect.tryPromise(() =>
      Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then((socket) => socket.end())
    ).pipe(Effect.retry(Schedule.spaced("10 millis").pipe(Schedule.upTo("5 seconds"))), Effect.withClock(Clock.make()))
    yield* listening
    return {
      url,
      /** Sends one command, as an operator would. */
      command: (...words: ReadonlyArray<string>) =>
        Effect.acquireUseRelease(
          Effect.sync(() => new RedisClient(url)),
          (client) => Effect.tryPromise(() => client.send(words[0] ?? "", words.slice(1))),
          (client) => Effect.sync(() => client.close())
        ),
      /** It stands still: connections stay, and nothing is answered. */
      pause: Effect.suspend(() => freeze(running.child)),
      resume: Effect.sync(() => running.child.kill("SIGCONT")),
      kill: Effect.promise(() => {
        running.child.kill("SIGKILL")
        return running.child.exited
      }),
      start: Effect.zipRight(
        Effect.sync(() => {
          running.child = spawn()
        }),
        listening
      )
    }
  })
