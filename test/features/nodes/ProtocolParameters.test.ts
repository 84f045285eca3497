import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { EpochJson, ReadFailure } from "../../../src/chains/Chain.ts"
import { ProtocolParameters } from "../../../src/features/nodes/ProtocolParameters.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { body, Service } from "../../support/app.ts"
import { chainsOf } from "../../support/chains.ts"
import { brokenBody, neverResponds, refused, simulatedClient, text } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { simulated } from "../../support/simulated.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** A chain whose epoch a test can change, and the number of its reads. */
const chain = () => {
  const state = { parameters: 5, block: 5, reads: { parameters: 0, block: 0 }, down: false }
  const unread: ReadFailure = { reason: "upstream_error", message: "koios: could not be reached" }
  const read = (what: "parameters" | "block"): Effect.Effect<EpochJson, ReadFailure> =>
    Effect.suspend(() => {
      state.reads[what]++
      const epoch = state[what]
      return state.down ? Effect.fail(unread) : Effect.succeed({ epoch, json: `{"${what}":${epoch}}` })
    }).pipe(Effect.delay("10 millis"))
  const network = { protocolParameters: { current: read("parameters"), block: read("block") } }
  const networks = chainsOf([{}, network])
  const layer = Layer.provide(ProtocolParameters.layer, [networks, Memory.layer()])
  return { state, layer }
}

const answer = Effect.flatMap(ProtocolParameters, ({ json }) => settled(Effect.either(json), "10 millis"))
const expectedJson = (parameters: number, block: number) =>
  Either.right(`{"parameters":{"parameters":${parameters}},"blockData":{"block":${block}}}`)

describe("the protocol parameters", () => {
  it.scoped("are returned with the newest block", () => {
    const { layer, state } = chain()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* answer, expectedJson(5, 5))
      assert.deepStrictEqual(state.reads, { parameters: 1, block: 1 })
    }).pipe(Effect.provide(layer))
  })

  it.scoped("are read once for concurrent requests", () => {
    const { layer, state } = chain()
    return Effect.gen(function* () {
      const { json } = yield* ProtocolParameters
      yield* settled(
        Effect.all(
          Array.from({ length: 50 }, () => json),
          { concurrency: "unbounded" }
        ),
        "10 millis"
      )
      assert.deepStrictEqual(state.reads, { parameters: 1, block: 1 })
    }).pipe(Effect.provide(layer))
  })

  it.scoped("are cached for a few minutes, and the block for at most 20 seconds", () => {
    const { layer, state } = chain()
    return Effect.gen(function* () {
      yield* answer
      state.block = 4
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(yield* answer, expectedJson(5, 5))
      yield* TestClock.adjust("12 seconds")
      assert.deepStrictEqual(yield* answer, expectedJson(5, 4))
      assert.deepStrictEqual(state.reads, { parameters: 1, block: 2 })
      state.parameters = 6
      yield* TestClock.adjust("3 minutes")
      assert.deepStrictEqual(yield* answer, expectedJson(6, 4))
    }).pipe(Effect.provide(layer))
  })

  it.scoped("are read again as soon as the block has a later epoch", () => {
    const { layer, state } = chain()
    return Effect.gen(function* () {
      yield* answer
      state.parameters = 6
      state.block = 6
      yield* TestClock.adjust("21 seconds")
      assert.deepStrictEqual(yield* answer, expectedJson(6, 6))
      assert.deepStrictEqual(yield* answer, expectedJson(6, 6))
      assert.deepStrictEqual(state.reads, { parameters: 2, block: 2 })
    }).pipe(Effect.provide(layer))
  })

  it.scoped("are returned with a later block if the source has no later parameters", () => {
    const { layer, state } = chain()
    return Effect.gen(function* () {
      state.block = 6
      assert.deepStrictEqual(yield* answer, expectedJson(5, 6))
    }).pipe(Effect.provide(layer))
  })

  it.scoped("fail with the reason if the source fails, and are read again after a second", () => {
    const { layer, state } = chain()
    return Effect.gen(function* () {
      state.down = true
      const message = "koios: could not be reached"
      assert.deepStrictEqual(yield* answer, Either.left({ reason: "upstream_error", message }))
      state.down = false
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* answer, expectedJson(5, 5))
    }).pipe(Effect.provide(layer))
  })
})

describe("GET /utils/protocol-parameters", () => {
  const deadline = 2_000
  const configured = {
    BLOCKFROST_URL: "http://blockfrost.test",
    BLOCKFROST_PROJECT_ID: "the-project",
    KOIOS_URL: "http://koios.test",
    UPSTREAM_TIMEOUT_MS: "200",
    REQUEST_DEADLINE_MS: String(deadline)
  }
  for (const [fault, reply] of [
    ["hangs", neverResponds],
    ["cannot be reached", refused],
    ["resets the connection", Effect.fail({ code: "ECONNRESET" })],
    ["returns half of a response", brokenBody('{"epoch":640,"min_fee_a":4')],
    ["returns an HTML page", text("<html></html>")],
    ["returns a rate limit error", text("", { status: 429 })],
    ["fails", text("oops", { status: 500 })]
  ] as const)
    it(`returns 502 within the deadline if every source ${fault}`, function* () {
      const { finish, live } = simulated(Date.UTC(2026, 10, 1))
      const service = yield* live(Layer.build(Service.layer(configured, simulatedClient(() => reply).layer)))
      const { get } = Context.get(service, Service)
      const { outcome, took } = yield* finish(get("/utils/protocol-parameters"))
      assert.isBelow(took, deadline)
      const response = yield* outcome
      assert.strictEqual(response.status, 502)
      const { detail } = yield* body<{ readonly detail: string }>(response)
      assert.match(detail, /^The protocol parameters could not be fetched: (koios|blockfrost): /)
      assert.notMatch(detail, /https?:|\.test|the-project/)
    })
})
