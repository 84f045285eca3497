import { isOpen } from "../../domain/history/Gap.ts"
import { counters } from "../../kernel/counters.ts"
import { unreadCodes } from "../reading.ts"
import type { NetworkHistory } from "./NetworkHistory.ts"

const all = "Pages of histories by network, without those of malformed addresses"
const incomplete =
  "Pages of histories that lack transactions, by network and error code; partial: the response names the part"

/** Returns a function that counts the history of an address in the metrics. */
export const historyCounter = (networks: ReadonlyArray<{ readonly id: string }>) => {
  const network = networks.map(({ id }) => id)
  const countAll = counters("histories_total", all, { network })
  const countIncomplete = counters("histories_incomplete_total", incomplete, {
    network,
    code: [...unreadCodes, "partial"]
  })
  return ({ failure, gaps, surroundings: { info } }: NetworkHistory): void => {
    if (failure?.reason === "invalid_address") return
    countAll(1, info.id)
    if (failure !== undefined) countIncomplete(1, info.id, failure.reason)
    else if (isOpen(gaps)) countIncomplete(1, info.id, "partial")
  }
}
