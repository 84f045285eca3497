import * as Either from "effect/Either"
import * as MetricKey from "effect/MetricKey"
import type { Holding, ReadFailure } from "../../chains/Chain.ts"
import { counters } from "../../kernel/counters.ts"
import { type AnyNetwork, unreadCodes } from "../reading.ts"

const rows = MetricKey.counter("balance_rows_total", {
  description: "Rows of balances by network, without those of malformed addresses",
  incremental: true
})
const nulls = MetricKey.counter("balance_rows_null_total", {
  description: "Rows whose balance is null, by network and error code",
  incremental: true
})

/** Returns a function that counts the rows of an address in the metrics. Tokens that are missing altogether count as a row. */
export const rowCounter = (networks: ReadonlyArray<{ readonly id: string }>) => {
  const network = networks.map(({ id }) => id)
  const countRows = counters(rows, { network })
  const countNulls = counters(nulls, { network, code: unreadCodes })
  return (
    { facts: { id } }: AnyNetwork,
    holdings: ReadonlyArray<Pick<Holding, "amount">>,
    missing?: ReadFailure | undefined
  ): void => {
    for (const { amount } of holdings) {
      if (Either.isRight(amount)) continue
      if (amount.left.reason === "invalid_address") return
      countNulls(1, id, amount.left.reason)
    }
    if (missing !== undefined) countNulls(1, id, missing.reason)
    countRows(holdings.length + (missing === undefined ? 0 : 1), id)
  }
}
