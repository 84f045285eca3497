import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address, Hex } from "viem"
import { numberToHex } from "viem/utils"
import {
  decodeAggregate,
  decodeQuantity,
  decodeWord,
  encodeAggregate,
  encodeBalanceOf,
  multicall3Address
} from "../../../src/chains/evm/multicall.ts"
import * as Codec from "../../../src/chains/evm/scanner/Codec.ts"
import * as Node from "../../support/anvil.ts"
import * as Contracts from "../../support/contracts/bytecode.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

const address = (range: number, index: number): Address =>
  `0x${((BigInt(range) << 128n) + BigInt(index) + 1n).toString(16).padStart(40, "c0de")}`

const addresses = (range: number, count: number) => Array.from({ length: count }, (_, index) => address(range, index))

interface ScanRequest extends Codec.ScanPairs {
  readonly start?: number
  readonly gasPerCall?: number
  readonly gas?: number
}

/** Result of one `eth_call` from the node. */
const call = ({ gas, gasPerCall = Codec.defaultGasPerCall, holders, start = 0, tokens }: ScanRequest) =>
  Effect.flatMap(Node.Anvil, ({ rpc }) =>
    rpc("eth_call", [
      {
        data: Codec.encodeScan({ gasPerCall, start, holders, tokensPacked: Codec.packAddresses(tokens) }),
        ...(gas !== undefined && { gas: numberToHex(gas) })
      },
      "latest"
    ])
  ).pipe(Effect.map(String))

const scan = (request: ScanRequest) =>
  Effect.flatMap(call(request), (output) => Codec.decodeScan(output, { ...request, start: request.start ?? 0 })).pipe(
    Effect.mapError(String)
  )

/** Repeats the call until every pair is scanned. */
const scanAll = Effect.fnUntraced(function* (request: ScanRequest) {
  const scans: Array<Codec.Scan> = []
  for (let start = 0; start < Codec.pairCount(request); ) {
    const part = yield* scan({ ...request, start })
    assert.isAbove(part.next, start)
    scans.push(part)
    start = part.next
  }
  return {
    calls: scans.length,
    found: scans.flatMap((part) => part.found),
    unread: scans.flatMap((part) => part.unread)
  }
})

const [alice, bob, unused] = addresses(1, 3) as [Address, Address, Address]

describe.skipIf(isMissing("anvil"))("the scanner on a real node", () => {
  layer(Node.layer, { excludeTestServices: true })((it) => {
    it("reads non-zero native balances, the chain id and the time of the block", function* () {
      const { rpc, rpcs } = yield* Node.Anvil
      // Before its first block, anvil runs calls with timestamp 1.
      yield* rpcs([Node.withNative(alice, 7n), Node.withNative(bob, 2n ** 100n), ["evm_mine", []]])
      const block = yield* rpc("eth_getBlockByNumber", ["latest", false])
      const read = yield* scan({ holders: [alice, unused, bob], tokens: [] })
      assert.deepStrictEqual(read, {
        chainId: 1n,
        timestamp: BigInt(String((block as { readonly timestamp: string }).timestamp)),
        next: 3,
        found: [
          { pair: 0, holder: alice, token: "native", value: 7n },
          { pair: 2, holder: bob, token: "native", value: 2n ** 100n }
        ],
        unread: []
      })
    })

    it("reads the tokens of several holders", function* () {
      const { rpc, rpcs } = yield* Node.Anvil
      const [text, two] = addresses(2, 2) as [Address, Address]
      yield* rpcs([
        Node.withCode(text, Contracts.tokenBytecode),
        Node.withCode(two, Contracts.tokenBytecode),
        Node.withDecimals(text, 6),
        Node.withNative(alice, 7n),
        Node.withNative(bob, 8n),
        Node.withBalance(text, alice, 1n),
        Node.withBalance(two, alice, 2n ** 255n),
        Node.withBalance(two, bob, 3n)
      ])
      const read = yield* scan({ holders: [alice, unused, bob], tokens: [text, two] })
      assert.deepStrictEqual(
        read.found.map(({ holder, token, value }) => [holder, token, value]),
        [
          [alice, "native", 7n],
          [alice, text, 1n],
          [alice, two, 2n ** 255n],
          [bob, "native", 8n],
          [bob, two, 3n]
        ]
      )
      assert.deepStrictEqual([read.next, read.unread], [9, []])
      const decimals = yield* rpc("eth_call", [{ to: text, data: "0x313ce567" }, "latest"])
      assert.deepStrictEqual(decodeWord(String(decimals)), Option.some(6n))
    })

    it("reads all good tokens next to bad tokens", function* () {
      const { rpcs } = yield* Node.Anvil
      const bad = [
        Contracts.revertsBytecode,
        Contracts.revertsWithReasonBytecode,
        Contracts.revertsWithWordBytecode,
        Contracts.returnsNothingBytecode,
        Contracts.returns31Bytecode,
        Contracts.burnsGasBytecode,
        Contracts.returnsBombBytecode,
        Contracts.revertsBombBytecode,
        "0xfe",
        "0x"
      ] as const
      const good = addresses(3, bad.length + 1)
      const wrong = addresses(4, bad.length)
      yield* rpcs([
        ...wrong.map((token, index) => Node.withCode(token, bad[index] ?? "0x")),
        ...good.map((token) => Node.withCode(token, Contracts.hugeBytecode))
      ])
      const tokens = good.flatMap((token, index) => [token, ...wrong.slice(index, index + 1)])
      // With three million gas, the tokens that return a megabyte have enough gas to do so.
      for (const gasPerCall of [Codec.defaultGasPerCall, 3_000_000]) {
        const read = yield* scan({ holders: [unused], tokens, gasPerCall })
        assert.strictEqual(read.next, tokens.length + 1)
        assert.deepStrictEqual(
          read.found.map(({ token, value }) => [token, value]),
          good.map((token) => [token, 2n ** 256n - 1n])
        )
        assert.deepStrictEqual(
          read.unread.map((pair) => Codec.pairAt({ holders: [unused], tokens }, pair).token),
          wrong
        )
      }
    })

    it("gives every call the same gas, regardless of how much is left", function* () {
      const { rpcs } = yield* Node.Anvil
      const tokens = addresses(5, 20)
      yield* rpcs(tokens.map((token) => Node.withCode(token, Contracts.returnsGasBytecode)))
      const gasPerCall = 3_000_000
      const seen = new Set<bigint>()
      const ends = new Set<number>()
      for (let gas = 3_050_000; gas < 3_350_000; gas += 2_003) {
        const { found, next } = yield* scan({ holders: [unused], tokens, gasPerCall, gas })
        for (const { value } of found) seen.add(value)
        assert.strictEqual(found.length, Math.max(0, next - 1))
        ends.add(next)
      }
      assert.isAbove(ends.size, 10)
      assert.strictEqual(seen.size, 1)
      assert.isAbove(Number([...seen][0]), gasPerCall - 100)
    })

    it("always reserves enough gas to return its output", function* () {
      const { rpcs } = yield* Node.Anvil
      const tokens = addresses(10, 60)
      const burning = (index: number) => index % 7 === 6
      yield* rpcs(
        tokens.map((token, index) =>
          Node.withCode(token, burning(index) ? Contracts.burnsGasBytecode : Contracts.hugeBytecode)
        )
      )
      const ends = new Set<number>()
      for (let gas = 150_000; gas < 1_500_000; gas += 7_013) {
        const { found, next, unread } = yield* scan({ holders: [unused], tokens, gasPerCall: 100_000, gas })
        assert.strictEqual(found.length + unread.length, Math.max(0, next - 1))
        assert.isTrue(unread.every((pair) => burning(pair - 1)))
        ends.add(next)
      }
      assert.isAbove(ends.size, 40)
    })

    it("stops before the first pair if the gas is not enough for it", function* () {
      const read = yield* scan({ holders: [alice], tokens: [bob], start: 1, gas: 120_000, gasPerCall: 100_000 })
      assert.deepStrictEqual([read.next, read.found, read.unread], [1, [], []])
    })

    it("reads 2,000 tokens in one call, and in several calls with little gas", function* () {
      const { rpcs } = yield* Node.Anvil
      const tokens = addresses(6, 2_000)
      const held = tokens.filter((_, index) => index % 10 === 3)
      yield* rpcs(tokens.map((token) => Node.withCode(token, Contracts.tokenBytecode)))
      yield* rpcs(held.map((token, index) => Node.withBalance(token, alice, BigInt(index) + 1n)))
      const read = yield* scan({ holders: [alice], tokens })
      assert.strictEqual(read.next, 2_001)
      assert.deepStrictEqual(read.unread, [])
      assert.deepStrictEqual(
        read.found.filter(({ token }) => token !== "native").map(({ token, value }) => [token, value]),
        held.map((token, index) => [token, BigInt(index) + 1n])
      )
      const pieces = yield* scanAll({ holders: [alice], tokens, gas: 3_000_000 })
      assert.isAbove(pieces.calls, 3)
      assert.deepStrictEqual(pieces.found, read.found)
    })

    it("accepts `maxHoldersPerCall` holders and no more", function* () {
      const tokens = addresses(6, Codec.maxTokensPerCall)
      const holders = addresses(7, Codec.maxHoldersPerCall(tokens.length) + 1)
      const read = yield* scan({ holders: holders.slice(1), tokens })
      assert.isAbove(read.next, 0)
      const refused = yield* Effect.flip(scan({ holders, tokens }))
      assert.match(refused, /initcode|init code/i)
    })

    it("continues in a second call if the output is full", function* () {
      const { rpcs } = yield* Node.Anvil
      const tokens = addresses(8, 800)
      yield* rpcs([Node.withNative(unused, 0n), ...tokens.map((token) => Node.withCode(token, Contracts.hugeBytecode))])
      const requested = { holders: [unused], tokens }
      const output = yield* call(requested)
      const first = yield* Effect.mapError(Codec.decodeScan(output, { ...requested, start: 0 }), String)
      assert.strictEqual(first.found.length, Codec.maxBalancesPerCall)
      assert.isAtMost(output.length / 2 - 1, 24_576)
      const read = yield* scanAll(requested)
      assert.strictEqual(read.calls, 2)
      assert.deepStrictEqual(
        read.found.map(({ pair, value }) => [pair, value]),
        tokens.map((_, index) => [index + 1, 2n ** 256n - 1n])
      )
    })

    it("agrees with Multicall3 and with single calls", function* () {
      const { rpc, rpcs } = yield* Node.Anvil
      const tokens = addresses(9, 30)
      const holders = [alice, unused, bob]
      const codes: ReadonlyArray<Hex> = [
        Contracts.tokenBytecode,
        Contracts.tokenBytecode,
        Contracts.returns31Bytecode,
        Contracts.revertsWithWordBytecode,
        Contracts.hugeBytecode,
        "0x"
      ]
      yield* rpcs([
        Node.withMulticall3,
        Node.withNative(alice, 10n ** 18n),
        ...tokens.map((token, index) => Node.withCode(token, codes[index % codes.length] ?? "0x")),
        ...tokens.flatMap((token, index) => [
          Node.withBalance(token, alice, BigInt(index)),
          Node.withBalance(token, bob, BigInt(index * 1_000))
        ])
      ])
      const calls = holders.flatMap((holder) =>
        (["native", ...tokens] as const).map((token) => ({ holder, token }) as const)
      )
      const { found, unread } = yield* scan({ holders, tokens })
      const value = new Map(found.map((row) => [row.pair, row.value]))
      const scanned = calls.map((_, pair) =>
        unread.includes(pair) ? Option.none() : Option.some(value.get(pair) ?? 0n)
      )

      const data = encodeAggregate(calls, multicall3Address)
      const aggregated = yield* rpc("eth_call", [{ to: multicall3Address, data }, "latest"])
      const [chain, , ...results] = Option.getOrThrow(decodeAggregate(String(aggregated), calls.length + 2))
      assert.deepStrictEqual(chain, Option.some(1n))
      assert.deepStrictEqual(results, scanned)

      const single = yield* Effect.forEach(calls, ({ holder, token }) =>
        token === "native"
          ? Effect.map(rpc("eth_getBalance", [holder, "latest"]), (hex) => decodeQuantity(String(hex)))
          : rpc("eth_call", [{ to: token, data: encodeBalanceOf(holder) }, "latest"]).pipe(
              Effect.map((hex) => decodeWord(String(hex))),
              Effect.orElseSucceed(() => Option.none())
            )
      )
      assert.deepStrictEqual(single, scanned)
    })
  })

  layer(Node.layerWith(["--hardfork", "istanbul"]), { excludeTestServices: true })((it) => {
    it("runs on a network with the Istanbul hard fork", function* () {
      const { rpcs } = yield* Node.Anvil
      const [token, empty] = addresses(2, 2) as [Address, Address]
      yield* rpcs([Node.withCode(token, Contracts.tokenBytecode), Node.withBalance(token, alice, 5n)])
      const read = yield* Effect.either(scan({ holders: [alice], tokens: [token, empty] }))
      assert.deepStrictEqual(
        Either.map(read, ({ found, unread }) => [found[0]?.value, unread]),
        Either.right([5n, [2]])
      )
    })
  })
})
