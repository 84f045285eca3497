import table from "../uncompared.json" with { type: "json" }

/** Recorded responses that no test compares, by reason: `provider/name`, or `provider` for all of its responses. */
export const uncompared: Readonly<Record<string, ReadonlyArray<string>>> = table

/** Whether a table lists a file, `provider/name`. */
export const isListed = (file: string, listed: Readonly<Record<string, ReadonlyArray<string>>> = uncompared) =>
  Object.values(listed).some((entries) => entries.some((entry) => isOf(entry, file)))

/** Whether an entry means this file. */
export const isOf = (entry: string, file: string) => file === entry || file.startsWith(`${entry}/`)
