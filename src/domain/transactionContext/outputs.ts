import { flag, numberOrNull } from "../fields.ts"

/** The most entries of a list in a context: outputs, coins, token accounts. */
export const maxEntries = 500

/** What every list of a context says of its completeness. */
export const completeness = (entries: string) => ({
  truncated: flag(
    `Whether there are more ${entries} than the list has. It has at most ${maxEntries}, the largest first.`,
    false
  ),
  count: numberOrNull(`How many ${entries} there are; null where the list is truncated and no source says it.`, 1)
})
