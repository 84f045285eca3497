import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Address, Hex } from "viem"
import { toFunctionSelector } from "viem/utils"
import { ethereum } from "../../../../src/catalogue/evm/ethereum.ts"
import { tokenFacts } from "../../../../src/chains/evm/contracts/tokenFacts.ts"
import { multicall3Address } from "../../../../src/chains/evm/multicall.ts"
import type { TokenFacts } from "../../../../src/domain/tokens/TokenFacts.ts"
import { Settings } from "../../../../src/settings/Settings.ts"
import * as FetchClient from "../../../../src/upstream/FetchClient.ts"
import * as Upstream from "../../../../src/upstream/Upstream.ts"
import { Upstreams } from "../../../../src/upstream/Upstreams.ts"
import * as Node from "../../../support/anvil.ts"
import * as Code from "../../../support/contracts/assembled.ts"
import { isMissing } from "../../../support/tools.ts"
import { assert, describe, layer } from "../../../support/vitest.ts"

const token: Address = "0x00000000000000000000000000000000c0de0000"
const implementation: Address = "0x00000000000000000000000000000000c0de0001"
const beacon: Address = "0x00000000000000000000000000000000c0de0002"
const owner: Address = "0x00000000000000000000000000000000c0de00ff"

const slots = {
  implementation: "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
  admin: "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103",
  beacon: "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"
} as const

// Before Cancun, a contract that destroys itself loses its code.
const nodes = Layer.mergeAll(
  Node.layerWith(["--hardfork", "shanghai"]),
  FetchClient.layer,
  Upstreams.layer,
  Settings.layer({})
)

const none = { freeze: false, take: false, "transfer-fee": false, pause: false, mint: false, upgrade: false }

const plain: TokenFacts = {
  standard: "ERC-20",
  name: "Token",
  symbol: "TKN",
  decimals: 6,
  supply: 1_000_000n,
  powers: none
}

const missing = (what: string) => ({
  reason: "bad_answer" as const,
  message: `the contract returns no usable value: ${what}`
})

const unknownPowers = {
  reason: "not_listed",
  message: "the code of the contract does not show who may do what"
} as const

const unknown = { freeze: null, take: null, "transfer-fee": null, pause: null, mint: null, upgrade: false }

/** Contracts that try to mislead, and the facts that are read; undefined for other contracts than tokens. */
const hostile: Readonly<Record<string, readonly [code: Hex, expected: TokenFacts | undefined]>> = {
  "a token": [Code.token(), plain],
  "texts of 32 bytes": [
    Code.token({ "name()": Code.returnsBytes32("Maker"), "symbol()": Code.returnsBytes32("MKR") }),
    { ...plain, name: "Maker", symbol: "MKR" }
  ],
  "no decimals": [
    Code.token({ "decimals()": Code.reverts }),
    { ...plain, decimals: null, unread: missing("its decimals") }
  ],
  "255 decimals": [Code.token({ "decimals()": Code.returns(255) }), { ...plain, decimals: 255 }],
  "300 decimals": [
    Code.token({ "decimals()": Code.returns(300) }),
    { ...plain, decimals: null, unread: missing("its decimals") }
  ],
  "a contract that reverts": [Code.always(Code.reverts), undefined],
  "an endless loop": [Code.always(Code.loops), undefined],
  "a megabyte as symbol": [
    Code.token({ "symbol()": Code.returnsZeros(1_000_000) }),
    { ...plain, symbol: null, unread: missing("its symbol") }
  ],
  "a fallback that answers everything": [
    Code.always(Code.returns(18)),
    {
      ...plain,
      name: null,
      symbol: null,
      decimals: 18,
      supply: 18n,
      powers: { ...unknown },
      inconsistent: true,
      unread: missing("its name, its symbol")
    }
  ],
  "an allowance without an approval": [
    Code.token({ "allowance(address,address)": Code.returns(5) }),
    { ...plain, inconsistent: true }
  ],
  "direction marks": [Code.token({ "name()": Code.returnsText("\u202EUSDC") }), { ...plain, name: "\u202EUSDC" }],
  "a Cyrillic letter": [Code.token({ "symbol()": Code.returnsText("USD\u0422") }), { ...plain, symbol: "USD\u0422" }],
  "a link": [
    Code.token({ "name()": Code.returnsText("Visit https://claim.example to claim") }),
    { ...plain, name: "Visit https://claim.example to claim" }
  ],
  "an answer that depends on the caller": [
    Code.token({ "decimals()": Code.returnsByCaller(multicall3Address, 18, 6) }),
    { ...plain, inconsistent: true }
  ],
  "a collection": [
    Code.token({ "supportsInterface(bytes4)": Code.returns(0), "decimals()": Code.reverts }),
    { ...plain, decimals: null, unread: missing("its decimals") }
  ],
  "no code": ["0x", undefined],
  "a price feed": [Code.contract({ "decimals()": Code.returns(8), "owner()": Code.returns(BigInt(owner)) }), undefined],
  "an unknown function": [
    Code.token({ "skim(address)": Code.returns(1) }),
    { ...plain, powers: unknown, unread: unknownPowers }
  ],
  "an owner who can mint, pause and freeze": [
    Code.token({
      "owner()": Code.returns(BigInt(owner)),
      "mint(address,uint256)": Code.returns(1),
      "pause()": Code.returns(1),
      "blacklist(address)": Code.returns(1)
    }),
    { ...plain, powers: { ...none, mint: true, pause: true, freeze: true } }
  ],
  "minting by somebody who is not named": [
    Code.token({ "owner()": Code.returns(0), "mint(address,uint256)": Code.returns(1) }),
    { ...plain, powers: { ...none, mint: null }, unread: unknownPowers }
  ],
  "a delegated account": [
    `0xef0100${implementation.slice(2)}`,
    // The node, which is older than delegations, runs no such code.
    undefined
  ]
}

describe.skipIf(isMissing("anvil"))("the contract of a token on a real node", () => {
  layer(nodes, { excludeTestServices: true })((it) => {
    const read = Effect.gen(function* () {
      const { url } = yield* Node.Anvil
      const upstream = yield* Upstream.make({ name: "test", urls: [url], canary: () => Effect.void })
      const scalings = () => Effect.succeed(new Map())
      return Option.getOrUndefined(yield* tokenFacts(ethereum, upstream, scalings, undefined)(token))
    })
    const setUp = (...codes: ReadonlyArray<readonly [Address, Hex]>) =>
      Effect.flatMap(Node.Anvil, ({ rpcs }) =>
        rpcs([
          Node.withMulticall3,
          ...Object.values(slots).map((slot) => ["anvil_setStorageAt", [token, slot, `0x${"00".repeat(32)}`]] as const),
          ...codes.map(([address, code]) => Node.withCode(address, code))
        ])
      )
    const store = (slot: Hex, value: Address) =>
      Effect.flatMap(Node.Anvil, ({ rpc }) =>
        rpc("anvil_setStorageAt", [token, slot, `0x${value.slice(2).padStart(64, "0")}`])
      )

    for (const [name, [code, expected]] of Object.entries(hostile))
      it(`is read: ${name}`, function* () {
        yield* setUp([token, code])
        assert.deepStrictEqual(yield* read, expected)
      })

    it("is a collection without decimals if it says so by ERC-165", function* () {
      // Returns whether the requested interface is that of ERC-165 or ERC-721.
      const supports = () => "60043560e01c806301ffc9a714906380ac58cd141760005260206000f3"
      yield* setUp([token, Code.token({ "supportsInterface(bytes4)": supports, "decimals()": Code.reverts })])
      assert.deepStrictEqual(yield* read, {
        ...plain,
        standard: "ERC-721",
        decimals: null,
        unread: {
          reason: "not_listed",
          message: "the contract returns no usable value: its items are not fungible and have no decimals"
        }
      })
    })

    it("is read through a proxy, whose administrator can replace its code", function* () {
      yield* setUp([token, Code.proxy(slots.implementation)], [implementation, Code.token()])
      yield* store(slots.implementation, implementation)
      assert.deepStrictEqual(yield* read, {
        ...plain,
        powers: { ...none, upgrade: null },
        unread: unknownPowers
      })
      yield* store(slots.admin, owner)
      assert.deepStrictEqual(yield* read, { ...plain, powers: { ...none, upgrade: true } })
    })

    it("can be replaced by the owner of a beacon, whose code it runs", function* () {
      yield* setUp(
        [token, Code.proxy(slots.implementation)],
        [implementation, Code.token()],
        [beacon, Code.contract({ "implementation()": Code.returns(BigInt(implementation)) })]
      )
      yield* store(slots.implementation, implementation)
      yield* store(slots.beacon, beacon)
      assert.deepStrictEqual(yield* read, { ...plain, powers: { ...none, upgrade: true } })
    })

    it("cannot be replaced if it is a minimal proxy", function* () {
      const code: Hex = `0x363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`
      yield* setUp([token, code], [implementation, Code.token()])
      assert.deepStrictEqual(yield* read, plain)
    })

    it("is no token after it destroyed itself", function* () {
      const { rpc } = yield* Node.Anvil
      yield* setUp([token, Code.token({ "kill()": Code.destroysItself })])
      assert.deepStrictEqual(yield* read, {
        ...plain,
        powers: { ...unknown, upgrade: null },
        unread: unknownPowers
      })
      const [from] = (yield* rpc("eth_accounts", [])) as ReadonlyArray<string>
      yield* rpc("eth_sendTransaction", [{ from, to: token, data: toFunctionSelector("kill()"), gas: "0x30d40" }])
      assert.isUndefined(yield* read)
    })

    it("fails if the node is on another chain", function* () {
      const { url } = yield* Node.Anvil
      const upstream = yield* Upstream.make({ name: "test", urls: [url], canary: () => Effect.void })
      const facts = { ...ethereum, chainId: 5 }
      const reading = tokenFacts(facts, upstream, () => Effect.succeed(new Map()), undefined)(token)
      assert.deepStrictEqual(yield* Effect.flip(reading), {
        reason: "bad_answer",
        message: "test: the node is on another chain"
      })
    })
  })
})
