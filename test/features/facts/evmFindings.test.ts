import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { polygon } from "../../../src/catalogue/evm/polygon.ts"
import { evmFindings } from "../../../src/features/facts/evmFindings.ts"
import type { Ask } from "../../../src/features/facts/Finding.ts"
import { run } from "../../support/command.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const hex = (count: number | bigint) => `0x${count.toString(16)}`
const height = 80_000_000
const now = 1_790_000_000
const deposit = `0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c`
const transfer = `0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef`
const word = (digits: string) => `0x${digits.padStart(64, "0")}`
const blockAt = (number: number, timestamp: number) => ({ number: hex(number), timestamp: hex(timestamp) })
const log = (...topics: ReadonlyArray<string>) => ({ topics, transactionHash: word("1") })

type Answers = Readonly<Record<string, unknown>>

/** What a node of Polygon says, by method and first parameter; undefined where it rejects the call. */
const polygonNode: Answers = {
  eth_chainId: "0x89",
  "eth_getBlockByNumber latest": blockAt(height, now),
  [`eth_getBlockByNumber ${hex(height - 1_000)}`]: blockAt(height - 1_000, now - 1_750),
  "eth_getBlockByNumber 0x1": blockAt(1, 1_590_824_836),
  "eth_getBlockByNumber finalized": blockAt(height - 3, now - 6),
  "eth_getCode 0xcA11bde05977b3631167028862bE2a173976CA11": "0x60",
  "eth_getCode 0x0000000000000000000000000000000000001010": "0x60",
  "eth_getCode 0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270": "0x60",
  eth_maxPriorityFeePerGas: hex(25_000_000_000n),
  eth_getLogs: [log(deposit, word("a")), log(transfer, word("a"), word("b"))]
}

const asking =
  (answers: Answers): Ask =>
  (method, params, schema) => {
    const answer = answers[`${method} ${params[0]}`] ?? answers[method]
    return Effect.succeed(
      answer === undefined
        ? Either.left(`${method}: rejected`)
        : Either.mapLeft(Schema.decodeUnknownEither(schema)(answer), () => `${method}: not understood`)
    )
  }

const verdicts = (answers: Answers) =>
  Effect.map(evmFindings(polygon, asking(answers)), (findings) =>
    findings.flatMap(({ fact, holds }) => (holds === true ? [] : [`${fact} ${holds}`]))
  )

describe("the facts of an EVM network", () => {
  it("hold on its chain, each of them read once", function* () {
    const findings = yield* evmFindings(polygon, asking(polygonNode))
    assert.deepStrictEqual(
      findings.map(({ fact, holds }) => [fact, holds]),
      [
        ["chain id", true],
        ["Multicall3", true],
        ["token of the native coin", true],
        ["wrapped coin", true],
        ["time of the first block", true],
        ["lowest priority fee", true],
        ["block time", true],
        ["finality", true],
        ["logs of the wrapped coin", true],
        ["blobs", true]
      ]
    )
    assert.deepInclude(findings, { fact: "block time", catalogue: "1.75 s", chain: "1.75 s", holds: true })
  })

  const rows: ReadonlyArray<readonly [string, Answers]> = [
    ["chain id", { eth_chainId: "0x1" }],
    ["Multicall3", { "eth_getCode 0xcA11bde05977b3631167028862bE2a173976CA11": "0x" }],
    ["wrapped coin", { "eth_getCode 0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270": "0x" }],
    ["time of the first block", { "eth_getBlockByNumber 0x1": blockAt(1, 1_590_824_832) }],
    ["lowest priority fee", { eth_maxPriorityFeePerGas: hex(24_999_999_999n) }],
    ["block time", { [`eth_getBlockByNumber ${hex(height - 1_000)}`]: blockAt(height - 1_000, now - 2_200) }],
    ["block time", { [`eth_getBlockByNumber ${hex(height - 1_000)}`]: blockAt(height - 1_000, now - 1_300) }],
    ["finality", { "eth_getBlockByNumber finalized": blockAt(height - 400, now - 601) }],
    ["logs of the wrapped coin", { eth_getLogs: [log(deposit, word("a")), log(transfer, word("0"), word("a"))] }],
    ["blobs", { "eth_getBlockByNumber latest": { ...blockAt(height, now), blobGasUsed: "0x20000" } }]
  ]
  for (const [fact, change] of rows)
    it(`differ in ${fact} if the chain says ${JSON.stringify(Object.values(change))}`, function* () {
      assert.deepStrictEqual(yield* verdicts({ ...polygonNode, ...change }), [`${fact} false`])
    })

  for (const topics of [["0x"], ["zz"], [word("a"), word("a"), word("a"), word("a")]])
    it(`are not read from a log with the topics ${topics.map((topic) => topic.slice(-2)).join()}`, function* () {
      const eth_getLogs = [log(deposit, word("a")), log(transfer, ...topics)]
      assert.deepStrictEqual(yield* verdicts({ ...polygonNode, eth_getLogs }), ["logs of the wrapped coin null"])
    })

  it("are unknown, and never wrong, where the node does not say", function* () {
    const unknown = { eth_getLogs: [log(transfer, word("0"), word("a"))], "eth_getBlockByNumber finalized": undefined }
    const rest = { eth_maxPriorityFeePerGas: "much", eth_chainId: undefined }
    assert.deepStrictEqual(yield* verdicts({ ...polygonNode, ...unknown, ...rest }), [
      "chain id null",
      "lowest priority fee null",
      "finality null",
      "logs of the wrapped coin null"
    ])
    assert.deepStrictEqual(yield* verdicts({}), [
      "chain id null",
      "Multicall3 null",
      "token of the native coin null",
      "wrapped coin null",
      "time of the first block null",
      "lowest priority fee null",
      "newest block null"
    ])
  })
})

describe("wallet-data check --facts", () => {
  it.live("prints what holds on a chain, and exits with 1 if a fact differs", function* () {
    const environment = { UPSTREAMS: "sandbox", CACHE: "memory" }
    const good = yield* run(["check", "--facts", "--network", "solana", "--json"], environment)
    assert.strictEqual(good.code, 0, good.stderr)
    const { networks, ok } = JSON.parse(good.stdout)
    assert.isTrue(ok)
    assert.deepInclude(networks[0].findings, {
      fact: "chain id",
      catalogue: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp, solana:mainnet",
      chain: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
      holds: true
    })
    // The simulated chains make a block every two seconds.
    const other = yield* run(["check", "--facts", "--network", "ethereum"], environment)
    assert.strictEqual(other.code, 1)
    assert.match(other.stdout, /^ethereum: DIFFERS block time: 12 s in the catalogue, 2 s on the chain$/m)
    assert.match(other.stdout, /^ethereum: holds: chain id, Multicall3, .*coin id$/m)
  })

  it.live("needs no other options", function* () {
    const { code, stderr } = yield* run(["check", "--facts", "--strict"])
    assert.strictEqual(code, 1)
    assert.include(stderr, "check: of --facts and --strict only one is allowed")
  })
})
