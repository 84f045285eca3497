import type { components } from "../../client/Client.ts"

export type Breakdown = components["schemas"]["Breakdown"]
type Part = Exclude<keyof Breakdown, "error" | "errorCode">

const titles: Readonly<Record<Part, string>> = {
  spendable: "Spendable",
  reserved: "Reserved",
  staked: "Staked",
  rewards: "Rewards",
  unconfirmed: "Unconfirmed",
  immature: "Immature"
}

const meanings: Readonly<Record<Part, string>> = {
  spendable: "can be sent now, fees included",
  reserved: "stays in the account, or until something is released",
  staked: "is staked, or being unstaked",
  rewards: "of staking, not withdrawn yet",
  unconfirmed: "waits to be received",
  immature: "newly mined, too young to be spent"
}

/** A part of a balance; null where it could not be read. */
export interface BalancePart {
  readonly title: string
  readonly meaning: string
  readonly amount: string | null
}

/** The parts that a network has, in the order of their use. */
export const partsOf = (breakdown: Breakdown | undefined): ReadonlyArray<BalancePart> =>
  Object.entries(titles).flatMap(([name, title]) => {
    const amount = breakdown?.[name as Part]
    return amount === undefined ? [] : [{ title, meaning: meanings[name as Part], amount }]
  })
