import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { invalid } from "../../contract/issues.ts"
import { NotImplemented, UpstreamFailed } from "../../contract/Problem.ts"
import type { FirstTransactionRequest, FirstTransactions } from "../../contract/TransactionsApi.ts"
import { appendHeader } from "../../kernel/partialFailures.ts"
import { FirstTransaction, type FirstTransactionResult } from "./FirstTransaction.ts"

/** Answers POST /utils/first-tx. */
export const make = Effect.map(
  FirstTransaction,
  (first) =>
    ({ payload: { address, networkIds } }: { readonly payload: FirstTransactionRequest }) =>
      Effect.gen(function* () {
        const answer = yield* first.of(networkIds, address)
        if (Either.isLeft(answer)) return yield* invalid([{ path: "address", message: answer.left }])
        const found = [...answer.right]
        const refusal = refusalOf(found.map(([, firstTransactionResult]) => firstTransactionResult))
        if (refusal !== undefined) return yield* refusal
        yield* appendHeader(
          found.flatMap(([network, item]) => {
            const message = Either.match(item, {
              onLeft: (failure) => failure.message,
              onRight: (some) => Option.getOrUndefined(some)?.uncertainty
            })
            const lack = { network, address, message: message ?? "" }
            return message === undefined
              ? []
              : [{ full: lack, short: { ...lack, message: "the result may be incomplete" } }]
          }),
          (count) => ({ network: "*", address, message: `and ${count} more` })
        )
        return Object.fromEntries(
          found.flatMap(([network, element]) =>
            Option.match(Option.flatten(Either.getRight(element)), {
              onNone: () => [],
              onSome: ({ at }) => [[network, { timestamp: at }] as const]
            })
          )
        ) satisfies FirstTransactions
      })
)

/** Where nothing could be had at all. A network that was shut down has nothing to tell, and nobody has failed. */
const refusalOf = (found: ReadonlyArray<FirstTransactionResult>) => {
  const failures = found.flatMap((firstTransactionResult) =>
    Either.isLeft(firstTransactionResult) ? [firstTransactionResult.left] : []
  )
  const lost = failures.filter(({ reason }) => reason !== "sunset")
  if (failures.length < found.length || lost.length === 0) return undefined
  const failed = lost.find(({ reason }) => reason !== "not_configured")
  return failed === undefined
    ? new NotImplemented({ detail: `Not configured: ${lost[0]?.message}.` })
    : new UpstreamFailed({ detail: `No first transaction could be looked up: ${failed.message}.` })
}
