import { flag, numberOrNull } from "../fields.ts"

/** Maximum length of a list in a context: outputs, coins, token accounts. */
export const maxEntries = 500

/** The fields next to each list of a context that say whether it is complete. */
export const completenessFields = (entries: string) => ({
  truncated: flag(
    `Whether more ${entries} exist than the list contains. It has at most ${maxEntries}, the largest first.`,
    false
  ),
  count: numberOrNull(`Number of ${entries}; null if the list is truncated and no source returns the number.`, 1)
})
