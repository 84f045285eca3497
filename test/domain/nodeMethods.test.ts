import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as EvmMethods from "../../src/chains/evm/rpc/EvmMethodPolicy.ts"
import { suiMethods } from "../../src/contract/nodes/NodesApi.ts"
import { administrativePrefixes, refusalReason } from "../../src/domain/nodeMethods.ts"

const evm = [
  ...Object.keys(EvmMethods.blockAt),
  ...EvmMethods.fixed,
  ...EvmMethods.ofTransaction,
  ...EvmMethods.newest,
  ...EvmMethods.passing,
  ...EvmMethods.opening,
  ...EvmMethods.continuing
]

const others = [
  "getAccountInfo",
  "sendTransaction",
  "runGetMethod",
  "sendBocReturnHash",
  "unsafe_transferSui",
  "estimateFee"
]

describe("a method", () => {
  it("is allowed if clients of the networks use it", () => {
    for (const method of [...evm, ...suiMethods, ...others]) assert.isUndefined(refusalReason(method), method)
  })

  it("is refused if it administers a node, in upper or lower case", () =>
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom(...administrativePrefixes),
        FastCheck.array(FastCheck.boolean(), { minLength: 12, maxLength: 12 }),
        FastCheck.stringMatching(/^[A-Za-z0-9_]*$/),
        (prefix, upper, rest) => {
          const written = Array.from(prefix, (letter, at) => (upper[at] === true ? letter.toUpperCase() : letter)).join(
            ""
          )
          assert.strictEqual(refusalReason(written + rest), "administers a node", written + rest)
        }
      ),
      { numRuns: 200 }
    ))

  it("is refused if its name contains a character other than letters, digits and _", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.string(), FastCheck.fullUnicode(), FastCheck.string(), (before, text, after) => {
        FastCheck.pre(!/^[A-Za-z0-9_]$/.test(text))
        assert.isString(refusalReason(before + text + after))
      }),
      { numRuns: 200 }
    ))
})
