import type { components } from "../../client/Client.ts"
import type { KnownNetwork } from "../state/knownNetworks.ts"

export type Ability = components["schemas"]["Ability"]

/**
 * State of an ability. `untried`: none of its upstreams was called yet; `settable`: the operator can enable it;
 * `absent`: it does not exist, for the given reason. Each is the key of its text.
 */
export type AbilityState = "works" | "untried" | "fails" | "settable" | "absent"

// Environment variables in the reasons of the service, such as SUBSCAN_API_KEY.
const variable = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g

/** The variables in a reason, without duplicates. */
export const variablesIn = (reason: string | undefined): ReadonlyArray<string> => [
  ...new Set((reason ?? "").slice(0, 1000).match(variable) ?? [])
]

export const abilityState = ({ available, reason, upstreams }: Ability): AbilityState => {
  if (available) return upstreams.some(({ state }) => state === "up") || upstreams.length === 0 ? "works" : "untried"
  if (upstreams.length > 0) return "fails"
  return variablesIn(reason).length > 0 ? "settable" : "absent"
}

/** The networks whose balances currently cannot be read. */
export const failingNetworks = (networks: ReadonlyArray<KnownNetwork>): ReadonlyArray<KnownNetwork> =>
  networks.filter(({ abilities }) => abilityState(abilities.balance) === "fails")
