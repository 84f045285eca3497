import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Simulation, SimulationRefused } from "../../../src/features/simulation/Simulation.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { body, Service, textOf } from "../../support/app.ts"
import { faults } from "../../support/faults.ts"
import { type Exchange, fixture, recorded, replay, sample } from "../../support/fixtures.ts"
import {
  brokenBody,
  json,
  neverResponds,
  type Reply,
  repliesInOrder,
  type SentRequest,
  simulatedClient,
  text
} from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"
import { telemetryRecorder } from "../../support/witness.ts"

const [from, to] = ["0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "0xdAC17F958D2ee523a2206206994597C13D831ec7"]
const transaction = { from, to, input: "0xa9059cbb", simulation_type: "full" as const }
const id = "e7a21b27-9b0e-4a5b-8a3f-0c7f2d0e4a11"
const configured = { TENDERLY_ACCOUNT: "an account", TENDERLY_PROJECT: "p", TENDERLY_ACCESS_KEY: "the-access-key" }

/** A response with digits that a double cannot represent, and with spaces that no serializer preserves. */
const result = `{ "transaction": {"gas": 9007199254740993, "ratio": 1.50},\n "simulation": {"id": "${id}", "status": true} }\n`

/** Tenderly with these responses on its two routes. */
const provider = (routes: { readonly simulate?: () => Reply; readonly share?: () => Reply } = {}) => {
  const { simulate = () => text(result), share = () => text(null, { status: 204 }) } = routes
  return simulatedClient(({ url }: SentRequest) => (url.pathname.endsWith("/share") ? share() : simulate()))
}

const simulating = (outside: ReturnType<typeof provider>, settings: Readonly<Record<string, string>>) =>
  Simulation.layer.pipe(
    Layer.provide(Layer.fresh(Upstreams.layer)),
    Layer.provide([outside.layer, Settings.layer(settings)])
  )

const over = (
  outside: ReturnType<typeof provider>,
  settings: Readonly<Record<string, string>> = {},
  more: Partial<typeof transaction> & Readonly<Record<string, unknown>> = {}
) =>
  Effect.gen(function* () {
    const { simulate } = yield* Simulation
    const run = yield* simulate
    return yield* settled(Effect.either(run("1", { ...transaction, ...more })), "100 millis")
  }).pipe(Effect.provide(simulating(outside, { ...configured, UPSTREAM_TIMEOUT_MS: "1000", ...settings })))

const simulated = (outside: ReturnType<typeof provider>, settings: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Effect.flatMap(over(outside, settings), Either.mapLeft(String)), (all) =>
    Effect.succeed(JSON.parse(all) as Readonly<Record<string, unknown>>)
  )

const failed = (outside: ReturnType<typeof provider>) =>
  Effect.map(over(outside), (outcome) => (Either.isLeft(outcome) ? outcome.left : assert.fail("it was simulated")))

const paths = (outside: ReturnType<typeof provider>) =>
  outside.requests.map(({ url }) => url.pathname.split("/").at(-1))

describe("a simulation", () => {
  it("is saved, shared and returned with every digit that the provider wrote", function* () {
    const outside = provider()
    const outcome = yield* over(outside, {}, { gas: 5, gas_price: "0x10", value: "007", block_number: 0 })
    const url = `https://www.tdly.co/shared/simulation/${id}`
    assert.deepStrictEqual(
      outcome,
      Either.right(`${result.slice(0, result.lastIndexOf("}"))},"simulationUrl":"${url}"}`)
    )
    const [simulate, share] = outside.requests
    const place = "https://api.tenderly.co/api/v1/account/an%20account/project/p"
    assert.deepStrictEqual(
      [simulate?.url.href, share?.url.href],
      [`${place}/simulate`, `${place}/simulations/${id}/share`]
    )
    for (const request of outside.requests) {
      assert.strictEqual(request.method, "POST")
      assert.strictEqual(request.headers["x-access-key"], "the-access-key")
    }
    assert.deepStrictEqual(JSON.parse(simulate?.body ?? ""), {
      network_id: "1",
      from,
      to,
      input: "0xa9059cbb",
      simulation_type: "full",
      gas: 5,
      gas_price: "16",
      value: "7",
      block_number: 0,
      save: true,
      save_if_fails: true
    })
  })

  it("omits the fields that the client omitted", function* () {
    const outside = provider()
    yield* over(outside)
    assert.sameMembers(Object.keys(JSON.parse(outside.requests[0]?.body ?? "")), [
      ...["network_id", "from", "to", "input", "simulation_type", "save", "save_if_fails"]
    ])
  })

  for (const [fault, reply, reason] of [
    ["rejects the sharing", json({ error: { slug: "bad_request", message: "no" } }, { status: 400 }), /HTTP 400/],
    ["rejects the key", text("", { status: 403 }), /access denied/],
    ["fails", text("oops", { status: 500 }), /HTTP 500/],
    ["returns a rate limit error", text("", { status: 429 }), /rate limit reached/],
    ["returns an HTML page", text("<html>hello</html>"), /a web page/],
    ["resets the connection", Effect.fail({ code: "ECONNRESET" }), /could not be reached/],
    ["cuts its response off", brokenBody('{"a'), /closed the connection/],
    ["does not respond", neverResponds, /timed out after 1000 ms/]
  ] as const)
    it(`is returned with the reason and without a link if the provider ${fault} when it is shared`, function* () {
      const { simulationUrl, simulationUrlError, ...rest } = yield* simulated(provider({ share: () => reply }))
      assert.isNull(simulationUrl)
      assert.match(String(simulationUrlError), reason)
      assert.deepStrictEqual(rest, JSON.parse(result))
    })

  it("is shared at the second attempt, and not simulated again", function* () {
    const outside = provider({ share: repliesInOrder(text("", { status: 502 }), text("")) })
    assert.isString((yield* simulated(outside)).simulationUrl)
    assert.deepStrictEqual(paths(outside), ["simulate", "share", "share"])
  })

  it("is returned before the deadline if sharing hangs", function* () {
    const outside = provider({ share: () => neverResponds })
    const { simulationUrlError } = yield* simulated(outside, {
      REQUEST_DEADLINE_MS: "3000",
      UPSTREAM_TIMEOUT_MS: "20000"
    })
    assert.strictEqual(simulationUrlError, "sharing it took too long")
  })

  it("is returned without a link if it has no id", function* () {
    for (const named of ["{}", '{"id":5}', '{"id":"../../x"}']) {
      const outside = provider({ simulate: () => text(`{"simulation":${named}}`) })
      const { simulationUrl, simulationUrlError } = yield* simulated(outside)
      assert.isNull(simulationUrl)
      assert.match(String(simulationUrlError), /no id/)
      assert.deepStrictEqual(paths(outside), ["simulate"])
    }
  })

  for (const [fault, reply, reason] of [
    ...Object.entries(faults).map(([fault, [reply, reason]]) => [fault, reply, reason] as const),
    ["returns another object", json({ hello: 1 }), "bad_answer"],
    ["returns a list", json([{ simulation: {} }]), "bad_answer"],
    ["rejects the key", json({ error: { message: "unauthorized" } }, { status: 401 }), "upstream_error"],
    ["does not know the project", json({ error: { message: "no project" } }, { status: 404 }), "upstream_error"]
  ] as const)
    it(`is requested once if the provider ${fault}`, function* () {
      const outside = provider({ simulate: () => reply })
      const error = yield* failed(outside)
      assert.deepInclude({ ...error }, { _tag: "UpstreamError", reason })
      assert.notMatch(error.message, /tdly|https?:|the-access-key/)
      assert.deepStrictEqual(paths(outside), ["simulate"])
    })

  it("fails with the message of the provider, without URLs, if the provider rejects it", function* () {
    const message = "err: insufficient funds for gas; see https://api.tenderly.co/api/v1/account/x"
    for (const status of [200, 400, 422]) {
      const reply = json({ error: { id: "1", slug: "invalid_transaction_simulation", message } }, { status })
      const error = yield* failed(provider({ simulate: () => reply }))
      assert.instanceOf(error, SimulationRefused)
      assert.deepInclude({ ...error }, { providerMessage: "err: insufficient funds for gas; see …" })
    }
  })

  it("is disabled if a variable is missing, which is named, and the provider is not called", function* () {
    const outside = provider()
    const left = (settings: Readonly<Record<string, string>>) =>
      Effect.map(Simulation, ({ simulate }) => Either.getOrElse(Either.flip(simulate), () => "")).pipe(
        Effect.provide(simulating(outside, settings))
      )
    assert.match(yield* left({}), /must set TENDERLY_ACCOUNT, TENDERLY_PROJECT, TENDERLY_ACCESS_KEY\.$/)
    assert.match(yield* left({ ...configured, TENDERLY_PROJECT: "" }), /must set TENDERLY_PROJECT\.$/)
    assert.match(yield* left({ TENDERLY_ACCESS_KEY: "k" }), /must set TENDERLY_ACCOUNT, TENDERLY_PROJECT\.$/)
    assert.deepStrictEqual(outside.requests, [])
  })

  it.effect("does not show the key in a log line or a span", () => {
    const { layer: watching, seen } = telemetryRecorder()
    return Effect.gen(function* () {
      yield* over(provider())
      yield* over(provider({ simulate: () => text("", { status: 401 }) }))
      assert.notInclude(seen.join("\n"), "the-access-key")
    }).pipe(Effect.provide(watching))
  })
})

/** Asserts that the response is returned unchanged, with the link. */
const assertForwarded = Effect.fnUntraced(function* (exchange: Exchange) {
  const recording = exchange.response.body as { readonly simulation: { readonly id: string } }
  const { simulationUrl, ...rest } = yield* simulated(provider({ simulate: () => json(recording) }))
  assert.deepStrictEqual(rest, exchange.response.body as Readonly<Record<string, unknown>>)
  assert.strictEqual(simulationUrl, `https://www.tdly.co/shared/simulation/${recording.simulation.id}`)
})

const notShared = Effect.fnUntraced(function* (exchange: Exchange) {
  const share = () => replay(exchange)
  assert.deepInclude(yield* simulated(provider({ share })), {
    simulationUrl: null,
    simulationUrlError: "tenderly: returned HTTP 400"
  })
})

const refusedWith = Effect.fnUntraced(function* (exchange: Exchange, message: string) {
  const error = yield* failed(provider({ simulate: () => replay(exchange) }))
  assert.deepInclude({ ...error }, { providerMessage: message })
})

describe("a response of Tenderly", () => {
  it("is returned unchanged, digit by digit, with the link to the shared simulation", function* () {
    const exchange = sample("tenderly", "simulated")
    yield* assertForwarded(exchange)
    const text = yield* over(provider({ simulate: () => replay(exchange) }))
    assert.include(Either.getOrThrow(text), '"gas":9007199254740993}')
  })

  it.effect("that rejects sharing leaves the result without a link", () => notShared(sample("tenderly", "not-shared")))

  it.effect("that rejects the simulation is the reason of the failure, without URLs", () =>
    refusedWith(sample("tenderly", "refused"), "insufficient balance for transfer; see …")
  )
})

recorded("a recorded response of Tenderly", () => {
  it.effect("is returned unchanged, with the link to the shared simulation", () =>
    assertForwarded(fixture("tenderly", "simulate-success-full"))
  )

  it.effect("that rejects sharing leaves the result without a link", () =>
    notShared(fixture("tenderly", "error-bad-request"))
  )

  it.effect("that rejects the simulation is the reason of the failure", () =>
    refusedWith(fixture("tenderly", "error-bad-request"), "Bad request input parameters")
  )
})

interface Refused {
  readonly status: number
  readonly detail: string
  readonly issues: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

describe("POST /utils/simulate-tx", () => {
  const payload = { chain: "1", input: { from, to, input: "0xa9059cbb", gas: 100_000, value: "0x5" } }

  layer(Service.layer(configured), { excludeTestServices: true })((it) => {
    it("returns a simulation in the sandbox, and 400 with the message if it is rejected", function* () {
      const { post } = yield* Service
      const response = yield* post("/utils/simulate-tx", payload)
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("content-type"), "application/json")
      const simulated = yield* body<{
        readonly simulation: { readonly id: string; readonly value: string }
        readonly simulationUrl: string
      }>(response)
      assert.strictEqual(simulated.simulationUrl, `https://www.tdly.co/shared/simulation/${simulated.simulation.id}`)
      assert.strictEqual(simulated.simulation.value, "5")
      const little = yield* post("/utils/simulate-tx", { ...payload, input: { ...payload.input, gas: 21_000 } })
      const { detail, issues, status } = yield* body<Refused>(little)
      assert.strictEqual(status, 400)
      assert.match(detail, /intrinsic gas too low: have 21000, want 21064/)
      assert.deepStrictEqual(
        issues.map(({ path }) => path),
        ["input"]
      )
    })
  })

  layer(Service.layer({ UPSTREAMS: "live", TENDERLY_ACCOUNT: "a" }), { excludeTestServices: true })((it) => {
    it("names all wrong values at once", function* () {
      const { post } = yield* Service
      const input = {
        from: `${from.slice(0, -1)}6`,
        to: "0x12",
        input: "0xa",
        gas: 0,
        gas_price: "-1",
        value: 5,
        block_number: 1.5,
        simulation_type: "fast"
      }
      const { issues, status } = yield* body<Refused>(yield* post("/utils/simulate-tx", { chain: "61", input }))
      assert.strictEqual(status, 400)
      assert.sameMembers(
        issues.map(({ path }) => path),
        ["chain", ...Object.keys(input).map((name) => `input.${name}`)]
      )
      const of = (path: string) => issues.find((issue) => issue.path === path)?.message ?? ""
      assert.match(of("chain"), /must be one of 1, 10, 56, 137, 8453, 42161, 43114; it is "61"/)
      assert.match(of("input.from"), /checksum/)
      assert.match(of("input.to"), /40 hexadecimal digits/)
      assert.match(of("input.gas"), /whole number from 1/)
      assert.match(of("input.simulation_type"), /must be one of full, quick, abi; it is "fast"/)
    })

    it("rejects values of another type, values beyond their limits, and missing values", function* () {
      const { post } = yield* Service
      const good = { from, to, input: "0x" }
      const wrong: ReadonlyArray<readonly [path: string, body: unknown]> = [
        ["chain", { chain: 1, input: good }],
        ["chain", { input: good }],
        ["input", { chain: "1" }],
        ["input.from", { chain: "1", input: { to, input: "0x" } }],
        ["input.input", { chain: "1", input: { ...good, input: "a9059cbb" } }],
        ["input.gas", { chain: "1", input: { ...good, gas: "21000" } }],
        ["input.gas", { chain: "1", input: { ...good, gas: 2 ** 53 } }],
        ["input.gas", { chain: "1", input: { ...good, gas: null } }],
        ["input.gas_price", { chain: "1", input: { ...good, gas_price: "" } }],
        ["input.value", { chain: "1", input: { ...good, value: "0x" } }],
        ["input.value", { chain: "1", input: { ...good, value: String(2n ** 256n) } }],
        ["input.block_number", { chain: "1", input: { ...good, block_number: -1 } }]
      ]
      for (const [path, payload] of wrong) {
        const { issues, status } = yield* body<Refused>(yield* post("/utils/simulate-tx", payload))
        assert.strictEqual(status, 400, path)
        assert.deepStrictEqual(
          issues?.map((issue) => issue.path),
          [path]
        )
      }
      const largest = { ...good, gas: 1, value: `0x${"f".repeat(64)}`, gas_price: "0", block_number: 0 }
      for (const simulation_type of ["full", "quick", "abi"])
        assert.strictEqual(
          (yield* post("/utils/simulate-tx", { chain: "42161", input: { ...largest, simulation_type } })).status,
          501
        )
    })

    it("returns 501 if the operator has not set all variables", function* () {
      const { get, post } = yield* Service
      const response = yield* post("/utils/simulate-tx", payload)
      const { detail, status } = yield* body<Refused>(response)
      assert.strictEqual(status, 501)
      assert.match(detail, /must set TENDERLY_PROJECT, TENDERLY_ACCESS_KEY\./)
      assert.notInclude(yield* textOf(yield* get("/health/ready")), "tenderly")
    })
  })

  for (const [fault, reply] of [
    ["fails", text("oops", { status: 500 })],
    ["rejects the key", text("", { status: 401 })],
    ["returns an HTML page", text("<html></html>")],
    ["hangs", neverResponds],
    ["returns a rate limit error", text("", { status: 429 })]
  ] as const)
    layer(Service.layerSimulated(configured, provider({ simulate: () => reply }).layer))((it) => {
      it(`returns 502 if the provider ${fault}`, function* () {
        const { post } = yield* Service
        const { detail, status } = yield* body<Refused>(yield* post("/utils/simulate-tx", payload))
        assert.strictEqual(status, 502)
        assert.match(detail, /^The simulation failed: tenderly: /)
        assert.notMatch(detail, /https?:|the-access-key/)
      })
    })

  layer(Service.layer(configured, provider().layer), { excludeTestServices: true })((it) => {
    it("preserves numbers that a double cannot represent", function* () {
      const { post } = yield* Service
      const simulated = yield* textOf(yield* post("/utils/simulate-tx", payload))
      assert.include(simulated, '"gas": 9007199254740993, "ratio": 1.50')
    })
  })
})
