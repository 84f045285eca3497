import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Hex } from "viem"
import { didNotArrive, type Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { type FundingError, unreached } from "./FundingError.ts"
import { type Job, undo } from "./Job.ts"
import { read, send } from "./nodeCalls.ts"
import { describe, type Meaning, meaningOf } from "./refusals.ts"

/** Whether the node has a transaction. */
export const isKnown = (upstream: Upstream, hash: Hex): Effect.Effect<boolean, UpstreamError> =>
  upstream.over((node) =>
    Effect.map(read(node, { method: "eth_getTransactionByHash", params: [hash] }), (outcome) =>
      Either.match(outcome, {
        onLeft: () => false,
        onRight: Schema.is(Schema.Struct({ hash: Schema.Literal(hash) }))
      })
    )
  )

/** Sends a transaction. `duplicate`: the node has it; `unclear`: it may have it. All else is why it has not. */
export const broadcast = (upstream: Upstream, raw: Hex, hash: Hex, job: Job): Effect.Effect<Meaning, FundingError> =>
  Effect.matchEffect(send(upstream, { method: "eth_sendRawTransaction", params: [raw] }), {
    onFailure: (error) =>
      didNotArrive(error)
        ? Effect.zipRight(undo(job), unreached(error))
        : Effect.zipRight(
            Effect.logWarning("looking up the result of a funding", error),
            lookUp(upstream, hash, "unclear")
          ),
    onSuccess: Either.match({
      onLeft: (refusal) => {
        const meaning = meaningOf(refusal)
        return meaning === "duplicate" || meaning === "outOfFunds"
          ? Effect.succeed(meaning)
          : Effect.zipRight(Effect.logDebug(describe(refusal)), lookUp(upstream, hash, meaning))
      },
      onRight: (result) => (result === hash ? Effect.succeed<Meaning>("duplicate") : lookUp(upstream, hash, "unclear"))
    })
  })

/** A node that has it has accepted it, whatever it returned: the response was lost, or a proxy sent the call twice. */
const lookUp = (upstream: Upstream, hash: Hex, otherwise: Meaning): Effect.Effect<Meaning> =>
  isKnown(upstream, hash).pipe(
    Effect.map((isThere): Meaning => (isThere ? "duplicate" : otherwise)),
    Effect.catchAll((error) => Effect.as(Effect.logWarning(error), "unclear" as const))
  )
