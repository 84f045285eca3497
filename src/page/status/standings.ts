import type { components } from "../../client/Client.ts"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { wordText } from "../text/format.ts"
import { type TextKey, t } from "../text/language.ts"
import { abilityState, variablesIn } from "./abilities.ts"
import type { UpstreamHealth } from "./reports.ts"

export type AbilityName = keyof KnownNetwork["abilities"]

/** The abilities of a network, in the order of the columns. */
export const abilityNames: ReadonlyMap<AbilityName, TextKey> = new Map([
  ["balance", "abilityBalance"],
  ["tokens", "abilityTokens"],
  ["history", "abilityHistory"],
  ["export", "abilityExport"],
  ["rpc", "abilityRpc"],
  ["rawTransactions", "abilityRaw"],
  ["firstTransaction", "abilityFirst"],
  ["fees", "fees"],
  ["transactionContext", "abilityContext"]
])

/** Variables that the operator can set, and the abilities that they would enable. */
export interface Proposal {
  readonly reason: string
  readonly variables: ReadonlyArray<string>
  readonly network: string
  readonly abilities: ReadonlyArray<string>
}

const abilitiesOf = ({ abilities }: KnownNetwork) =>
  [...abilityNames].map(([name, title]) => ({ title: t(title), ability: abilities[name] }))

/** Proposals by network and reason, each with all affected abilities. */
export const proposalsFor = (networks: ReadonlyArray<KnownNetwork>): ReadonlyArray<Proposal> =>
  networks.flatMap((network) => {
    const settable = abilitiesOf(network).filter(({ ability }) => abilityState(ability) === "settable")
    return [...Map.groupBy(settable, ({ ability }) => ability.reason ?? "")].map(([reason, group]) => ({
      reason,
      variables: variablesIn(reason),
      network: network.name,
      abilities: group.map(({ title }) => title)
    }))
  })

/** The abilities that currently fail, such as `History of Litecoin`. */
export const failingIn = (networks: ReadonlyArray<KnownNetwork>): ReadonlyArray<string> =>
  networks.flatMap((network) =>
    abilitiesOf(network)
      .filter(({ ability }) => abilityState(ability) === "fails")
      .map(({ title }) => t("abilityOf", { ability: title, network: network.name }))
  )

type State = UpstreamHealth["state"]
type Circuits = UpstreamHealth["circuits"]

/** The result of the latest call. */
export const stateKey = (state: State) => (state === "up" ? "works" : state === "down" ? "fails" : "untried")

/** Counts the addresses of an upstream by circuit breaker state: `2 in use, 1 avoided after failures`. */
export const circuitText = (circuits: Circuits): string =>
  circuits.length === 0
    ? t("noCircuits")
    : [...Map.groupBy(circuits, (circuit) => circuit)]
        .map(([circuit, group]) => wordText("circuits_", circuit, { count: group.length }))
        .join(", ")

/** The remaining budget: `5 calls now; 1,200 this month, of 10,000 in any 31 days`. */
export const budgetText = (budget: components["schemas"]["UpstreamBudget"] | undefined): string => {
  if (budget === undefined) return t("notCounted")
  const { left, perMonth, usedThisMonth } = budget
  const now = t("callsNow", { count: left, used: usedThisMonth })
  return perMonth === undefined ? now : `${now}, ${t("ofBudget", { max: perMonth })}`
}
