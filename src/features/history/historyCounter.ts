import * as MetricKey from "effect/MetricKey"
import { counters } from "../../kernel/counters.ts"
import { unreadCodes } from "../reading.ts"
import type { NetworkHistory } from "./NetworkHistory.ts"

const all = MetricKey.counter("histories_total", {
  description: "Pages of histories by network, without those of malformed addresses",
  incremental: true
})
const incomplete = MetricKey.counter("histories_incomplete_total", {
  description:
    "Pages of histories that lack transactions, by network and error code; partial: the response names the part",
  incremental: true
})

/** Returns a function that counts the history of an address in the metrics. */
export const historyCounter = (networks: ReadonlyArray<{ readonly id: string }>) => {
  const network = networks.map(({ id }) => id)
  const countAll = counters(all, { network })
  const countIncomplete = counters(incomplete, { network, code: [...unreadCodes, "partial"] })
  return ({ failure, isPartial, surroundings: { info } }: NetworkHistory): void => {
    if (failure?.reason === "invalid_address") return
    countAll(1, info.id)
    if (failure !== undefined) countIncomplete(1, info.id, failure.reason)
    else if (isPartial) countIncomplete(1, info.id, "partial")
  }
}
