import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Address, Hex } from "viem"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { multipliersOf } from "../../../src/chains/evm/tokens/multipliers.ts"
import { format } from "../../../src/domain/Multiplier.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import * as Upstream from "../../../src/upstream/Upstream.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import * as Node from "../../support/anvil.ts"
import * as Contracts from "../../support/contracts/bytecode.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

const address = (index: number): Address => `0x${(0xc0de_0000n + BigInt(index)).toString(16).padStart(40, "0")}`

/** Returns 5e18 for `uiMultiplier()`, and reverts for all other functions. */
const scaledCode: Hex = `0x60003560e01c63a60bf13d14601457600060${"00"}fd5b67${(5n * 10n ** 18n).toString(16)}60005260206000f3`

const nodes = Layer.mergeAll(Node.layer, FetchClient.layer, Upstreams.layer, Settings.layer({}))

describe.skipIf(isMissing("anvil"))("multipliers on a real node", () => {
  layer(nodes, { excludeTestServices: true })((it) => {
    it("are found among tokens without the function, also if these use up all gas", function* () {
      const { rpcs, url } = yield* Node.Anvil
      const codes: ReadonlyArray<Hex> = [
        Contracts.tokenBytecode,
        "0xfe",
        Contracts.burnsGasBytecode,
        "0xfe",
        Contracts.returnsNothingBytecode,
        "0x",
        ...Array.from({ length: 12 }, () => Contracts.tokenBytecode),
        scaledCode
      ]
      yield* rpcs([Node.withMulticall3, ...codes.map((code, index) => Node.withCode(address(index), code))])
      const upstream = yield* Upstream.make({ name: "test", urls: [url], canary: () => Effect.void })
      const multipliers = yield* multipliersOf(upstream, ethereum)
      const scaled = address(codes.length - 1)
      const all = codes.map((_, index) => address(index))
      for (const tokens of [all, [scaled], all.slice(6)])
        assert.deepStrictEqual(
          [...(yield* multipliers.scalings(tokens))].map(([token, scaling]) => [
            token,
            Either.match(scaling, { onLeft: ({ message }) => message, onRight: ({ multiplier }) => format(multiplier) })
          ]),
          [[scaled, "5"]]
        )
      assert.deepStrictEqual(
        all.filter((token) => !multipliers.isPlain(token)),
        [scaled]
      )
    })
  })
})
