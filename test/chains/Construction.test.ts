import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import type { ChainFacts } from "../../src/catalogue/NetworkFacts.ts"
import { Chain } from "../../src/chains/Chain.ts"
import { Chains } from "../../src/chains/Chains.ts"
import { variablePrefix } from "../../src/domain/NetworkId.ts"
import { type PlatformFacts, TokenRegistry } from "../../src/providers/TokenRegistry.ts"
import { Settings } from "../../src/settings/Settings.ts"
import { assert, describe, it } from "../support/vitest.ts"

const [first, second, third] = Catalogue.all.filter(({ family }) => family === "utxo")
if (first === undefined || second === undefined || third === undefined)
  throw new Error("this test needs three networks of the same family")

/** Networks that record their construction, which waits for `gate`. */
const recordingNetworks = (gate: Effect.Effect<void> = Effect.void) => {
  const events: Array<string> = []
  const note = (event: string) => Effect.sync(() => events.push(event))
  const shared = Layer.scopedDiscard(Effect.acquireRelease(note("shared"), () => note("shared ends")))
  const layerOf = (facts: Catalogue.AnyFacts) =>
    Layer.scoped(
      Chain,
      Effect.gen(function* () {
        yield* note(facts.id)
        yield* Effect.acquireRelease(gate, () => note(`${facts.id} ends`))
        return { facts: facts as ChainFacts } as Context.Tag.Service<Chain>
      })
    ).pipe(Layer.provide(shared))
  const network = (facts: Catalogue.AnyFacts, tokens?: PlatformFacts) => ({ facts, tokens, layer: layerOf(facts) })
  return { events, layerOf, network }
}

const platform: PlatformFacts = { platform: "pebbles", canonical: Option.some }

type Networks = Parameters<typeof Chains.fromNetworks<ReturnType<ReturnType<typeof recordingNetworks>["network"]>>>[0]

/** These networks in an environment, and the platforms whose token lists are followed. */
const over = Effect.fnUntraced(function* (networks: Networks, environment: Readonly<Record<string, string>> = {}) {
  const followed: Array<string> = []
  const registry = Layer.mock(TokenRegistry, {
    follow: ({ platform }) =>
      Effect.sync(() => {
        followed.push(platform)
        return Effect.succeedNone
      })
  })
  const settings = Settings.layer(environment)
  const context = yield* Layer.build(
    Layer.provideMerge(Layer.provide(Chains.fromNetworks(networks), registry), settings)
  )
  return yield* Effect.map(
    Effect.all([Chains, Settings]),
    ([chains, settings]) => ({ chains, settings, followed }) as const
  ).pipe(Effect.provide(context))
})

describe("networks", () => {
  it("are built on first use, each once, and their shared layers are built once", function* () {
    const { events, network } = recordingNetworks()
    const { chains, followed } = yield* over([network(first), network(second, platform), network(third)])
    assert.deepStrictEqual(
      chains.facts.map(({ id }) => id),
      [first.id, second.id, third.id]
    )
    assert.deepStrictEqual(events, [])
    // Prices need the network's token list even if the network itself is not used.
    assert.deepStrictEqual(followed, ["pebbles"])
    assert.isUndefined(chains.built(second.id))

    const [one, other] = yield* Effect.all([chains.find(second.id), chains.find(` ${second.id.toUpperCase()} `)], {
      concurrency: "unbounded"
    })
    assert.strictEqual(Option.getOrThrow(one), Option.getOrThrow(other))
    assert.strictEqual(chains.built(second.id), Option.getOrThrow(one))
    assert.deepStrictEqual(events, ["shared", second.id])

    const find = yield* chains.named([third.id, second.id, "unheard"])
    assert.strictEqual(Option.getOrThrow(find(third.id)).facts, third)
    assert.isTrue(Option.isNone(find("unheard")))
    assert.isTrue(Option.isNone(yield* chains.find("unheard")))
    assert.deepStrictEqual(events, ["shared", second.id, third.id])

    assert.deepStrictEqual(
      (yield* chains.all).map(({ facts }) => facts),
      [first, second, third]
    )
    assert.deepStrictEqual(events, ["shared", second.id, third.id, first.id])
  })

  it("live until the service ends, even if their first caller is interrupted", function* () {
    const gate = yield* Deferred.make<void>()
    const { events, network } = recordingNetworks(Deferred.await(gate))
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { chains } = yield* over([network(first)])
        const impatient = yield* Effect.fork(chains.find(first.id))
        const patient = yield* Effect.fork(Effect.scoped(chains.find(first.id)))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(impatient)
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual(Option.getOrThrow(yield* Fiber.join(patient)).facts, first)
        assert.deepStrictEqual(events, ["shared", first.id])
      })
    )
    assert.deepStrictEqual(events, ["shared", first.id, `${first.id} ends`, "shared ends"])
  })

  it("are not built after the service has ended", function* () {
    const { events, network } = recordingNetworks()
    const { chains } = yield* Effect.scoped(over([network(first)]))
    assert.isTrue(Option.isNone(yield* Effect.disconnect(Effect.option(Effect.sandbox(chains.find(first.id))))))
    assert.deepStrictEqual(events, [])
  })

  it("that fail to build do not affect other networks, and their callers fail at once", function* () {
    const { network } = recordingNetworks()
    const broken = { ...network(first), layer: Layer.die(new Error("broken")) }
    const { chains } = yield* over([broken, network(second)])
    for (const _ of [1, 2]) {
      const exit = yield* Effect.exit(chains.find(first.id))
      assert.strictEqual(exit._tag, "Failure")
    }
    assert.isTrue(Option.isSome(yield* chains.find(second.id)))
  })

  it("are built at startup if a variable of the network or of its family, or its _FILE variable, is set", function* () {
    for (const [name, ids] of [
      [`${variablePrefix(second.id)}_ESPLORA_URLS`, [second.id]],
      [`${variablePrefix(first.id)}_RPC_URLS_FILE`, [first.id]],
      ["ESPLORA_PER_SECOND", [first.id, second.id]]
    ] as const) {
      const { events, network } = recordingNetworks()
      yield* over([network(first), network(second)], { [name]: "1" })
      assert.deepStrictEqual(events, ["shared", ...ids], name)
    }
    const blank = { [`${variablePrefix(first.id)}_ESPLORA_URLS`]: " " }
    for (const environment of [blank, { RIPPLE_RPC_URLS: "http://a.example" }]) {
      const { events, network } = recordingNetworks()
      yield* over([network(first)], environment as Readonly<Record<string, string>>)
      assert.deepStrictEqual(events, [])
    }
  })

  it("that the operator adds are built at startup, because their variables are not known in advance", function* () {
    const { events, layerOf, network } = recordingNetworks()
    const own = { ...first, id: second.id }
    yield* over([network(own), layerOf(third) as never])
    assert.deepStrictEqual(events, ["shared", own.id, third.id])
  })
})
