import type { components } from "../../client/Client.ts"
import type { KnownNetwork } from "../state/knownNetworks.ts"

export type Ability = components["schemas"]["Ability"]
export type AbilityName = keyof KnownNetwork["abilities"]

/** The abilities of a network, in the order of the columns. */
export const abilityNames: ReadonlyMap<AbilityName, string> = new Map([
  ["balance", "Balances"],
  ["tokens", "Tokens"],
  ["history", "History"],
  ["export", "Export"],
  ["rpc", "Node proxy"],
  ["rawTransactions", "Raw transactions"],
  ["firstTransaction", "First transaction"],
  ["fees", "Fees"],
  ["transactionContext", "Transaction context"]
])

/**
 * How it stands with an ability: `untried`, no upstream of it was called yet; `settable`, the operator can switch it on;
 * `absent`, it is not there, for the reason that is given.
 */
export type Standing = "works" | "untried" | "fails" | "settable" | "absent"

export const standingWords: Readonly<Record<Standing, string>> = {
  works: "works",
  untried: "not tried yet",
  fails: "fails",
  settable: "not set up",
  absent: "none"
}

// Variables of the environment in the reasons of the service, such as SUBSCAN_API_KEY.
const variable = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g

/** The variables that a reason names, each once. */
export const variablesIn = (reason: string | undefined): ReadonlyArray<string> => [
  ...new Set((reason ?? "").slice(0, 1000).match(variable) ?? [])
]

export const standingOf = ({ available, reason, upstreams }: Ability): Standing => {
  if (available) return upstreams.some(({ state }) => state === "up") || upstreams.length === 0 ? "works" : "untried"
  if (upstreams.length > 0) return "fails"
  return variablesIn(reason).length > 0 ? "settable" : "absent"
}

/** What the operator could set, and what that would switch on. */
export interface Proposal {
  readonly reason: string
  readonly variables: ReadonlyArray<string>
  readonly network: string
  readonly abilities: ReadonlyArray<string>
}

const abilitiesOf = ({ abilities }: KnownNetwork) =>
  [...abilityNames].map(([name, title]) => ({ title, ability: abilities[name] }))

/** Each reason of a network once, with all abilities that are missing for it. */
export const proposalsFor = (networks: ReadonlyArray<KnownNetwork>): ReadonlyArray<Proposal> =>
  networks.flatMap((network) => {
    const settable = abilitiesOf(network).filter(({ ability }) => standingOf(ability) === "settable")
    return [...Map.groupBy(settable, ({ ability }) => ability.reason ?? "")].map(([reason, group]) => ({
      reason,
      variables: variablesIn(reason),
      network: network.name,
      abilities: group.map(({ title }) => title)
    }))
  })

/** What fails at present, such as `History of Litecoin`. */
export const failingIn = (networks: ReadonlyArray<KnownNetwork>): ReadonlyArray<string> =>
  networks.flatMap((network) =>
    abilitiesOf(network)
      .filter(({ ability }) => standingOf(ability) === "fails")
      .map(({ title }) => `${title} of ${network.name}`)
  )
