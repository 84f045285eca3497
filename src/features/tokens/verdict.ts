import * as Effect from "effect/Effect"
import type { ChainFacts } from "../../catalogue/NetworkFacts.ts"
import type { Judgement, VerdictReason } from "../../domain/tokens/Verdict.ts"
import type { TokenRegistry } from "../../providers/TokenRegistry.ts"
export interface Judged {
  readonly network: string
  readonly address: string
  readonly name: string
  readonly symbol: string
  readonly listed: boolean
  readonly hasPrice: boolean
  readonly signs?: ReadonlyArray<VerdictReason>
}
export const judging = (
  _r: typeof TokenRegistry.Service,
  _f: ReadonlyArray<ChainFacts>
): Effect.Effect<(token: Judged) => Judgement> =>
  Effect.succeed((token) => ({
    verdict: token.listed ? "listed" : "unknown",
    reasons: [
      ...(token.listed ? [] : ["not-listed" as const]),
      ...(token.signs ?? []),
      ...(token.hasPrice ? [] : ["no-price" as const])
    ]
  }))
