import { makeStore } from "./store.ts"

export interface Preferences {
  /** ISO 4217 code, of every value that is shown. The service values in this one so far. */
  readonly currency: string
  /** Whether holdings of little worth are left out of the table. */
  readonly hidesSmall: boolean
}

/** What the reader has chosen; for all views. */
export const preferences = makeStore<Preferences>({ currency: "USD", hidesSmall: true })
