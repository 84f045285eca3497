import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import { blockTimeOf } from "../../catalogue/NetworkFacts.ts"
import { multicall3Address } from "../../chains/evm/multicall.ts"
import { numberOf } from "../../domain/units.ts"
import { type Ask, type Finding, isNear, seconds, unread } from "./Finding.ts"

// The facts of EVM networks, by the methods of their nodes (ethereum.github.io/execution-apis).

const Quantity = Schema.String.pipe(Schema.pattern(/^0x[0-9a-f]{1,13}$/i))
const Code = Schema.String.pipe(Schema.pattern(/^0x[0-9a-f]*$/i))
const Block = Schema.Struct({
  number: Quantity,
  timestamp: Quantity,
  blobGasUsed: Schema.optional(Schema.NullOr(Quantity))
})
const Topic = Schema.String.pipe(Schema.pattern(/^0x[0-9a-fA-F]{64}$/))
const Log = Schema.Struct({ topics: Schema.Array(Topic).pipe(Schema.maxItems(4)), transactionHash: Schema.String })
const Logs = Schema.Array(Log).pipe(Schema.maxItems(100_000))

const hex = (count: number) => `0x${count.toString(16)}`
const block = (ask: Ask, at: string) => ask("eth_getBlockByNumber", [at, false], Block)

/** Number of blocks over which their time is measured, and whose logs of the wrapped coin are read. */
const blocksMeasured = 1_000
const blocksOfLogs = 100

/** The facts of an EVM network. */
export const evmFindings = (facts: EvmFacts, ask: Ask): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const newest = yield* block(ask, "latest")
    const chain = yield* chainId(facts, ask)
    const contracts = yield* Effect.forEach(contractsOf(facts), ([fact, address]) => hasCode(ask, fact, address))
    const others = [firstBlock(facts, ask), minimumTip(facts, ask)]
    if (Either.isLeft(newest))
      return [chain, ...contracts, ...(yield* Effect.all(others)).flat(), unread("newest block", newest.left)]
    const height = Number(newest.right.number)
    const at = Number(newest.right.timestamp)
    const rest = yield* Effect.all([
      ...others,
      blockTime(facts, ask, { height, at }),
      finality(facts, ask, at),
      wrapping(facts, ask, height)
    ])
    return [chain, ...contracts, ...rest.flat(), blobs(facts, newest.right)]
  })

const chainId = ({ chainId }: EvmFacts, ask: Ask) =>
  Effect.map(
    ask("eth_chainId", [], Quantity),
    Either.match({
      onLeft: (why) => unread("chain id", why),
      onRight: (found): Finding => ({
        fact: "chain id",
        catalogue: String(chainId),
        chain: String(Number(found)),
        holds: Number(found) === chainId
      })
    })
  )

const contractsOf = ({ multicall = multicall3Address, nativeTokens = [], wrapped }: EvmFacts) => [
  ["Multicall3", multicall] as const,
  ...nativeTokens.map((address) => ["token of the native coin", address] as const),
  ...(wrapped === undefined ? [] : [["wrapped coin", wrapped] as const])
]

const hasCode = (ask: Ask, fact: string, address: string) =>
  Effect.map(
    ask("eth_getCode", [address, "latest"], Code),
    Either.match({
      onLeft: (why) => unread(fact, why),
      onRight: (code): Finding => ({
        fact,
        catalogue: address,
        chain: code === "0x" ? "no contract" : "a contract",
        holds: code !== "0x"
      })
    })
  )

/** The block after the genesis block: that has no time on some chains. */
const firstBlock = ({ genesisTime }: Partial<Pick<EvmFacts, "genesisTime">>, ask: Ask) =>
  genesisTime === undefined
    ? Effect.succeed([])
    : Effect.map(
        block(ask, "0x1"),
        Either.match({
          onLeft: (why) => [unread("time of the first block", why)],
          onRight: ({ timestamp }): ReadonlyArray<Finding> => [
            {
              fact: "time of the first block",
              catalogue: `${numberOf(genesisTime)} or later`,
              chain: String(Number(timestamp)),
              holds: Number(timestamp) >= numberOf(genesisTime)
            }
          ]
        })
      )

const blockTime = (facts: EvmFacts, ask: Ask, newest: { readonly height: number; readonly at: number }) => {
  const expected = blockTimeOf(facts)
  const earlier = Math.max(1, newest.height - blocksMeasured)
  return expected === undefined || newest.height <= earlier
    ? Effect.succeed([])
    : Effect.map(
        block(ask, hex(earlier)),
        Either.match({
          onLeft: (why) => [unread("block time", why)],
          onRight: ({ timestamp }): ReadonlyArray<Finding> => {
            const measured = (1000 * (newest.at - Number(timestamp))) / (newest.height - earlier)
            return [
              {
                fact: "block time",
                catalogue: seconds(expected / 1000),
                chain: seconds(measured / 1000),
                holds: isNear(measured, expected)
              }
            ]
          }
        })
      )
}

/** A block that the chain calls final may be younger than that of the facts, but not older. */
const finality = ({ finality }: EvmFacts, ask: Ask, now: number) =>
  Effect.map(
    block(ask, "finalized"),
    Either.match({
      onLeft: (why) => [unread("finality", why)],
      onRight: ({ timestamp }): ReadonlyArray<Finding> => {
        const age = now - Number(timestamp)
        return [
          { fact: "finality", catalogue: `at most ${seconds(finality)}`, chain: seconds(age), holds: age <= finality }
        ]
      }
    })
  )

const minimumTip = ({ minTip }: EvmFacts, ask: Ask) =>
  minTip === undefined
    ? Effect.succeed([])
    : Effect.map(
        ask("eth_maxPriorityFeePerGas", [], Quantity),
        Either.match({
          onLeft: (why) => [unread("lowest priority fee", why)],
          onRight: (suggested): ReadonlyArray<Finding> => [
            {
              fact: "lowest priority fee",
              catalogue: `${minTip} wei`,
              chain: `nodes suggest ${BigInt(suggested)} wei`,
              holds: BigInt(suggested) >= minTip
            }
          ]
        })
      )

const deposited = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c"
const transferred = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

/** Whether the wrapped coin logs transfers when it mints: `Deposit(address,uint256)` comes with or without them. */
const wrapping = ({ wrapped }: EvmFacts, ask: Ask, height: number) =>
  wrapped === undefined
    ? Effect.succeed([])
    : Effect.map(
        ask(
          "eth_getLogs",
          [{ address: wrapped, fromBlock: hex(Math.max(0, height - blocksOfLogs)), toBlock: hex(height) }],
          Logs
        ),
        Either.match({
          onLeft: (why) => [unread("logs of the wrapped coin", why)],
          onRight: (logs): ReadonlyArray<Finding> => {
            const of = (topic: string) => logs.filter(({ topics }) => topics[0]?.toLowerCase() === topic)
            const mints = of(transferred).filter(({ topics }) => BigInt(topics[1] || 1) === 0n)
            const deposits = of(deposited)
            return deposits.length === 0
              ? [unread("logs of the wrapped coin", `no deposit in ${blocksOfLogs} blocks`)]
              : [
                  {
                    fact: "logs of the wrapped coin",
                    catalogue: "no transfer for a deposit",
                    chain: `${deposits.length} deposits, ${mints.length} transfers from nobody`,
                    holds: mints.length === 0
                  }
                ]
          }
        })
      )

const blobs = ({ blobsSince }: EvmFacts, { blobGasUsed, timestamp }: typeof Block.Type): Finding => {
  const expected = blobsSince !== undefined && Number(timestamp) >= numberOf(blobsSince)
  const found = blobGasUsed !== undefined && blobGasUsed !== null
  // Chains without blobs may have the member in their blocks, always zero.
  return {
    fact: "blobs",
    catalogue: expected ? "in transactions" : "in none",
    chain: found ? `${Number(blobGasUsed)} blob gas in the newest block` : "blocks without blob gas",
    holds: expected ? found : !found || Number(blobGasUsed) === 0
  }
}
