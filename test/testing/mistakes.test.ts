import * as Cause from "effect/Cause"
import type * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { Catalogue } from "../../src/index.ts"
import { Networks, Prices, Service, Upstreams, World } from "../../src/testing/index.ts"
import { assert, describe, it } from "../support/vitest.ts"

const bitcoinAddress = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"

const over = (upstreams: Upstreams.Upstreams, ...networks: ReadonlyArray<string>) =>
  Service.layer({
    networks: Networks.only(...(networks.length === 0 ? ["ethereum"] : networks)),
    prices: [Prices.fixed({ ethereum: 3_000, bitcoin: 60_000 })],
    upstreams
  })

/** The native row of an address. */
const native = (network: string, of: string) =>
  Effect.flatMap(Service, ({ api }) =>
    Effect.map(api.balances.balances({ payload: { networks: { [network]: [of] } } }), ([row]) => row)
  )

/** Runs an effect with a console that collects the printed errors. */
const withErrors = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const printed: Array<unknown> = []
    const { console } = globalThis
    const collecting = { ...console, error: (...values: ReadonlyArray<unknown>) => void printed.push(...values) }
    const exit = yield* Effect.exit(
      Effect.withConsole(effect, {
        ...(yield* Effect.consoleWith(Effect.succeed)),
        error: (...values: ReadonlyArray<unknown>) => Effect.sync(() => collecting.error(...values)),
        unsafe: collecting
      } as Console.Console)
    )
    return { exit, printed: printed.map(String) }
  })

/** The defect of a failed exit. */
const defectOf = (exit: Exit.Exit<unknown, unknown>): Error => {
  assert(Exit.isFailure(exit), "the effect must fail")
  const [defect] = [...Cause.defects(exit.cause)]
  assert(defect instanceof Error, Cause.pretty(exit.cause))
  return defect
}

const emptied = Response.json({
  address: bitcoinAddress,
  chain_stats: { funded_txo_sum: 0, spent_txo_sum: 0, tx_count: 0 },
  mempool_stats: { funded_txo_sum: 0, spent_txo_sum: 0, tx_count: 0 }
})

/** A body that ends with an error after this number of bytes. */
const failing = (error: Error, length = 0) => {
  let left = length
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (left === 0) throw error
      controller.enqueue(new Uint8Array(50_000).fill(32))
      left -= 50_000
    }
  })
}

const cycle: Record<string, unknown> = {}
cycle.self = cycle

describe("a mock", () => {
  const mistakes: Readonly<Record<string, readonly [mistake: Upstreams.Upstreams, message: RegExp]>> = {
    "throws an error": [
      Upstreams.none.pipe(
        Upstreams.mock("bitcoin-esplora", () => Response.json((undefined as never as Response).body))
      ),
      /^Upstreams\.mock\("bitcoin-esplora"\) failed at GET https:.*: TypeError: .*undefined/
    ],
    "rejects its promise": [
      Upstreams.none.pipe(Upstreams.mock("bitcoin-esplora", () => Promise.reject(new RangeError("rejected")))),
      /RangeError: rejected/
    ],
    "has a defect": [
      Upstreams.none.pipe(Upstreams.mock("bitcoin-esplora", () => Effect.die(new RangeError("died")))),
      /RangeError: died/
    ],
    "returns no response": [
      Upstreams.none.pipe(Upstreams.mock("bitcoin-esplora", () => undefined as never)),
      /returned no Response/
    ],
    "returns the same response twice": [
      Upstreams.none.pipe(
        Upstreams.mock(
          ({ upstream }) => upstream.startsWith("bitcoin-"),
          () => emptied
        )
      ),
      /body was read before/
    ],
    "has a body that throws": [
      Upstreams.none.pipe(
        Upstreams.mock("bitcoin-esplora", () => new Response(failing(new RangeError("in the body"))))
      ),
      /^Upstreams\.mock\("bitcoin-esplora"\) failed at GET https:.*: RangeError: in the body/
    ],
    "has a long body that throws at its end": [
      Upstreams.none.pipe(
        Upstreams.mock("bitcoin-esplora", () => new Response(failing(new RangeError("at the end"), 200_000)))
      ),
      /RangeError: at the end/
    ],
    "has a body with a bigint": [
      Upstreams.none.pipe(Upstreams.mock("bitcoin-esplora", () => Response.json({ balance: 1n }))),
      /failed at GET https:.*: TypeError: .*BigInt/
    ],
    "has a body with a cycle": [
      Upstreams.none.pipe(Upstreams.mock("bitcoin-esplora", () => Response.json(cycle))),
      /failed at GET https:.*: TypeError: .*cyclic/
    ],
    "has a predicate that throws": [
      Upstreams.none.pipe(
        Upstreams.mock(
          () => {
            throw new RangeError("in the predicate")
          },
          () => new Response()
        )
      ),
      /Upstreams\.mock\(…\) failed at .*RangeError: in the predicate/
    ],
    "edits with an error": [
      Upstreams.sandbox.pipe(Upstreams.edit("bitcoin-esplora", () => Effect.die(new RangeError("edited")))),
      /Upstreams\.edit\("bitcoin-esplora"\) failed at .*RangeError: edited/
    ]
  }

  for (const [name, [upstreams, message]] of Object.entries(mistakes))
    it.live(`that ${name} fails the request of the test, and its error is printed`, function* () {
      const twice = Effect.zipRight(
        native("bitcoin", bitcoinAddress),
        native("bitcoin", "1dice8EMZmqKvrGE4Qc9bUFf9PX3xaYDp")
      )
      const { exit, printed } = yield* withErrors(Effect.provide(twice, over(upstreams, "bitcoin")))
      assert.match(defectOf(exit).message, message)
      assert.isDefined(defectOf(exit).cause)
      assert.isTrue(
        printed.some((text) => message.test(text.replace(/^Error: /, ""))),
        printed.join("\n")
      )
    })

  it.live("of calls that returns a cycle fails the request of the test", function* () {
    const upstreams = Upstreams.sandbox.pipe(Upstreams.editCall("ethereum-rpc", "eth_call", () => ({ result: cycle })))
    const balance = native("ethereum", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045")
    const { exit } = yield* withErrors(Effect.provide(balance, over(upstreams)))
    assert.match(
      defectOf(exit).message,
      /Upstreams\.editCall\("ethereum-rpc", "eth_call"\) failed at .*TypeError: .*cyclic/s
    )
  })

  it.live("that throws without a request of the test fails the next request, or the end of the service", function* () {
    const thrown = Promise.withResolvers<void>()
    const broken = Upstreams.sandbox.pipe(
      Upstreams.mock("coingecko-tokens", () => {
        thrown.resolve()
        throw new RangeError("in the background")
      })
    )
    const later = Effect.promise(() => thrown.promise)
    const atEnd = yield* withErrors(Effect.provide(later, over(broken)))
    assert.include(defectOf(atEnd.exit).message, "in the background")
    const next = Effect.exit(Effect.flatMap(Service, ({ fetch }) => fetch("/networks")))
    const { exit } = yield* withErrors(Effect.provide(Effect.zipRight(later, next), over(broken)))
    assert.include(defectOf(Exit.flatten(exit)).message, "in the background")
  })
})

describe("the name of an upstream", () => {
  const build = (upstreams: Upstreams.Upstreams) => Effect.exit(Effect.scoped(Layer.build(over(upstreams))))

  it.live("fails the service with the closest name if it is misspelt", function* () {
    const exit = yield* build(
      Upstreams.sandbox.pipe(
        Upstreams.mock("ethereum-rcp", () => new Response()),
        Upstreams.fault("etherscn", "reset"),
        Upstreams.edit("bitcoin_esplora", ({ response }) => response),
        Upstreams.editCall("nowhere", "eth_call", (reply) => reply)
      )
    )
    const lines = defectOf(exit).message.split("\n")
    assert.deepStrictEqual(lines.slice(0, 3).sort(), [
      'Upstreams.edit("bitcoin_esplora"): there is no upstream with this name; did you mean "bitcoin-esplora"?',
      'Upstreams.fault("etherscn"): there is no upstream with this name; did you mean "etherscan"?',
      'Upstreams.mock("ethereum-rcp"): there is no upstream with this name; did you mean "ethereum-rpc"?'
    ])
    assert.match(lines[3] ?? "", /^Upstreams\.editCall\("nowhere", "eth_call"\): .*this service has .*ethereum-rpc/)
  })

  it.live("may be a host, or an upstream of a registered network that the service does not have", () =>
    Effect.gen(function* () {
      const { unused } = yield* Service
      assert.deepStrictEqual(yield* unused, ['fault("solana-rpc")', 'mock("icons.example")', 'mock("icons")'])
    }).pipe(
      Effect.provide(
        over(
          Upstreams.sandbox.pipe(
            Upstreams.fault("solana-rpc", "hang"),
            Upstreams.mock("icons.example", () => new Response()),
            Upstreams.mock("icons", () => new Response())
          )
        )
      )
    )
  )
})

describe("the kind of a fault", () => {
  const mistakes: ReadonlyArray<readonly [kind: unknown, message: string]> = [
    ["rest", 'there is no fault "rest"; did you mean "reset"?'],
    ["explode", 'there is no fault "explode"; the faults are "hang", "reset", "truncated", "html", "reordered"'],
    [{ sloww: "1 second" }, 'there is no fault "sloww"; did you mean "slow"?'],
    [{}, 'there is no fault ""; the faults are "slow", "limited", "status"'],
    [undefined, 'there is no fault ""; the faults are "slow", "limited", "status"'],
    [{ limited: "headers" }, 'there is no fault "headers"; did you mean "header"?'],
    [{ limited: "body", status: 503 }, 'one fault cannot be both "limited" and "status"'],
    [{ slow: "1 second", headers: {} }, 'one fault cannot be both "slow" and "headers"'],
    [{ slow: "3 sekunden" }, '"3 sekunden" is no duration'],
    [{ status: 99 }, "99 is no status from 200 to 599"]
  ]

  it.live("fails the service with the closest kind if it is unknown", function* () {
    const upstreams = mistakes.reduce(
      (all, [kind]) => all.pipe(Upstreams.fault("ethereum-rpc", kind as Upstreams.Fault)),
      Upstreams.sandbox
    )
    const exit = yield* Effect.exit(Effect.scoped(Layer.build(over(upstreams))))
    assert.sameMembers(
      defectOf(exit).message.split("\n"),
      mistakes.map(([, message]) => `Upstreams.fault("ethereum-rpc"): ${message}`)
    )
  })
})

describe("a simulator with a defect", () => {
  const world = World.make()
  const state = new Proxy(world.state, {
    get: (target, name) => {
      if (name !== "settleDue") throw new RangeError("in the simulator")
      return target.settleDue
    }
  })

  it.live("fails the request of the test", function* () {
    const upstreams = Upstreams.sandboxOf(Catalogue.all, { world: { ...world, state } })
    const { exit, printed } = yield* withErrors(
      Effect.provide(native("bitcoin", bitcoinAddress), over(upstreams, "bitcoin"))
    )
    assert.match(
      defectOf(exit).message,
      /^the simulation of bitcoin-\w+ failed at GET https:.*: RangeError: in the simulator/
    )
    assert.isNotEmpty(printed)
  })
})
