import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Address } from "viem"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { optimism } from "../../../src/catalogue/evm/optimism.ts"
import { maxTokensPerCall, packAddresses } from "../../../src/chains/evm/scanner/Codec.ts"
import type { BalanceStrategy } from "../../../src/chains/evm/strategies/BalanceStrategy.ts"
import { aggregate, scan } from "../../../src/chains/evm/strategies/Balances.ts"
import * as Client from "../../../src/jsonrpc/Client.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import * as ResponseDecoder from "../../../src/upstream/response/ResponseDecoder.ts"
import * as Upstream from "../../../src/upstream/Upstream.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { holders, sandboxEnvironment } from "../../support/sandbox.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

type Info = Extract<(typeof Catalogue.all)[number], { readonly family: "evm" }>

const evmInfos = Catalogue.all.filter((info): info is Info => info.family === "evm")

/** A client of a simulated node, which the sandbox identifies by upstream name, not by URL. */
const node = (info: Info) =>
  Upstream.make({ name: `${info.id}-rpc`, urls: ["https://node.example"], canary: () => Effect.void })

const tokensOf = (info: Info) => World.contractsOn(info.platform).map(({ address }) => address as Address)

const ask = (way: BalanceStrategy, info: Info, holders: ReadonlyArray<Address>, tokens: ReadonlyArray<Address>) =>
  Effect.gen(function* () {
    assert.isAtMost(tokens.length, maxTokensPerCall)
    const nodes = yield* node(info)
    const packed = tokens.length === 0 ? [] : [{ tokens, hex: packAddresses(tokens) }]
    return yield* nodes.over((client) =>
      way(client, { chainId: info.chainId, holders, tokens, packed }).pipe(
        Effect.catchTag("Refused", ({ detail }) => Effect.dieMessage(detail)),
        Effect.map(({ holders }) => holders)
      )
    )
  })

const world = (info: Info, asked: ReadonlyArray<Address>) =>
  asked.map((address) => ({
    native: World.native(info, address),
    balances: new Map(
      World.contractsOn(info.platform)
        .map((contract) => [contract.address as Address, World.tokenBalance(info, contract, address)] as const)
        .filter(([, amount]) => amount > 0n)
    ),
    unread: new Set<Address>()
  }))

describe("the simulated EVM node", () => {
  layer(Layer.merge(sandboxEnvironment(), Upstreams.layer), { excludeTestServices: true })((it) => {
    for (const info of evmInfos)
      it(`returns the world's balances through the scanner and Multicall3 on ${info.name}`, function* () {
        const asked = holders(12)
        for (const way of [scan, aggregate])
          assert.deepStrictEqual(yield* ask(way, info, asked, tokensOf(info)), world(info, asked))
      })

    it("returns more balances than fit into a single result of the scanner", function* () {
      const asked = holders(400)
      assert.deepStrictEqual(yield* ask(scan, ethereum, asked, tokensOf(ethereum)), world(ethereum, asked))
    })

    it("reports an address without a contract as an unreadable token, with every strategy", function* () {
      const [alice, nowhere] = holders(2) as [Address, Address]
      const [real] = tokensOf(ethereum) as [Address]
      for (const way of [scan, aggregate]) {
        const [reading] = yield* ask(way, ethereum, [alice], [nowhere, real])
        assert.deepStrictEqual([...(reading?.unread ?? [])], [nowhere])
        assert.strictEqual(reading?.native, World.native(ethereum, alice))
      }
    })

    it("is recognized as a node of another chain by its chain id", function* () {
      const [alice] = holders(1) as [Address]
      for (const way of [scan, aggregate]) {
        const nodes = yield* node(optimism)
        const error = yield* Effect.flip(
          nodes.over((client) =>
            Effect.catchTag(
              way(client, { chainId: 1, holders: [alice], tokens: [], packed: [] }),
              "Refused",
              ({ detail }) => Effect.dieMessage(detail)
            )
          )
        )
        assert.strictEqual(error.detail, "the node is on another chain")
      }
    })

    it("accepts an address in upper case, rejects unknown methods, and answers a batch in order", function* () {
      const nodes = yield* node(ethereum)
      const asked = holders(9).find((address) => World.native(ethereum, address) > 0n) ?? "0x"
      const upper = `0x${asked.slice(2).toUpperCase()}`
      const outcomes = yield* nodes.over((client) =>
        Client.batch(client, [
          { method: "eth_getBalance", params: [asked, "latest"] },
          { method: "eth_getBalance", params: [upper, "latest"] },
          { method: "eth_mine", params: [] },
          { method: "eth_chainId", params: [] },
          { method: "web3_clientVersion", params: [] }
        ])
      )
      const told = outcomes.map((outcome) => (outcome._tag === "Right" ? outcome.right : outcome.left.code))
      const native = `0x${World.native(ethereum, asked).toString(16)}`
      assert.deepStrictEqual(told, [native, native, -32601, "0x1", "sandbox/1.0"])
    })

    it("returns a parse error for a body that is not JSON", function* () {
      const nodes = yield* node(ethereum)
      const answer = yield* nodes.over((client) =>
        client.read(HttpClientRequest.bodyText(HttpClientRequest.post(""), "{"), ResponseDecoder.json)
      )
      assert.deepInclude(answer, { id: null, error: { code: -32700, message: "parse error" } })
    })
  })
})
