import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import type { Address } from "viem"
import { bytesToHex } from "viem/utils"
import { scannerBytecode } from "../../../src/chains/evm/scanner/bytecode.ts"
import * as Codec from "../../../src/chains/evm/scanner/Codec.ts"

/** Value of a pair in the model: an amount, or `unread` for a token that did not answer. */
type ModelValue = bigint | "unread"

interface ModelOutput {
  readonly chainId: bigint
  readonly timestamp: bigint
  readonly next: number
  readonly pairs: ReadonlyArray<readonly [pair: number, held: ModelValue]>
}

/** Encodes an output as Scanner.yul describes it, without the code under test. */
const encodeOutput = ({ timestamp, chainId, next, pairs }: ModelOutput): Uint8Array => {
  const size = pairs.reduce((sum, [, held]) => sum + (held === "unread" ? 4 : 36), 23)
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, 2)
  view.setBigUint64(1, chainId)
  view.setBigUint64(9, timestamp)
  view.setUint32(17, next)
  view.setUint16(21, size)
  let at = 23
  for (const [pair, held] of pairs) {
    view.setUint32(at, held === "unread" ? pair + 2 ** 31 : pair)
    at += 4
    if (held === "unread") continue
    for (let part = 0; part < 4; part++) {
      view.setBigUint64(at + 8 * part, BigInt.asUintN(64, held >> BigInt(192 - 64 * part)))
    }
    at += 32
  }
  return bytes
}

/** Encodes a decoded output again with the model. */
const encodeScan = ({ timestamp, chainId, found, next, unread }: Codec.Scan): Uint8Array =>
  encodeOutput({
    chainId,
    timestamp,
    next,
    pairs: [
      ...found.map(({ pair, value }) => [pair, value] as const),
      ...unread.map((pair) => [pair, "unread"] as const)
    ].sort(([a], [b]) => a - b)
  })

const address = (index: number): Address => `0x${(index + 1).toString(16).padStart(40, "C0de")}`
const addresses = (from: number, count: number) => Array.from({ length: count }, (_, index) => address(from + index))

const held = FastCheck.oneof(
  { weight: 3, arbitrary: FastCheck.constant(0n) },
  { weight: 3, arbitrary: FastCheck.bigInt({ min: 0n, max: 2n ** 256n - 1n }) },
  { weight: 1, arbitrary: FastCheck.constant("unread" as const) }
)

/** A request, the values on chain, and how far the scan got. */
const scans = FastCheck.record({
  holderCount: FastCheck.integer({ min: 1, max: 4 }),
  tokenCount: FastCheck.nat(6)
}).chain(({ holderCount, tokenCount }) => {
  const width = tokenCount + 1
  const total = holderCount * width
  return FastCheck.record({
    chainId: FastCheck.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    timestamp: FastCheck.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    chain: FastCheck.array(held, { minLength: total, maxLength: total }).map((all) =>
      all.map((amount, pair) => (pair % width === 0 && amount === "unread" ? 0n : amount))
    ),
    ends: FastCheck.tuple(FastCheck.nat(total), FastCheck.nat(total))
  }).map(({ timestamp, chain, chainId, ends }) => {
    const start = Math.min(...ends)
    const next = Math.max(...ends)
    const request = { holders: addresses(0, holderCount), tokens: addresses(100, tokenCount), start }
    const pairs = chain
      .map((amount, pair) => [pair, amount] as const)
      .filter(([pair, amount]) => pair >= start && pair < next && amount !== 0n)
    return { request, chain, output: { chainId, timestamp, next, pairs } }
  })
})

const request = { holders: [address(0), address(1)], tokens: addresses(100, 2), start: 1 }
const decoded = (output: ModelOutput) => Codec.decodeScan(bytesToHex(encodeOutput(output)), request)

describe("the output of the scanner", () => {
  it.prop("is decoded to the balances of the chain", [scans], ([{ request, chain, output }]) => {
    const read = Either.getOrThrow(Codec.decodeScan(bytesToHex(encodeOutput(output)), request))
    const { timestamp, chainId, found, next, unread } = read
    assert.deepStrictEqual([chainId, timestamp, next], [output.chainId, output.timestamp, output.next])
    const width = request.tokens.length + 1
    for (let pair = request.start; pair < next; pair++) {
      const row = found.find((row) => row.pair === pair)
      assert.strictEqual(unread.includes(pair) ? "unread" : (row?.value ?? 0n), chain[pair])
      if (row === undefined) continue
      assert.strictEqual(row.holder, request.holders[Math.floor(pair / width)])
      assert.strictEqual(row.token, pair % width === 0 ? "native" : request.tokens[(pair % width) - 1])
    }
    assert.isTrue(found.every((row) => row.pair >= request.start && row.pair < next))
  })

  it.prop("is rejected if it is truncated or followed by more data", [scans], ([{ request, output }]) => {
    const hex = bytesToHex(encodeOutput(output))
    for (let end = 0; end < hex.length; end++) {
      assert.isTrue(Either.isLeft(Codec.decodeScan(hex.slice(0, end), request)))
    }
    for (const more of ["0", "00", "80000000", "ff".repeat(36)]) {
      assert.isTrue(Either.isLeft(Codec.decodeScan(hex + more, request)))
    }
  })

  it.prop(
    "is rejected if a byte changes, unless the scanner could have written that output",
    [scans, FastCheck.nat(), FastCheck.integer({ min: 1, max: 255 })],
    ([{ request, output }, place, flip]) => {
      const bytes = encodeOutput(output)
      const at = place % bytes.length
      bytes[at] = (bytes[at] ?? 0) ^ flip
      Either.map(Codec.decodeScan(bytesToHex(bytes), request), (scan) => {
        assert.deepStrictEqual(encodeScan(scan), bytes)
        assert.isTrue(at !== 0 && at !== 21 && at !== 22)
        assert.isTrue(scan.next >= request.start && scan.next <= Codec.pairCount(request))
      })
    }
  )

  it.prop(
    "is rejected if it belongs to another request, unless it also fits this request",
    [scans, scans],
    ([{ request }, { output }]) => {
      const width = request.tokens.length + 1
      const fits =
        output.next >= request.start &&
        output.next <= Codec.pairCount(request) &&
        output.pairs.every(([pair, value]) => pair >= request.start && (value !== "unread" || pair % width !== 0))
      assert.strictEqual(Either.isRight(Codec.decodeScan(bytesToHex(encodeOutput(output)), request)), fits)
    }
  )

  it("is rejected if the scanner never writes it", () => {
    const good: ModelOutput = {
      chainId: 1n,
      timestamp: 1n,
      next: 6,
      pairs: [
        [1, 5n],
        [2, "unread"],
        [3, 9n]
      ]
    }
    assert.isTrue(Either.isRight(decoded(good)))
    const reasons = [
      { ...good, next: 0 },
      { ...good, next: 7 },
      { ...good, next: 3 },
      { ...good, pairs: [[0, 5n]] },
      {
        ...good,
        pairs: [
          [3, 9n],
          [1, 5n]
        ]
      },
      {
        ...good,
        pairs: [
          [1, 5n],
          [1, 5n]
        ]
      },
      {
        ...good,
        pairs: [
          [2, "unread"],
          [2, 5n]
        ]
      },
      { ...good, pairs: [[3, "unread"]] },
      { ...good, pairs: [[1, 0n]] }
    ].map((output) => Either.getOrElse(decoded(output as ModelOutput), String))
    assert.deepStrictEqual(reasons, [
      "beyond the requested pairs",
      "beyond the requested pairs",
      "out of order",
      "out of order",
      "out of order",
      "out of order",
      "out of order",
      "without a native balance",
      "with a zero written out"
    ])
    for (const hex of ["", "0x", "0x0", "0x01", "null", "01", `0x${"ef".repeat(23)}`, `0x${"g".repeat(30)}`]) {
      assert.isTrue(Either.isLeft(Codec.decodeScan(hex, request)))
    }
    const upper = `0x${bytesToHex(encodeOutput(good)).slice(2).toUpperCase()}`
    assert.deepStrictEqual(Codec.decodeScan(upper, request), decoded(good))
  })
})

describe("the input of the scanner", () => {
  it("is its code, followed by the numbers, the holders and the tokens", () => {
    const data = Codec.encodeScan({
      gasPerCall: Codec.defaultGasPerCall,
      start: 5,
      holders: [address(0)],
      tokensPacked: Codec.packAddresses([address(100), address(101)])
    })
    assert.strictEqual(
      data,
      `${scannerBytecode}000493e00000000500010002${[0, 100, 101].map((index) => address(index).slice(2)).join("")}`
    )
  })

  it("fits the size limit of init code, and its output fits the limit of code", () => {
    for (const tokenCount of [0, 1, Codec.maxTokensPerCall]) {
      const sizeFor = (holderCount: number) =>
        Codec.encodeScan({
          gasPerCall: 1,
          start: 0,
          holders: addresses(0, holderCount),
          tokensPacked: Codec.packAddresses(addresses(9_000, tokenCount))
        }).length /
          2 -
        1
      assert.isAtMost(sizeFor(Codec.maxHoldersPerCall(tokenCount)), 49_152)
      assert.isAbove(sizeFor(Codec.maxHoldersPerCall(tokenCount) + 1), 49_152)
    }
    assert.isAtMost(23 + 36 * Codec.maxBalancesPerCall, 24_576)
  })

  it("never contains a malformed address", () => {
    for (const malformed of ["0x", "0x12", `${address(1)}0`, address(1).slice(2), `0x${"g".repeat(40)}`]) {
      assert.throws(() => Codec.packAddresses([address(0), malformed as Address]), /Not an EVM address/)
    }
  })
})

describe("the bytecode", () => {
  it("is smaller than 600 bytes", () => {
    assert.isBelow(scannerBytecode.length / 2 - 1, 600)
  })

  // `bun run check` compiles the sources, which takes as long as a hundred tests.
  for (const file of ["src/chains/evm/scanner/bytecode.ts", "test/support/contracts/bytecode.ts"])
    it(`is compiled from the current sources: ${file}`, () => {
      const [, source = "", sum, code = ""] =
        /^\/\/ Made from (\S+) by \S+, sha256 (\w+)\.\n(.+)$/s.exec(readFileSync(file, "utf8")) ?? []
      assert.strictEqual(createHash("sha256").update(readFileSync(source, "utf8")).update(code).digest("hex"), sum)
    })
})
