import * as Effect from "effect/Effect"
import type { TransactionContext } from "../../src/domain/TransactionContext.ts"

/**
 * Requests an address's transaction context from a service, as a wallet does: all inputs for building a transaction.
 */
export const contextAt = <Family extends TransactionContext["family"]>(
  service: string,
  network: string,
  address: string,
  family: Family
): Effect.Effect<Extract<TransactionContext, { readonly family: Family }>> =>
  Effect.promise(async () => {
    const response = await fetch(`${service}/utils/transaction-context`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ networks: { [network]: [address] } })
    })
    const answer = (await response.json()) as Readonly<
      Record<string, Readonly<Record<string, { readonly context: TransactionContext | null }>>>
    >
    const context = answer[network]?.[address]?.context
    if (context?.family !== family) throw new Error(JSON.stringify(answer))
    return context as Extract<TransactionContext, { readonly family: Family }>
  })
