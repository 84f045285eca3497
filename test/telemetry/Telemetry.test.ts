import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import * as Tracer from "effect/Tracer"
import { evenSampler } from "../../src/kernel/evenSampler.ts"
import * as Telemetry from "../../src/telemetry/Telemetry.ts"
import { Pipelines } from "../http/response/ways.ts"
import { Edge, token } from "../support/edge.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** A tracer that records ended spans. */
const recording = Effect.map(Effect.tracer, (tracer) => {
  const ended: Array<Tracer.Span> = []
  return {
    ended,
    tracer: Tracer.make({
      context: tracer.context,
      span: (...given) => {
        const span = tracer.span(...given)
        const end = span.end.bind(span)
        return Object.assign(span, {
          end: (...how: Parameters<Tracer.Span["end"]>) => {
            ended.push(span)
            end(...how)
          }
        })
      }
    })
  }
})

const names = (spans: ReadonlyArray<Tracer.Span>) => spans.map(({ name }) => name)

const traceparent = (flags: string) => ({ traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-${flags}` })

describe("traced requests", () => {
  it("are the sampled fraction of each kind of route, with one span around the whole request", function* () {
    const { ended, tracer } = yield* recording
    yield* Effect.gen(function* () {
      const { call, post } = yield* Edge
      yield* call("/networks")
      yield* call("/networks")
      assert.deepStrictEqual(names(ended), ["GET /networks"])
      yield* post("/balance/token", token("logging"))
      assert.strictEqual(ended.length, 1)
      yield* post("/balance/token", token("logging"))
      assert.strictEqual(ended.at(-1)?.name, "POST /balance/token")
      const [first] = ended
      assert.deepStrictEqual(Object.fromEntries(first?.attributes ?? []), {
        "http.request.method": "GET",
        "http.route": "/networks",
        "http.response.status_code": 200
      })
    }).pipe(Effect.provide(Layer.provide(Edge.layer({}, { sandbox: false, tracing: 0.5 }), Layer.setTracer(tracer))))
  })

  it("follow the sampled flag of a traceparent", function* () {
    const { ended, tracer } = yield* recording
    yield* Effect.gen(function* () {
      const { call } = yield* Edge
      yield* call("/networks", { headers: traceparent("01") })
      yield* call("/networks", { headers: traceparent("00") })
      assert.deepStrictEqual(
        ended.map(({ name, traceId }) => [name, traceId]),
        [["GET /networks", "1".repeat(32)]]
      )
    }).pipe(Effect.provide(Layer.provide(Edge.layer({}, { sandbox: false, tracing: 0.01 }), Layer.setTracer(tracer))))
  })

  it("still use the response cache", function* () {
    const { ended, tracer } = yield* recording
    yield* Effect.gen(function* () {
      const { call } = yield* Pipelines
      const coin = "/price/coin?coin_ids=bitcoin"
      for (let round = 0; round < 3; round++) yield* call(coin)
      assert.deepStrictEqual(names(ended), Array(3).fill("GET /price/coin"))
    }).pipe(Effect.provide(Layer.provide(Pipelines.layer({}, { sandbox: false, tracing: 1 }), Layer.setTracer(tracer))))
  })

  it("match the sampling ratio, whatever it is", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.double({ min: 0, max: 1, noNaN: true }),
        FastCheck.integer({ min: 0, max: 2_000 }),
        (share, count) => {
          const chosen = evenSampler(share)
          const found = Array.from({ length: count }, chosen).filter(Boolean).length
          assert.closeTo(found, share * count, 1)
        }
      )
    )
  })
})

describe("spans", () => {
  it("without a request are sampled by the ratio, together with their children", function* () {
    const { ended, tracer } = yield* recording
    const sampled = Telemetry.sampling(tracer, yield* Effect.tracer, 0.25)
    const inner = Effect.withSpan(Effect.void, "inner")
    yield* Effect.replicateEffect(Effect.withSpan(inner, "outer"), 8).pipe(Effect.withTracer(sampled))
    assert.deepStrictEqual(names(ended), ["inner", "outer", "inner", "outer"])
    yield* Effect.withSpan(inner, "request", { kind: "server" }).pipe(Effect.withTracer(sampled))
    assert.deepStrictEqual(names(ended).slice(4), ["inner", "request"])
  })
})

describe("a collector", () => {
  type State = "up" | "down" | "refuses" | "hangs"

  const collector = (state: { now: State }) =>
    HttpClient.make((request) => {
      if (state.now === "hangs") return Effect.never
      if (state.now === "down") return new HttpClientError.RequestError({ request, reason: "Transport" })
      return Effect.succeed(
        HttpClientResponse.fromWeb(request, new Response("", { status: state.now === "up" ? 200 : 404 }))
      )
    })

  it.effect("is logged once when it rejects data or is down, and once when it works again", () => {
    const lines: Array<string> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${message}`))
    )
    const state: { now: State } = { now: "up" }
    return Effect.gen(function* () {
      const client = yield* Telemetry.monitoredClient
      const send = Effect.either(client.execute(HttpClientRequest.post("http://collector.test/v1/traces")))
      for (const now of ["up", "down", "refuses", "down", "up", "up"] as const) {
        state.now = now
        yield* send
      }
      assert.deepStrictEqual(lines, [
        "WARN OTLP: the collector cannot be reached; telemetry is dropped until it can be reached",
        "INFO OTLP: the collector can be reached again",
        "WARN OTLP: the collector rejects traces with status 404; they are dropped until it accepts them",
        "WARN OTLP: the collector cannot be reached; telemetry is dropped until it can be reached",
        "INFO OTLP: the collector can be reached again",
        "INFO OTLP: the collector accepts traces again"
      ])
    }).pipe(Effect.provideService(HttpClient.HttpClient, collector(state)), Effect.provide(logger))
  })

  it.effect("that hangs is limited by a timeout and a number of calls in flight", () =>
    Effect.gen(function* () {
      const client = yield* Telemetry.monitoredClient
      const send = Effect.either(client.execute(HttpClientRequest.post("http://collector.test/v1/traces")))
      const calls = yield* Effect.forkAll(Array.from({ length: 8 }, () => send))
      yield* Effect.yieldNow()
      assert.isTrue(Either.isLeft(yield* send))
      yield* TestClock.adjust("5 seconds")
      assert.isTrue((yield* Fiber.join(calls)).every(Either.isLeft))
    }).pipe(
      Effect.provideService(HttpClient.HttpClient, collector({ now: "hangs" })),
      Effect.provide(Logger.remove(Logger.defaultLogger))
    )
  )
})
