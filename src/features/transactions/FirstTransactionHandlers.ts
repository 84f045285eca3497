import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { NotImplemented, UpstreamFailed } from "../../contract/Problem.ts"
import { invalid } from "../../contract/problem/issues.ts"
import type { FirstTransactionRequest, FirstTransactions } from "../../contract/TransactionsApi.ts"
import { appendHeader } from "../../http/response/partialFailures.ts"
import { FirstTransaction, type FirstTransactionResult } from "./FirstTransaction.ts"

/** Handles POST /utils/first-tx. */
export const make = Effect.map(
  FirstTransaction,
  (first) =>
    ({ payload: { address, networkIds } }: { readonly payload: FirstTransactionRequest }) =>
      Effect.gen(function* () {
        const results = yield* first.of(networkIds, address)
        if (Either.isLeft(results)) return yield* invalid([{ path: "address", message: results.left }])
        const found = [...results.right]
        const refusal = refusalOf(found.map(([, result]) => result))
        if (refusal !== undefined) return yield* refusal
        yield* appendHeader(
          found.flatMap(([network, result]) => {
            const message = Either.match(result, {
              onLeft: (failure) => failure.message,
              onRight: (first) => Option.getOrUndefined(first)?.uncertainty
            })
            const missing = { network, address, message: message ?? "" }
            return message === undefined
              ? []
              : [{ full: missing, short: { ...missing, message: "the result may be incomplete" } }]
          }),
          (count) => ({ network: "*", address, message: `and ${count} more` })
        )
        return Object.fromEntries(
          found.flatMap(([network, result]) =>
            Option.match(Option.flatten(Either.getRight(result)), {
              onNone: () => [],
              onSome: ({ at }) => [[network, { timestamp: at }] as const]
            })
          )
        ) satisfies FirstTransactions
      })
)

/** The problem if every network failed. A network that was shut down does not count as failed. */
const refusalOf = (found: ReadonlyArray<FirstTransactionResult>) => {
  const failures = found.flatMap((result) => (Either.isLeft(result) ? [result.left] : []))
  const problems = failures.filter(({ reason }) => reason !== "sunset")
  if (failures.length < found.length || problems.length === 0) return undefined
  const failed = problems.find(({ reason }) => reason !== "not_configured")
  return failed === undefined
    ? new NotImplemented({ detail: `Not configured: ${problems[0]?.message}.` })
    : new UpstreamFailed({ detail: `No first transaction could be looked up: ${failed.message}.` })
}
