import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import * as ResponseDecoder from "../../../src/upstream/response/ResponseDecoder.ts"
import { make, upstreamDependencies } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

interface Connection {
  /** True if it passes nothing on any more, as after a firewall has forgotten it. */
  dead: boolean
  requests: number
}

const body = '{"value":1}'
const response = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`

/** A node that answers each request once `answering` allows it, and counts its connections. */
const node = Effect.acquireRelease(
  Effect.sync(() => {
    const open = new Set<Bun.Socket<Connection>>()
    let held: Array<Bun.Socket<Connection>> | undefined
    let connections = 0
    let ignored = 0
    let changed = Promise.withResolvers<void>()
    const notify = () => {
      changed.resolve()
      changed = Promise.withResolvers()
    }
    const server = Bun.listen<Connection>({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open: (socket) => {
          socket.data = { dead: false, requests: 0 }
          connections++
          open.add(socket)
        },
        close: (socket) => {
          open.delete(socket)
          notify()
        },
        data: (socket) => {
          if (socket.data.dead) ignored++
          else if (held === undefined) socket.write(response)
          else held.push(socket)
          notify()
        }
      }
    })
    return {
      server,
      url: `http://127.0.0.1:${server.port}`,
      connections: () => connections,
      open: () => open.size,
      ignored: () => ignored,
      held: () => held?.length ?? 0,
      hold: () => {
        held = []
      },
      answer: () => {
        for (const socket of held ?? []) socket.write(response)
        held = undefined
      },
      /** Requests so far get no response; later ones do. */
      forget: () => {
        held = undefined
      },
      /** All connections so far pass nothing on any more; new ones work. */
      drop: () => {
        for (const socket of open) socket.data.dead = true
      },
      until: (condition: () => boolean) =>
        Effect.promise(async () => {
          while (!condition()) await changed.promise
        })
    }
  }),
  ({ server }) => Effect.sync(() => server.stop(true))
)

type Node = Effect.Effect.Success<typeof node>

const dependencies = upstreamDependencies(FetchClient, { UPSTREAM_CONCURRENCY: "12" })

const path = HttpClientRequest.get("/")
const Value = Schema.Struct({ value: Schema.Number })
const value = { value: 1 }
const fitting = ResponseDecoder.fitting(Value, {})

/** An upstream with 12 idle connections to each of these nodes. */
const connected = (...nodes: ReadonlyArray<Node>) =>
  Effect.gen(function* () {
    const upstream = yield* make(nodes.map(({ url }) => url))
    for (const [index, { answer, held, hold, until }] of nodes.entries()) {
      const address = upstream.addresses[index] ?? assert.fail()
      hold()
      const reads = yield* Effect.fork(
        Effect.all(Array(12).fill(address.read(path, fitting)), { concurrency: "unbounded" })
      )
      yield* until(() => held() === 12)
      answer()
      yield* Fiber.join(reads)
    }
    return { ...upstream, read: upstream.read(path, Value) }
  })

describe("the connections to a host", () => {
  it("are closed after a call without a response: the next call does not use another dead one", function* () {
    const one = yield* node
    yield* Effect.gen(function* () {
      const { addresses, read } = yield* connected(one)
      one.drop()
      const lost = yield* Effect.fork(read)
      yield* one.until(() => one.ignored() === 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Effect.flip(Fiber.join(lost))).reason, "timeout")
      yield* one.until(() => one.open() === 0)

      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* read, value)
      assert.strictEqual(addresses[0]?.circuit.state(yield* TestClock.currentTimeMillis), "closed")
      assert.deepStrictEqual(yield* read, value)
      assert.deepStrictEqual(
        { ignored: one.ignored(), connections: one.connections() },
        { ignored: 1, connections: 14 }
      )
    }).pipe(Effect.provide(dependencies))
  })

  it("are closed after a silent call that another node replaced", function* () {
    const [one, other] = [yield* node, yield* node]
    yield* Effect.gen(function* () {
      const { read } = yield* connected(one, other)
      one.drop()
      const replaced = yield* Effect.fork(read)
      yield* one.until(() => one.ignored() === 1)
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(yield* Fiber.join(replaced), value)
      yield* one.until(() => one.open() === 0)
      assert.strictEqual(other.open(), 12)
    }).pipe(Effect.provide(dependencies))
  })

  it("stay open while a call is in progress", function* () {
    const one = yield* node
    yield* Effect.gen(function* () {
      const { read } = yield* connected(one)
      one.hold()
      const lost = yield* Effect.fork(read)
      yield* one.until(() => one.held() === 1)
      yield* TestClock.adjust("500 millis")
      const slow = yield* Effect.fork(read)
      yield* one.until(() => one.held() === 2)
      yield* TestClock.adjust("500 millis")
      assert.strictEqual((yield* Effect.flip(Fiber.join(lost))).reason, "timeout")
      yield* one.until(() => one.open() === 1)
      one.answer()
      assert.deepStrictEqual(yield* Fiber.join(slow), value)
    }).pipe(Effect.provide(dependencies))
  })

  it("stay open after a call without a response if a later call had one", function* () {
    const one = yield* node
    yield* Effect.gen(function* () {
      const { read } = yield* connected(one)
      one.hold()
      const lost = yield* Effect.fork(read)
      yield* one.until(() => one.held() === 1)
      one.forget()
      assert.deepStrictEqual(yield* read, value)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Effect.flip(Fiber.join(lost))).reason, "timeout")
      yield* one.until(() => one.open() < 12)
      assert.deepStrictEqual(yield* read, value)
      assert.isAtLeast(one.open(), 11)
    }).pipe(Effect.provide(dependencies))
  })

  it("are new for calls that must not be repeated", function* () {
    const one = yield* node
    yield* Effect.gen(function* () {
      const { once, read } = yield* connected(one)
      for (const sent of [13, 14]) {
        assert.deepStrictEqual(yield* once((address) => address.send(path, fitting)), value)
        assert.strictEqual(one.connections(), sent)
      }
      yield* read
      assert.strictEqual(one.connections(), 14)
    }).pipe(Effect.provide(dependencies))
  })
})
