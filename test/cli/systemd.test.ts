import { join } from "node:path"
import * as Effect from "effect/Effect"
import { main, startScript } from "../support/command.ts"
import { folder, start } from "../support/process.ts"
import { isMissing, tool } from "../support/tools.ts"
import { assert, describe, it } from "../support/vitest.ts"

const sandbox = {
  UPSTREAMS: "sandbox",
  CACHE: "memory",
  HOST: "127.0.0.1",
  PORT: "0",
  PAGE: "off",
  PRICE_REFRESH_MS: "0",
  OHLC_REFRESH_MS: "0"
}

/** Stands in for systemd: prints each datagram, with the id of the process that sent it. */
const receiver = `
import socket, struct, sys
name = sys.argv[1]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
listener.bind("\\0" + name[1:] if name[0] == "@" else name)
print("bound", flush=True)
while True:
    data, control, _, _ = listener.recvmsg(4096, 1024)
    print(struct.unpack("iII", control[0][2][:12])[0], data.decode(), flush=True)
`

const listening = Effect.fnUntraced(function* (name: string) {
  const received = yield* start([tool("python3") ?? "", "-c", receiver, name])
  yield* received.until(/^bound$/m)
  return received
})

const places = {
  "a path": Effect.map(folder, (path) => join(path, "notify")),
  "an abstract name": Effect.sync(() => `@wallet-data-${crypto.randomUUID()}`)
}

describe.skipIf(isMissing("python3")).concurrent("systemd", () => {
  for (const [index, [kind, place]] of Object.entries(places).entries())
    it.scopedLive(
      `learns at ${kind} when the service serves, that it is alive and when it stops; WORKERS=${index + 1}`,
      function* () {
        const name = yield* place
        const received = yield* listening(name)
        const { child, ended, until } = yield* startScript([main, "serve"], {
          ...sandbox,
          WORKERS: String(index + 1),
          NOTIFY_SOCKET: name,
          WATCHDOG_USEC: "200000"
        })
        yield* received.until(/WATCHDOG=1\n(.*\n)*.*WATCHDOG=1\n/)
        // The line was written before the first message was sent.
        const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
        const { status } = yield* Effect.promise(() => fetch(`${url}/health/live`))
        assert.strictEqual(status, 200)
        child.kill("SIGTERM")
        yield* received.until(/STOPPING=1\n/)
        assert.strictEqual(yield* Effect.promise(() => child.exited), 0)
        yield* ended
        const messages = received.said().trim().split("\n").slice(1)
        const [first, ...others] = messages.filter((line) => !line.endsWith("WATCHDOG=1"))
        assert.strictEqual(messages[0], `${child.pid} READY=1`)
        assert.deepStrictEqual([first, ...others], [`${child.pid} READY=1`, `${child.pid} STOPPING=1`])
        for (const line of messages) assert.isTrue(line.startsWith(`${child.pid} `), line)
      }
    )

  it.scopedLive("gets no messages about liveness that it expects of another process", function* () {
    const name = yield* places["an abstract name"]
    const received = yield* listening(name)
    const { child, ended } = yield* startScript([main, "serve"], {
      ...sandbox,
      NOTIFY_SOCKET: name,
      WATCHDOG_USEC: "1",
      WATCHDOG_PID: "1"
    })
    yield* received.until(/READY=1\n/)
    child.kill("SIGTERM")
    yield* received.until(/STOPPING=1\n/)
    yield* ended
    assert.notInclude(received.said(), "WATCHDOG")
  })

  it.scopedLive("learns that the service serves once it accepts messages", function* () {
    const name = yield* places["an abstract name"]
    const { child, ended, until } = yield* startScript([main, "serve"], {
      ...sandbox,
      NOTIFY_SOCKET: name,
      WATCHDOG_USEC: "200000"
    })
    yield* until(/"message":"NOTIFY_SOCKET: it accepts no message[^"]*"/)
    const received = yield* listening(name)
    yield* received.until(/READY=1\n(.*\n)*.*WATCHDOG=1\n/)
    child.kill("SIGTERM")
    yield* received.until(/STOPPING=1\n/)
    yield* ended
  })

  for (const [socket, problem] of [
    ["/nowhere/notify", "it accepts no message"],
    ["vsock:2:1234", "it is not the address of a local socket"]
  ] as const)
    it.scopedLive(`does not prevent the start if it cannot be reached at ${socket}: one warning`, function* () {
      const { child, ended, said, until } = yield* startScript([main, "serve"], {
        ...sandbox,
        NOTIFY_SOCKET: socket,
        WATCHDOG_USEC: "2"
      })
      yield* until(/"message":"NOTIFY_SOCKET: [^"]*"/)
      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => child.exited), 0)
      yield* ended
      assert.deepStrictEqual(
        [...said().matchAll(/NOTIFY_SOCKET: ([^;]*);/g)].map(([, found]) => found),
        [problem]
      )
    })
})
