import type { components } from "../../client/Client.ts"
import { type TextKey, t } from "../text/language.ts"
import type { UpstreamHealth } from "./watch.ts"

type State = UpstreamHealth["state"]
type Circuits = UpstreamHealth["circuits"]

/** The result of the latest call. */
export const stateTexts: Readonly<Record<State, TextKey>> = { up: "works", down: "hasFailed", unknown: "notCalled" }

const circuitKeys: Readonly<Record<Circuits[number], TextKey>> = {
  closed: "circuitsClosed",
  open: "circuitsOpen",
  "half-open": "circuitsHalf"
}

/** Counts the addresses of an upstream by circuit breaker state: `2 in use, 1 avoided after failures`. */
export const circuitText = (circuits: Circuits): string =>
  circuits.length === 0
    ? t("noCircuits")
    : [...Map.groupBy(circuits, (circuit) => circuit)]
        .map(([circuit, group]) => t(circuitKeys[circuit], { count: group.length }))
        .join(", ")

/** The remaining budget: `5 calls now; 1,200 this month, of 10,000 in any 31 days`. */
export const budgetText = (budget: components["schemas"]["UpstreamBudget"] | undefined): string => {
  if (budget === undefined) return t("notCounted")
  const { left, perMonth, usedThisMonth } = budget
  const now = t("callsNow", { count: left, used: usedThisMonth })
  return perMonth === undefined ? now : `${now}, ${t("ofBudget", { max: perMonth })}`
}
