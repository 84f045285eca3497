import { isOpen } from "../../domain/history/Gap.ts"
import { counters } from "../../kernel/counters.ts"
import type { Tally } from "../../kernel/Tally.ts"
import { unreadCodes } from "../reading.ts"
import type { NetworkHistory } from "./NetworkHistory.ts"

const all = "Pages of histories by network, without those of malformed addresses"
const incomplete =
  "Pages of histories that lack transactions, by network and error code; partial: the response names the part"
const again =
  "Stored histories that were requested as a whole again, by network and reason; sum: the balance of the address; count: the number or the list of its source; day: not read for a day; limit: more were requested than are stored"

/** Why a stored history is requested as a whole again. */
const reasons = ["sum", "count", "day", "limit"] as const

/** Returns a function that counts stored histories that are requested as a whole again. */
export const rereadCounter = (networks: ReadonlyArray<{ readonly id: string }>) => {
  const add = counters("histories_reread_total", again, { network: networks.map(({ id }) => id), reason: reasons })
  return (network: string, reason: (typeof reasons)[number] | "first" | undefined): void => {
    if (reason !== undefined && reason !== "first") add(1, network, reason)
  }
}

/** Returns a function that counts the history of an address in the metrics, and returns it. */
export const historyCounter = (networks: ReadonlyArray<{ readonly id: string }>) => {
  const network = networks.map(({ id }) => id)
  const countAll = counters("histories_total", all, { network })
  const countIncomplete = counters("histories_incomplete_total", incomplete, {
    network,
    code: [...unreadCodes, "partial"]
  })
  return (tally: Tally | undefined) =>
    (history: NetworkHistory): NetworkHistory => {
      const { failure, gaps, surroundings } = history
      const { id } = surroundings.info
      if (failure?.reason === "invalid_address") return history
      countAll(1, id)
      if (failure !== undefined) countIncomplete(1, id, failure.reason)
      else if (isOpen(gaps)) countIncomplete(1, id, "partial")
      if (tally !== undefined && failure !== undefined) tally.nulls++
      return history
    }
}
