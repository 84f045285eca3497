import { closeSync, constants, openSync, readSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { main, startScript } from "../support/command.ts"
import { eventually, folder, start } from "../support/process.ts"
import { holder } from "../support/sandbox.ts"
import { assert, describe, it } from "../support/vitest.ts"

const sandbox = { UPSTREAMS: "sandbox", CACHE: "memory", HOST: "127.0.0.1", PORT: "0" }

const listening = /"listening on (http:[^"]+)"/

/** A named pipe in a temporary folder. */
const pipe = Effect.map(folder, (path) => {
  const name = join(path, "pipe")
  Bun.spawnSync(["mkfifo", name])
  return name
})

/** An open file, closed when the scope ends. */
const opened = (path: string, flags: number) =>
  Effect.acquireRelease(
    Effect.sync(() => openSync(path, flags)),
    (descriptor) => Effect.sync(() => closeSync(descriptor))
  )

const requests: ReadonlyArray<readonly [path: string, init?: RequestInit]> = [
  ["/networks"],
  [
    "/balance",
    {
      method: "POST",
      body: JSON.stringify({ networks: { base: [1, 2, 3, 4, 5, 6, 7, 8].map(holder) } }),
      headers: { "content-type": "application/json" }
    }
  ],
  ["/openapi.json"]
]

const responseOf = (url: string, encoding: string, id: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const headers = { ...init.headers, "accept-encoding": encoding, "x-request-id": id }
    const response = await fetch(url, { ...init, headers })
    await response.bytes()
    return { status: response.status, encoding: response.headers.get("content-encoding") }
  })

describe.concurrent("a service whose runtime has no free thread", () => {
  it.scopedLive("responds in each encoding, and logs each request", function* () {
    const held = yield* pipe
    const preload = resolve("test/support/heldThreads.ts")
    const { child, said, until } = yield* startScript(["--preload", preload, main, "serve"], {
      ...sandbox,
      HELD_PIPE: held
    })
    const [, url = ""] = yield* until(listening)
    // From source, the runtime loads code on demand in its threads.
    for (const [path, init] of requests) yield* responseOf(url + path, "identity", "before", init)
    child.kill("SIGUSR2")
    yield* until(/threads are held/)
    for (const encoding of ["br", "gzip", "zstd"])
      for (const [path, init] of requests) {
        const id = `${encoding}${path.replace("/", "-")}`
        const response = yield* responseOf(url + path, encoding, id, init)
        assert.strictEqual(response.status, 200, id)
        if (path === "/balance") assert.strictEqual(response.encoding, encoding)
        yield* until(new RegExp(`"requestId":"${id}"`))
      }
    assert.notInclude(said(), "dropped")
  })
})

describe.concurrent("a service whose log is not read", () => {
  it.scopedLive("responds, and writes its lines once the log is read", function* () {
    const log = yield* pipe
    const descriptor = yield* opened(log, constants.O_RDWR | constants.O_NONBLOCK)
    const buffer = new Uint8Array(65_536)
    let read = ""
    const until = (pattern: RegExp) =>
      eventually(
        Effect.try(() => {
          read += new TextDecoder().decode(buffer.subarray(0, readSync(descriptor, buffer)))
        }).pipe(Effect.flatMap(() => Effect.fromNullable(pattern.exec(read))))
      )
    const command = ["sh", "-c", 'exec "$0" "$1" serve > "$2"', process.execPath, main, log]
    yield* start(command, { cwd: yield* folder, env: { PATH: process.env.PATH, ...sandbox } })
    const [, url = ""] = yield* until(listening)
    const ids = Array.from({ length: 300 }, (_, index) => `unread-${index}`)
    for (const id of ids) yield* responseOf(`${url}/${"x".repeat(400)}`, "identity", id)
    yield* until(new RegExp(`"requestId":"${ids.at(-1)}"`))
    const found = read
      .trim()
      .split("\n")
      .flatMap((line) => JSON.parse(line).requestId ?? [])
    assert.deepStrictEqual(found, ids)
  })
})
