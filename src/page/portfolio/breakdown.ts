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
  spendable: "can be sent now, including fees",
  reserved: "must stay in the account, or is locked until it is released",
  staked: "is staked, or is being unstaked",
  rewards: "from staking, not withdrawn yet",
  unconfirmed: "incoming, not confirmed yet",
  immature: "newly mined, cannot be spent yet"
}

/** A part of a balance; its amount is null if it could not be read. */
export interface BalancePart {
  readonly title: string
  readonly meaning: string
  readonly amount: string | null
}

/** The parts that a network has, in the order of display. */
export const partsOf = (breakdown: Breakdown | undefined): ReadonlyArray<BalancePart> =>
  Object.entries(titles).flatMap(([name, title]) => {
    const amount = breakdown?.[name as Part]
    return amount === undefined ? [] : [{ title, meaning: meanings[name as Part], amount }]
  })
