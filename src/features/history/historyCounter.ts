import { isOpen } from "../../domain/history/Gap.ts"
import { counters } from "../../kernel/counters.ts"
import { unreadCodes } from "../reading.ts"
import type { NetworkHistory } from "./NetworkHistory.ts"

const all = "Pages of histories by network, without those of malformed addresses"
const incomplete =
  "Pages of histories that lack transactions, by network and error code; partial: the response names the part"

/** Returns a function that counts the history of an address in the metrics, and returns it. */
export const historyCounter = (networks: ReadonlyArray<{ readonly id: string }>) => {
  const network = networks.map(({ id }) => id)
  const countAll = counters("histories_total", all, { network })
  const countIncomplete = counters("histories_incomplete_total", incomplete, {
    network,
    code: [...unreadCodes, "partial"]
  })
  return (history: NetworkHistory): NetworkHistory => {
    const { failure, gaps, surroundings } = history
    const { id } = surroundings.info
    if (failure?.reason === "invalid_address") return history
    countAll(1, id)
    if (failure !== undefined) countIncomplete(1, id, failure.reason)
    else if (isOpen(gaps)) countIncomplete(1, id, "partial")
    return history
  }
}
