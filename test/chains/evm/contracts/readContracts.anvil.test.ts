import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Address, Hex } from "viem"
import { toFunctionSelector } from "viem/utils"
import type { EvmFacts } from "../../../../src/catalogue/evm/EvmFacts.ts"
import { ethereum } from "../../../../src/catalogue/evm/ethereum.ts"
import { type ContractResult, readContracts } from "../../../../src/chains/evm/contracts/readContracts.ts"
import { tokenNames } from "../../../../src/chains/evm/contracts/tokenNames.ts"
import { Settings } from "../../../../src/settings/Settings.ts"
import * as FetchClient from "../../../../src/upstream/FetchClient.ts"
import * as Upstream from "../../../../src/upstream/Upstream.ts"
import { Upstreams } from "../../../../src/upstream/Upstreams.ts"
import * as Node from "../../../support/anvil.ts"
import * as Code from "../../../support/contracts/assembled.ts"
import { isMissing } from "../../../support/tools.ts"
import { assert, describe, layer } from "../../../support/vitest.ts"

const address = (index: number): Address => `0x${(0xc0de_0000n + BigInt(index)).toString(16).padStart(40, "0")}`

const supply = toFunctionSelector("totalSupply()")

const nodes = Layer.mergeAll(
  Node.layerWith(["--gas-limit", "100000000"]),
  FetchClient.layer,
  Upstreams.layer,
  Settings.layer({})
)

const kindOf = Either.match({
  onLeft: ({ data, kind }: { readonly data: Hex; readonly kind: string }) => (data === "0x" ? kind : `${kind} ${data}`),
  onRight: (data: Hex) => (data === "0x" ? "0x" : String(BigInt(data)))
}) as (result: ContractResult) => string

describe.skipIf(isMissing("anvil"))("contracts on a real node", () => {
  layer(nodes, { excludeTestServices: true })((it) => {
    const setUp = Effect.fnUntraced(function* (codes: ReadonlyArray<Hex>) {
      const { rpcs, url } = yield* Node.Anvil
      yield* rpcs([Node.withMulticall3, ...codes.map((code, index) => Node.withCode(address(index), code))])
      return yield* Upstream.make({ name: "test", urls: [url], canary: () => Effect.void })
    })

    const read = (upstream: Upstream.Upstream, facts: EvmFacts, count: number) =>
      upstream.over((node) =>
        Effect.map(
          readContracts(
            node,
            facts,
            Array.from({ length: count }, (_, index) => ({ target: address(index), callData: supply }))
          ),
          ({ results }) => results.map(kindOf)
        )
      )

    const word = (value: number) => value.toString(16).padStart(64, "0")

    /** A few contracts, and the results of the function. */
    const kinds = [
      [Code.token(), "1000000"],
      [Code.always(Code.reverts), "reverted"],
      [Code.always(Code.revertsWith(7)), `reverted 0x${word(7)}`],
      [Code.always(Code.loops), "reverted"],
      [Code.always(Code.returnsZeros(1_000_000)), "too_long"],
      [Code.always(Code.returnsZeros(320_000)), "too_long"],
      ["0xfe", "reverted"],
      ["0x", "0x"],
      [Code.token({ "totalSupply()": Code.returns(5) }), "5"]
    ] as const

    it("are read together, and each fails alone", function* () {
      const upstream = yield* setUp(kinds.map(([code]) => code))
      assert.deepStrictEqual(
        yield* read(upstream, ethereum, kinds.length),
        kinds.map(([, expected]) => expected)
      )
    })

    it("are read in parts if there are many, among them ten that use up all gas", function* () {
      const hostile = [7, 8, 100, 101, 250, 301, 399, 400, 555, 600]
      const codes = Array.from({ length: 620 }, (_, index) =>
        hostile.includes(index) ? Code.always(Code.loops) : Code.token({ "totalSupply()": Code.returns(index) })
      )
      const upstream = yield* setUp(codes)
      assert.deepStrictEqual(
        yield* read(upstream, ethereum, codes.length),
        codes.map((_, index) => (hostile.includes(index) ? "reverted" : String(index)))
      )
    })

    it("are read again alone if another may have used up their gas", function* () {
      const upstream = yield* setUp([Code.always(Code.loops), Code.always(Code.returnsLate(5))])
      assert.deepStrictEqual(yield* read(upstream, ethereum, 2), ["reverted", "5"])
    })

    it("are read one by one on a network without Multicall3", function* () {
      const upstream = yield* setUp(kinds.map(([code]) => code))
      const facts: EvmFacts = { ...ethereum, multicall: "0x00000000000000000000000000000000000000aa" }
      assert.deepStrictEqual(
        yield* read(upstream, facts, kinds.length),
        kinds.map(([, expected]) => expected)
      )
    })

    it("are not read on another chain", function* () {
      const upstream = yield* setUp([Code.token()])
      const { message } = yield* Effect.flip(read(upstream, { ...ethereum, chainId: 5 }, 1))
      assert.strictEqual(message, "test: the node is on another chain")
    })

    it("say their names, without those whose decimals cannot be read", function* () {
      const codes: ReadonlyArray<Hex> = [
        Code.token(),
        Code.token({ "name()": Code.returnsBytes32("Maker"), "symbol()": Code.returnsBytes32("MKR") }),
        Code.token({
          "name()": Code.returnsZeros(1_000_000),
          "symbol()": Code.returnsText("BIG"),
          "decimals()": Code.returns(255)
        }),
        Code.token({ "name()": Code.loops, "symbol()": Code.reverts }),
        Code.token({ "decimals()": Code.returns(300) }),
        Code.token({ "decimals()": Code.reverts }),
        "0x"
      ]
      const upstream = yield* setUp(codes)
      const names = yield* tokenNames(ethereum, upstream, undefined)(codes.map((_, index) => address(index)))
      assert.deepStrictEqual(
        [...names],
        [
          [address(0), { name: "Token", symbol: "TKN", decimals: 6 }],
          [address(1), { name: "Maker", symbol: "MKR", decimals: 6 }],
          [address(2), { name: "", symbol: "BIG", decimals: 255 }],
          [address(3), { name: "", symbol: "", decimals: 6 }]
        ]
      )
    })
  })
})
