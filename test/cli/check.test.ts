import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as App from "../../src/App.ts"
import { ethereum } from "../../src/catalogue/evm/ethereum.ts"
import type { SourceHead } from "../../src/chains/Chain.ts"
import { Chains } from "../../src/chains/Chains.ts"
import { inWords, unserved } from "../../src/chains/unserved.ts"
import { checkedHeads, headLines } from "../../src/cli/heads.ts"
import { remedy, variablesOf } from "../../src/cli/remedies.ts"
import { height, seconds } from "../../src/domain/units.ts"
import { UpstreamError } from "../../src/upstream/UpstreamError.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { run } from "../support/command.ts"
import { sandboxEnvironment } from "../support/sandbox.ts"
import { assert, describe, it } from "../support/vitest.ts"

const head = (host: string, blocks: number, at: number): SourceHead => ({
  upstream: "ethereum-rpc",
  host,
  chain: 1,
  read: Effect.succeed({ height: height(blocks), at: seconds(at) })
})

describe("the newest blocks of sources", () => {
  it.effect("have the chain, the height, the lag and what to set, in a line for each", function* () {
    yield* TestClock.setTime(2_000_000_000_000)
    const fails: SourceHead = {
      upstream: "ethereum-rpc",
      host: "c.example",
      read: new UpstreamError({
        upstream: "ethereum-rpc",
        reason: "bad_answer",
        detail: "the node is on another chain"
      })
    }
    const heads = yield* checkedHeads(
      [
        {
          facts: ethereum,
          heads: [head("a.example", 1_000, 1_999_999_988), head("b.example", 700, 1_999_996_400), fails]
        }
      ],
      { limit: 1_000, variables: () => ({ address: "ETHEREUM_RPC_URLS" }) }
    )
    assert.deepStrictEqual(headLines(heads), [
      "ethereum  ethereum-rpc  a.example  chain 1  1000  the highest, 12 s old",
      "ethereum  ethereum-rpc  b.example  chain 1   700  300 behind, 3600 s old, is behind the network, and not used, set ETHEREUM_RPC_URLS",
      "ethereum  ethereum-rpc  c.example                 the node is on another chain, set ETHEREUM_RPC_URLS"
    ])
  })

  it.live("are printed for every network, with the chain id of its nodes", function* () {
    const { code, stdout } = yield* run(["check", "--network", "base"], { UPSTREAMS: "sandbox", CACHE: "memory" })
    assert.strictEqual(code, 0)
    const rows = [...stdout.matchAll(/^base +base-rpc +\S+ +chain 8453 +\d+ {2}the highest, \d+ s old$/gm)]
    assert.lengthOf(rows, 3)
  })
})

describe("what mends a line of the check", () => {
  it("is the key after a refusal, else other addresses", () => {
    const variables = { address: "A_URL", key: "A_API_KEY" }
    assert.strictEqual(remedy(variables, { reason: "rate_limited" }, false), "set A_API_KEY or A_URL")
    assert.strictEqual(remedy(variables, { reason: "upstream_error", status: 401 }, true), "check A_API_KEY")
    assert.strictEqual(remedy(variables, { reason: "timeout" }, false), "set A_URL")
    assert.strictEqual(remedy({ address: "A_URL" }, { reason: "rate_limited" }, false), "set A_URL")
    assert.isUndefined(remedy({}, { reason: "timeout" }, false))
  })

  it.live("is known for every upstream", function* () {
    const unknown = yield* Effect.gen(function* () {
      yield* (yield* Chains).all
      const variables = yield* variablesOf
      const trials = yield* (yield* Upstreams).trials
      assert.isAbove(trials.length, 50)
      assert.deepStrictEqual(variables("base-blockscout"), {
        address: "BASE_BLOCKSCOUT_URL",
        key: "BLOCKSCOUT_API_KEY"
      })
      assert.deepStrictEqual(variables("blockfrost"), { address: "BLOCKFROST_URL", key: "BLOCKFROST_PROJECT_ID" })
      return trials.flatMap(({ name }) => (variables(name).address === undefined ? [name] : []))
    }).pipe(Effect.provide(Layer.provideMerge(Layer.fresh(App.useCases), sandboxEnvironment())))
    assert.deepStrictEqual(unknown, [])
  })
})

describe("networks without a source", () => {
  it.live("are named with the variable to set, and fail the check if --network names one", function* () {
    const { code, stdout } = yield* run(["check", "--network", "zkevm"], { UPSTREAMS: "sandbox", CACHE: "memory" })
    assert.strictEqual(code, 1)
    assert.match(
      stdout,
      /^no source of balance on zkevm: Polygon zkEVM was shut down on 2026-07-01; set ZKEVM_RPC_URLS$/m
    )
  })

  it.live("are one line", function* () {
    const line = yield* Effect.flatMap(Chains, ({ all }) => Effect.flatMap(all, unserved)).pipe(
      Effect.map(inWords),
      Effect.provide(Layer.provide(Layer.fresh(App.useCases), sandboxEnvironment({ UPSTREAMS: "live" })))
    )
    assert.match(
      line ?? "",
      /^networks without a source: bsc \(history\): .*: set ETHERSCAN_API_KEY or BSC_BLOCKSCOUT_URL; /
    )
    assert.include(line, "zkevm (balance): Polygon zkEVM was shut down on 2026-07-01")
    assert.isUndefined(inWords([]))
  })
})
