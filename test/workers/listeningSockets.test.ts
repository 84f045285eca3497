import * as Effect from "effect/Effect"
import { hasWaiting, ignoreNew, steerAway } from "../../src/workers/listeningSockets.ts"
import { freePort } from "../support/process.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** A server that responds with its name; several can share the port. */
const server = (port: number, name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => Bun.serve({ hostname: "127.0.0.1", port, reusePort: true, fetch: () => new Response(name) })),
    (running) => Effect.promise(() => running.stop(true))
  )

/** The name of the server that responds over a new connection. */
const get = async (port: number) => {
  const response = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: "close" } })
  return response.text()
}

describe.skipIf(process.platform !== "linux").concurrent("the sockets of a port", () => {
  it.scopedLive("send new connections to the later process", function* () {
    const port = freePort()
    yield* server(port, "first")
    yield* steerAway(port, 1)
    assert.strictEqual(yield* Effect.promise(() => get(port)), "first")
    yield* server(port, "second")
    yield* steerAway(port, 1)
    const answers = yield* Effect.promise(() => Promise.all(Array.from({ length: 40 }, () => get(port))))
    assert.deepStrictEqual([...new Set(answers)], ["second"])
  })

  it.scopedLive("ignore new connections until another process accepts them", function* () {
    const port = freePort()
    const first = yield* server(port, "first")
    const earlier = yield* Effect.promise(
      () =>
        new Promise<{ readonly ask: () => Promise<string> }>((resolve) => {
          const answer = Promise.withResolvers<string>()
          Bun.connect({
            hostname: "127.0.0.1",
            port,
            socket: {
              open: (socket) =>
                resolve({
                  ask: () => {
                    socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
                    return answer.promise
                  }
                }),
              data: (_, data) => answer.resolve(data.toString())
            }
          })
        })
    )
    yield* ignoreNew(port)
    const ignored = get(port)
    // Without a turn of the event loop, the server has not read the request.
    const { answer, isWaiting } = yield* Effect.sync(() => ({
      answer: earlier.ask(),
      isWaiting: Effect.runSync(hasWaiting(port))
    }))
    assert.isTrue(isWaiting)
    assert.match(yield* Effect.promise(() => answer), /first$/)
    assert.isFalse(yield* hasWaiting(port))
    yield* server(port, "second")
    yield* Effect.promise(() => first.stop(true))
    assert.strictEqual(yield* Effect.promise(() => ignored), "second")
  })
})
