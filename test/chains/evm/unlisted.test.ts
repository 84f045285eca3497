import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { Address } from "viem"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { zkevm } from "../../../src/catalogue/evm/zkevm.ts"
import type { Explorer, IndexedTokens } from "../../../src/chains/evm/Provider.ts"
import * as Balances from "../../../src/chains/evm/strategies/Balances.ts"
import { unlisted } from "../../../src/chains/evm/unlisted.ts"
import type { UnlistedTokens } from "../../../src/chains/kit/holdings/unlisted.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { listOf } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Upstream from "../../../src/upstream/Upstream.ts"
import { UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const address = (index: number): Address => `0x${index.toString(16).padStart(40, "0")}`

const alice = address(1)
const [listed, spam, gone, broken] = [address(1_000), address(1_001), address(1_002), address(1_003)]
const crowd = Array.from({ length: 501 }, (_, index) => address(2_000 + index))

const held = { decimals: 6, held: { [alice]: 5n } }

const node = EvmNodes.rpcNode(
  EvmNodes.chain({
    chainId: 1,
    native: {},
    tokens: {
      [listed]: held,
      [spam]: held,
      [gone]: { decimals: 6, held: {} },
      [broken]: "broken",
      ...Object.fromEntries(crowd.map((token) => [token, held]))
    }
  })
)

const fault = new UpstreamError({ upstream: "explorer", reason: "upstream_error", detail: "is down" })

const unused = () => Effect.die("not used")

/** An explorer of these tokens, which counts its calls. */
const explorer = (
  tokensOf: Effect.Effect<Partial<IndexedTokens>, UpstreamError>,
  more: Partial<Explorer> = {},
  calls = { count: 0 }
): Explorer => ({
  name: "explorer",
  standing: Effect.succeed({ state: "works", usual: 10_000 }),
  fault: () => fault,
  lists: {
    txlist: unused,
    txlistinternal: unused,
    tokentx: unused,
    tokennfttx: unused,
    token1155tx: unused
  },
  internalsOf: unused,
  tokensOf: () => {
    calls.count++
    return Effect.map(tokensOf, (found) => ({ contracts: [], isWhole: true, scams: new Set<string>(), ...found }))
  },
  ...more
})

const list = listOf(
  [{ address: listed, coinId: CoinId.make("listed"), name: "", symbol: "", decimals: 6, thumbnail: "" }],
  0
)

const reading = Effect.fnUntraced(function* (
  explorers: ReadonlyArray<Explorer>,
  { facts = ethereum, known = Option.some(list) } = {}
) {
  const { layer } = EvmNodes.clientOver({ "0.test": node })
  const nodes = yield* Upstream.make({ name: "nodes", urls: ["http://0.test"], canary: () => Effect.void }).pipe(
    Effect.provide(Layer.mergeAll(layer, Upstreams.layer, Settings.layer({})))
  )
  const declared = (tokens: ReadonlyArray<string>) =>
    Effect.succeed(
      new Map(tokens.map((token) => [token, Either.right({ decimals: 6, scaling: Either.right(undefined) })]))
    )
  const read = unlisted(
    facts,
    Balances.make(facts, nodes),
    explorers,
    { declared, list: Effect.succeed(known) },
    10_000
  )
  const fiber = yield* Effect.fork(read([alice]))
  yield* TestClock.adjust("7 seconds")
  const [only] = (yield* Fiber.join(fiber)).unlisted ?? []
  return only ?? assert.fail("no address")
})

const summary = ({ omitted, scams, tokens, unread }: UnlistedTokens) => ({
  tokens: tokens.map(({ amount, asset }) => [asset === "native" ? "" : asset.address, Either.getOrUndefined(amount)]),
  omitted,
  scams: [...(scams ?? [])],
  unread: unread?.message
})

const whole = { omitted: 0, scams: [], unread: undefined }

describe("the unlisted tokens of an EVM address", () => {
  it("are those of an explorer whose balance a node confirms", function* () {
    const contracts = [listed, spam, gone]
    const found = yield* reading([explorer(Effect.succeed({ contracts, scams: new Set([spam]) }))])
    assert.deepStrictEqual(summary(found), { ...whole, tokens: [[spam, 5n]], scams: [spam] })
  })

  it("may be others if a contract returned no balance", function* () {
    const found = yield* reading([explorer(Effect.succeed({ contracts: [spam, broken, address(9)] }))])
    assert.deepStrictEqual(summary(found), {
      ...whole,
      tokens: [[spam, 5n]],
      unread: "the balances of some tokens could not be read"
    })
  })

  it("are listed by an explorer that has all tokens, before one that knows transfers", function* () {
    const calls = { count: 0 }
    const transfers = explorer(Effect.succeed({ contracts: [gone], isWhole: false }), {}, calls)
    const index = explorer(Effect.succeed({ contracts: [spam] }), { listsTokens: true })
    assert.deepStrictEqual(summary(yield* reading([transfers, index])), { ...whole, tokens: [[spam, 5n]] })
    assert.strictEqual(calls.count, 0)
    const down = explorer(Effect.fail(fault), { listsTokens: true })
    const { tokens, unread } = summary(yield* reading([transfers, down]))
    assert.deepStrictEqual([tokens, calls.count], [[], 1])
    assert.match(unread ?? "", /newest transfers/)
  })

  it("are at most 500, after those without a balance are left out", function* () {
    const { omitted, tokens } = yield* reading([explorer(Effect.succeed({ contracts: crowd }))])
    assert.deepStrictEqual([tokens.length, omitted], [500, 1])
    const empty = Array.from({ length: 500 }, (_, index) => address(9_000 + index))
    const held = yield* reading([explorer(Effect.succeed({ contracts: [...empty, spam] }))])
    assert.deepStrictEqual([held.tokens.length, held.omitted], [1, 0])
  })

  it("do not include the contracts of the native coin", function* () {
    const facts = { ...ethereum, nativeTokens: [spam] }
    const found = yield* reading([explorer(Effect.succeed({ contracts: [spam] }))], { facts })
    assert.deepStrictEqual(summary(found), { ...whole, tokens: [] })
  })

  it("are missing with a reason without an explorer, with one that fails or is silent, and without a list", function* () {
    const reasonOf = (...input: Parameters<typeof reading>) => Effect.map(reading(...input), ({ unread }) => unread)
    assert.deepStrictEqual(yield* reasonOf([explorer(Effect.fail(fault))]), {
      reason: "upstream_error",
      message: fault.message
    })
    assert.strictEqual((yield* reasonOf([]))?.reason, "not_configured")
    assert.strictEqual((yield* reasonOf([], { facts: zkevm }))?.reason, "sunset")
    assert.deepStrictEqual(yield* reasonOf([explorer(Effect.never)]), {
      reason: "timeout",
      message: "the tokens were not read in time"
    })
    const withoutList = yield* reading([explorer(Effect.succeed({ contracts: [spam] }))], { known: Option.none() })
    assert.deepStrictEqual([withoutList.tokens, withoutList.unread?.reason], [[], "upstream_error"])
  })
})
