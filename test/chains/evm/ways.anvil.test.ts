import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Address, Hex } from "viem"
import { maxTokensPerCall, packAddresses } from "../../../src/chains/evm/scanner/Codec.ts"
import type { BalanceStrategy, Refused } from "../../../src/chains/evm/strategies/BalanceStrategy.ts"
import { aggregate, scan } from "../../../src/chains/evm/strategies/Balances.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import * as Upstream from "../../../src/upstream/Upstream.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import * as Node from "../../support/anvil.ts"
import * as Contracts from "../../support/contracts/bytecode.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

const address = (range: number, index: number): Address =>
  `0x${((BigInt(range) << 128n) + BigInt(index) + 1n).toString(16).padStart(40, "c0de")}`

const addresses = (range: number, count: number) => Array.from({ length: count }, (_, index) => address(range, index))

const [alice, bob, unused] = addresses(1, 3) as [Address, Address, Address]

interface BalanceRequest {
  readonly holders: ReadonlyArray<Address>
  readonly tokens: ReadonlyArray<Address>
  readonly chainId?: number
}

const readWith = Effect.fnUntraced(function* (
  strategy: BalanceStrategy,
  { chainId = 1, holders, tokens }: BalanceRequest
) {
  const { url } = yield* Node.Anvil
  const nodes = yield* Upstream.make({ name: "test", urls: [url], canary: () => Effect.void })
  const packed = Arr.chunksOf(tokens, maxTokensPerCall).map((chunk) => ({ tokens: chunk, hex: packAddresses(chunk) }))
  const answer = yield* nodes.over((node) =>
    strategy(node, { chainId, holders, tokens, packed }).pipe(
      Effect.map((readings) => Either.right(readings.holders)),
      Effect.catchTag("Refused", (refused: Refused) => Effect.succeed(Either.left(refused)))
    )
  )
  return yield* answer
})

/** Balances that both strategies return, after asserting that they are equal. */
const readWithBoth = Effect.fnUntraced(function* (request: BalanceRequest) {
  const scanned = yield* readWith(scan, request)
  assert.deepStrictEqual(yield* readWith(aggregate, request), scanned)
  return scanned
})

const nodes = (args: ReadonlyArray<string> = []) =>
  Layer.mergeAll(Node.layerWith(args), FetchClient.layer, Upstreams.layer, Settings.layer({}))

const bad: Readonly<Record<string, Hex>> = {
  "reverts without data": Contracts.revertsBytecode,
  "reverts with a reason": Contracts.revertsWithReasonBytecode,
  "reverts with data that looks like a balance": Contracts.revertsWithWordBytecode,
  "reverts with a megabyte of data": Contracts.revertsBombBytecode,
  "returns no data": Contracts.returnsNothingBytecode,
  "returns 31 bytes": Contracts.returns31Bytecode,
  "returns a megabyte of data": Contracts.returnsBombBytecode,
  "burns all its gas": Contracts.burnsGasBytecode,
  "is an invalid operation": "0xfe",
  "has no code": "0x"
}

describe.skipIf(isMissing("anvil"))("the balance strategies on a real node", () => {
  layer(nodes(), { excludeTestServices: true })((it) => {
    it("need Multicall3 for `aggregate`, but not for `scan`", function* () {
      const { rpcs } = yield* Node.Anvil
      yield* rpcs([Node.withNative(alice, 7n)])
      const requested = { holders: [alice], tokens: [] }
      const refused = yield* Effect.flip(readWith(aggregate, requested))
      assert.strictEqual(refused._tag, "Refused")
      assert.deepStrictEqual(yield* readWith(scan, requested), [
        { native: 7n, balances: new Map(), unread: new Set<Address>() }
      ])
    })
  })

  layer(nodes(), { excludeTestServices: true })((it) => {
    it("return native balances of zero and one unit, and none that exceeds any supply", function* () {
      const { rpcs } = yield* Node.Anvil
      yield* rpcs([Node.withMulticall3, Node.withNative(alice, 1n), Node.withNative(bob, 2n ** 200n + 1n)])
      const read = yield* readWithBoth({ holders: [alice, unused, bob], tokens: [] })
      assert.deepStrictEqual(
        read.map(({ native }) => native),
        [1n, 0n, undefined]
      )
    })

    it("return the base units of tokens with any decimals", function* () {
      const { rpcs } = yield* Node.Anvil
      const tokens = addresses(2, 4)
      const decimals = [0, 6, 18, 36]
      yield* rpcs([
        Node.withMulticall3,
        ...tokens.flatMap((token, index) => [
          Node.withCode(token, Contracts.tokenBytecode),
          Node.withDecimals(token, decimals[index] ?? 0),
          Node.withBalance(token, alice, 10n ** BigInt(decimals[index] ?? 0) + 1n)
        ])
      ])
      const [read] = yield* readWithBoth({ holders: [alice], tokens })
      assert.deepStrictEqual(
        [...(read?.balances.values() ?? [])],
        decimals.map((decimal) => 10n ** BigInt(decimal) + 1n)
      )
    })

    it("return the maximum of uint256 unchanged", function* () {
      const { rpcs } = yield* Node.Anvil
      const [token] = addresses(3, 1) as [Address]
      yield* rpcs([Node.withMulticall3, Node.withCode(token, Contracts.hugeBytecode)])
      const [read] = yield* readWithBoth({ holders: [alice], tokens: [token] })
      assert.deepStrictEqual(read?.balances, new Map([[token, 2n ** 256n - 1n]]))
    })

    it("return the first word of a longer response", function* () {
      const { rpcs } = yield* Node.Anvil
      const tokens = addresses(7, 2) as [Address, Address]
      yield* rpcs([
        Node.withMulticall3,
        Node.withCode(tokens[0], Contracts.returns33Bytecode),
        Node.withCode(tokens[1], Contracts.returns64Bytecode)
      ])
      const [read] = yield* readWithBoth({ holders: [alice], tokens })
      assert.deepStrictEqual(
        [...(read?.balances ?? [])],
        [
          [tokens[0], 7n],
          [tokens[1], 7n]
        ]
      )
      assert.strictEqual(read?.unread.size, 0)
    })

    for (const [title, code] of Object.entries(bad))
      it(`report a token that ${title} as unread, and read its neighbours`, function* () {
        const { rpcs } = yield* Node.Anvil
        const [before, broken, empty, after] = addresses(4, 4) as [Address, Address, Address, Address]
        yield* rpcs([
          Node.withMulticall3,
          ...[before, empty, after].map((token) => Node.withCode(token, Contracts.tokenBytecode)),
          Node.withCode(broken, code),
          Node.withBalance(before, alice, 5n),
          Node.withBalance(after, alice, 6n)
        ])
        const read = yield* readWithBoth({ holders: [alice, unused], tokens: [before, broken, empty, after] })
        assert.deepStrictEqual(
          read.map(({ balances, unread }) => ({ balances, unread })),
          [
            {
              balances: new Map([
                [before, 5n],
                [after, 6n]
              ]),
              unread: new Set([broken])
            },
            { balances: new Map(), unread: new Set([broken]) }
          ]
        )
      })

    it("read all good tokens in a request that contains every bad token", function* () {
      const { rpcs } = yield* Node.Anvil
      const codes = Object.values(bad)
      const broken = addresses(5, codes.length)
      const good = addresses(6, codes.length)
      yield* rpcs([
        Node.withMulticall3,
        ...broken.map((token, index) => Node.withCode(token, codes[index] ?? "0x")),
        ...good.map((token) => Node.withCode(token, Contracts.tokenBytecode)),
        ...good.map((token, index) => Node.withBalance(token, bob, BigInt(index + 1)))
      ])
      const tokens = broken.flatMap((token, index) => [token, ...good.slice(index, index + 1)])
      const [, read] = yield* readWithBoth({ holders: [unused, bob], tokens })
      assert.deepStrictEqual(read?.unread, new Set(broken))
      assert.deepStrictEqual(read?.balances, new Map(good.map((token, index) => [token, BigInt(index + 1)])))
    })

    it("read 2,000 tokens", function* () {
      const { rpcs } = yield* Node.Anvil
      const tokens = addresses(7, 2_000)
      const held = tokens.filter((_, index) => index % 9 === 4)
      const broken = tokens.filter((_, index) => index % 450 === 5)
      yield* rpcs([Node.withMulticall3, ...tokens.map((token) => Node.withCode(token, Contracts.tokenBytecode))])
      yield* rpcs([
        ...held.map((token, index) => Node.withBalance(token, alice, BigInt(index + 1))),
        ...broken.map((token) => Node.withCode(token, Contracts.revertsBytecode))
      ])
      const [read] = yield* readWithBoth({ holders: [alice], tokens })
      assert.deepStrictEqual(read?.balances, new Map(held.map((token, index) => [token, BigInt(index + 1)])))
      assert.deepStrictEqual(read?.unread, new Set(broken))
    })

    it("read more tokens and holders than fit in one call", function* () {
      const { rpcs } = yield* Node.Anvil
      const tokens = addresses(8, 2_100)
      const holders = addresses(9, 8)
      const last = tokens[2_099] as Address
      yield* rpcs([
        Node.withCode(last, Contracts.tokenBytecode),
        ...holders.map((holder, index) => Node.withNative(holder, BigInt(index))),
        ...holders.map((holder, index) => Node.withBalance(last, holder, BigInt(100 + index)))
      ])
      const read = yield* readWith(scan, { holders, tokens })
      assert.deepStrictEqual(
        read.map(({ balances, native, unread }) => [native, [...balances], unread.size]),
        holders.map((_, index) => [BigInt(index), [[last, BigInt(100 + index)]], 2_099]) as unknown
      )
    })

    it("return a result for each requested holder, in order and with duplicates", function* () {
      const { rpcs } = yield* Node.Anvil
      const [token] = addresses(10, 1) as [Address]
      yield* rpcs([
        Node.withMulticall3,
        Node.withCode(token, Contracts.tokenBytecode),
        Node.withNative(alice, 3n),
        Node.withNative(bob, 4n),
        Node.withBalance(token, bob, 9n)
      ])
      const read = yield* readWithBoth({ holders: [bob, alice, bob, unused, alice], tokens: [token] })
      assert.deepStrictEqual(
        read.map(({ balances, native }) => [native, balances.get(token)]),
        [
          [4n, 9n],
          [3n, undefined],
          [4n, 9n],
          [0n, undefined],
          [3n, undefined]
        ]
      )
    })

    it("reject a node of another chain", function* () {
      const { rpcs } = yield* Node.Anvil
      yield* rpcs([Node.withMulticall3])
      for (const strategy of [scan, aggregate]) {
        const error = yield* Effect.flip(readWith(strategy, { holders: [alice], tokens: [], chainId: 10 }))
        assert.deepInclude(error, { _tag: "UpstreamError", reason: "bad_answer" })
      }
    })
  })
})
