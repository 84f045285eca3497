import type { components } from "../../client/Client.ts"
import { type TextKey, t } from "../text/language.ts"

export type Breakdown = components["schemas"]["Breakdown"]
type Part = Exclude<keyof Breakdown, "error" | "errorCode">

/** The keys of the title and the meaning of each part, in the order of display. */
const keys: Readonly<Record<Part, readonly [title: TextKey, meaning: TextKey]>> = {
  spendable: ["spendable", "spendableHelp"],
  reserved: ["reserved", "reservedHelp"],
  staked: ["staked", "stakedHelp"],
  rewards: ["rewards", "rewardsHelp"],
  unconfirmed: ["unconfirmed", "unconfirmedHelp"],
  immature: ["immature", "immatureHelp"]
}

/** A part of a balance; its amount is null if it could not be read. */
export interface BalancePart {
  readonly title: string
  readonly meaning: string
  readonly amount: string | null
}

/** The parts that a network has, in the order of display. */
export const partsOf = (breakdown: Breakdown | undefined): ReadonlyArray<BalancePart> =>
  Object.entries(keys).flatMap(([name, [title, meaning]]) => {
    const amount = breakdown?.[name as Part]
    return amount === undefined ? [] : [{ title: t(title), meaning: t(meaning), amount }]
  })
