import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { NetworkList } from "../../../src/features/status/NetworkList.ts"
import { Health } from "../../../src/http/Health.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { Pipelines, seen } from "../../http/response/ways.ts"
import { assert, built, describe, it } from "../../support/vitest.ts"

const paths = ["/health/live", "/health/ready", "/networks", "/metrics"]

const requests: ReadonlyArray<{ readonly method?: string; readonly headers?: Readonly<Record<string, string>> }> = [
  {},
  { method: "HEAD" },
  { headers: { "accept-encoding": "gzip, br;q=0.5", origin: "https://a.example" } },
  { method: "HEAD", headers: { "accept-encoding": "zstd" } },
  { headers: { "if-none-match": "*", "x-api-key": "good-key-of-a-test" } },
  { headers: { "x-api-key": "bad" } }
]

/** Removes the text and the length of the metrics, which change from one response to the next. */
const uncounted = (answer: Effect.Effect.Success<ReturnType<typeof seen>>, path: string) =>
  path === "/metrics" && answer.status === 200
    ? { ...answer, text: "", headers: { ...answer.headers, "content-length": "" } }
    : answer

describe("the status routes", () => {
  for (const environment of [
    {},
    { API_KEYS: "good-key-of-a-test", CORS_ORIGINS: "https://a.example" }
  ] as ReadonlyArray<Readonly<Record<string, string>>>)
    it.effect(`return the same response without the router as with it: ${JSON.stringify(environment)}`, () =>
      Effect.gen(function* () {
        const { call, lines, uncached } = yield* Pipelines
        const health = yield* Health
        for (const state of ["starting", "ready", "draining", "stopping"] as const) {
          yield* health.set(state)
          for (const path of paths)
            for (const request of requests) {
              yield* call(path, request)
              const fast = yield* Effect.flatMap(call(path, request), seen)
              const routed = yield* Effect.flatMap(uncached(path, request), seen)
              assert.deepStrictEqual(uncounted(fast, path), uncounted(routed, path), `${state} ${path}`)
              const [item, other] = lines.slice(-2).map(({ bytes, requestId, ...line }) => line)
              assert.deepStrictEqual(item, other)
            }
        }
      }).pipe(Effect.provide(Pipelines.layer(environment)))
    )

  it("are computed once per second, and again when the state changes", function* () {
    let made = 0
    const catalogue = {
      networks: Effect.sync(() => {
        made++
        return []
      })
    }
    yield* Effect.gen(function* () {
      const { call } = yield* Pipelines
      const health = yield* Health
      const status = (path: string) => Effect.map(call(path), (response) => response.status)
      yield* health.set("ready")
      for (let request = 0; request < 10; request++) assert.strictEqual(yield* status("/networks"), 200)
      assert.strictEqual(made, 1)
      yield* TestClock.adjust(999)
      yield* status("/networks")
      assert.strictEqual(made, 1)
      yield* TestClock.adjust(1)
      yield* status("/networks")
      assert.strictEqual(made, 2)
      assert.strictEqual(yield* status("/health/ready"), 200)
      yield* health.set("draining")
      assert.strictEqual(yield* status("/health/ready"), 503)
      assert.strictEqual(yield* status("/networks"), 200)
      yield* health.set("stopping")
      assert.strictEqual(yield* status("/health/ready"), 503)
      assert.strictEqual(yield* status("/networks"), 503)
      assert.strictEqual(yield* status("/health/live"), 200)
    }).pipe(Effect.provide(Pipelines.layer({}, undefined, NetworkList.of(catalogue))))
  })

  it.effect("show an upstream that is paused by its host, and the service is ready", () =>
    Effect.gen(function* () {
      const { call } = yield* Pipelines
      const { register } = yield* Upstreams
      const health = yield* Health
      const circuit = () => "paused" as const
      yield* register({ name: "node", keyed: false, addresses: [{ host: "one.example", circuit, try: Effect.void }] })
      yield* health.set("ready")
      const response = yield* call("/health/ready")
      assert.strictEqual(response.status, 200)
      const { text } = yield* seen(response)
      assert.include(text, '"name":"node","keyed":false,"state":"unknown","circuits":["paused"]')
    }).pipe(Effect.provide(Pipelines.layer()))
  )

  it("are served by the router if the response cannot be computed", function* () {
    const { call } = yield* built(
      Pipelines,
      Pipelines.layer({}, undefined, NetworkList.of({ networks: Effect.die("a fault") }))
    )
    assert.strictEqual((yield* call("/networks")).status, 500)
    assert.strictEqual((yield* call("/health/live")).status, 200)
  })
})
