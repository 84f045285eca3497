import type { components } from "../../client/Client.ts"
import { count, counted } from "../text/format.ts"
import type { UpstreamHealth } from "./watch.ts"

type State = UpstreamHealth["state"]
type Circuits = UpstreamHealth["circuits"]

/** The result of the latest call. */
export const stateTexts: Readonly<Record<State, string>> = {
  up: "works",
  down: "has failed",
  unknown: "not called yet"
}

const circuitName: Readonly<Record<Circuits[number], string>> = {
  closed: "in use",
  open: "avoided after failures",
  "half-open": "being tested"
}

/** Counts the addresses of an upstream by circuit breaker state: `2 addresses in use, 1 avoided after failures`. */
export const circuitText = (circuits: Circuits): string =>
  circuits.length === 0
    ? "no address"
    : [...Map.groupBy(circuits, (circuit) => circuit)]
        .map(([circuit, group], index) =>
          index === 0
            ? `${counted(group.length, "address", "addresses")} ${circuitName[circuit]}`
            : `${count(group.length)} ${circuitName[circuit]}`
        )
        .join(", ")

/** The remaining budget: `5 calls now; 1,200 this month, of 10,000 in any 31 days`. */
export const budgetText = (budget: components["schemas"]["UpstreamBudget"] | undefined): string => {
  if (budget === undefined) return "not counted"
  const { left, perMonth, usedThisMonth } = budget
  const month = `${count(usedThisMonth)} this month`
  return `${counted(left, "call")} now; ${month}${perMonth === undefined ? "" : `, of ${count(perMonth)} in any 31 days`}`
}
