import * as Context from "effect/Context"

/** The networks that a request is for, by id, and the number of balances, histories and prices that could not be read. */
export interface Tally {
  readonly networks: Array<string>
  nulls: number
}

export const emptyTally = (): Tally => ({ networks: [], nulls: 0 })

/** The tally of the current request; undefined outside of requests. */
export class CurrentTally extends Context.Reference<CurrentTally>()("kernel/CurrentTally", {
  defaultValue: (): Tally | undefined => undefined
}) {}
