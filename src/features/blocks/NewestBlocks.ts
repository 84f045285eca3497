import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { blockTimeOf } from "../../catalogue/NetworkFacts.ts"
import type { NewestBlock } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import type { NetworkId } from "../../domain/NetworkId.ts"
import { distance, type Height, shift } from "../../domain/units.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { type AnyNetwork, guarded, NoResult, type Reading, sharedReads, supporting } from "../reading.ts"

/** How long a block is cached, ms: about the time between two blocks, which ranges from below a second to minutes. */
const lifetimeOf = ({ facts }: AnyNetwork) => Math.min(Math.max(blockTimeOf(facts) ?? longest, 1_000), longest)

const longest = 15_000

/** How long a failure is cached, ms. */
const failureLifetime = 1_000

/** A block, and when it was read, ms. */
interface BlockReading {
  readonly block: NewestBlock
  readonly readAt: number
}

/** A transaction may be in a block that came after the newest one was read, at most this long ago, ms. */
const sinceRead = 60_000

/**
 * Number of blocks from a transaction's block to the newest, both included; undefined if one of them is unknown, or if
 * the transaction's block cannot have come since the newest was read.
 */
export const confirmationsOf = (
  facts: AnyNetwork["facts"],
  block: Height | undefined,
  newest: NewestBlock | undefined
): number | undefined => {
  if (block === undefined || newest === undefined) return undefined
  const most = shift(newest.height, sinceRead / (blockTimeOf(facts) ?? sinceRead))
  return block <= most ? Math.max(distance(block, newest.height) + 1, 1) : undefined
}

/** The newest block of each network, which concurrent callers read once. */
export class NewestBlocks extends Context.Tag("features/blocks/NewestBlocks")<
  NewestBlocks,
  {
    /** The newest block of a network; undefined if it could not be read within this time, ms. Cannot fail. */
    readonly newest: (network: AnyNetwork, within: number) => Effect.Effect<NewestBlock | undefined>
    /** Of a network by id or alias in any case. Ends before the deadline. */
    readonly of: (name: string) => Effect.Effect<BlockReading & { readonly network: NetworkId }, NoResult>
  }
>() {
  static readonly layer = Layer.scoped(
    NewestBlocks,
    Effect.gen(function* () {
      const chains = yield* Chains
      const deadline = Deadline.make(yield* requestDeadline)
      const reads = yield* sharedReads<Reading<BlockReading>>("newest blocks", Math.max(1, chains.facts.length))

      const read = (network: AnyNetwork, newestBlock: NonNullable<AnyNetwork["newestBlock"]>) =>
        reads(
          network.facts.id,
          guarded(network, deadline.share("read"), newestBlock).pipe(
            Effect.zipWith(Clock.currentTimeMillis, (block, readAt) => ({ block, readAt })),
            Effect.either
          ),
          (reading, now) => now + (Either.isLeft(reading) ? failureLifetime : lifetimeOf(network))
        )

      return {
        newest: (network, within) =>
          network.newestBlock === undefined
            ? Effect.succeed(undefined)
            : timeoutTo(
                Effect.map(read(network, network.newestBlock), (reading) => Either.getOrUndefined(reading)?.block),
                { duration: within, onTimeout: () => Effect.succeed(undefined) }
              ),
        of: Effect.fnUntraced(function* (name) {
          const { ability, network } = yield* supporting(chains, name, ({ newestBlock }) => newestBlock)
          const reading = yield* Either.mapLeft(yield* read(network, ability), (failure) => new NoResult(failure))
          return { network: network.facts.id, ...reading }
        }, span("NewestBlocks.of"))
      }
    })
  )
}
