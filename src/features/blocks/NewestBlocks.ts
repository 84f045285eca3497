import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { blockTimeOf } from "../../catalogue/NetworkFacts.ts"
import type { NewestBlock } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { type AnyNetwork, guarded, type Reading, sharedReads } from "../reading.ts"

/** How long a block is cached, ms: about the time between two blocks, which ranges from below a second to minutes. */
const lifetimeOf = ({ facts }: AnyNetwork) => Math.min(Math.max(blockTimeOf(facts) ?? longest, 1_000), longest)

const longest = 15_000

/** How long a failure is cached, ms. */
const failureLifetime = 1_000

/** The newest block of each network, which concurrent callers read once. */
export class NewestBlocks extends Context.Tag("features/blocks/NewestBlocks")<
  NewestBlocks,
  {
    /** The newest block of a network; undefined if it could not be read within this time, ms. Cannot fail. */
    readonly newest: (network: AnyNetwork, within: number) => Effect.Effect<NewestBlock | undefined>
  }
>() {
  static readonly layer = Layer.scoped(
    NewestBlocks,
    Effect.gen(function* () {
      const chains = yield* Chains
      const deadline = Deadline.make(yield* requestDeadline)
      const reads = yield* sharedReads<Reading<NewestBlock>>(Math.max(1, chains.facts.length))

      const read = (network: AnyNetwork, newestBlock: NonNullable<AnyNetwork["newestBlock"]>) =>
        reads(
          network.facts.id,
          Effect.either(guarded(network, deadline.share("read"), newestBlock)),
          (reading, now) => now + (Either.isLeft(reading) ? failureLifetime : lifetimeOf(network))
        )

      return {
        newest: (network, within) =>
          network.newestBlock === undefined
            ? Effect.succeed(undefined)
            : timeoutTo(Effect.map(read(network, network.newestBlock), Either.getOrUndefined), {
                duration: within,
                onTimeout: () => Effect.succeed(undefined)
              })
      }
    })
  )
}
