import { networksOf } from "../addresses/accounts.ts"
import type { AddressHistory } from "./histories.ts"

export const formats = ["csv", "ndjson"] as const
export type Format = (typeof formats)[number]

/** What an export is of. */
export type Exported = Readonly<Record<string, ReadonlyArray<string>>>

/** The addresses stand in the address of the file, of which proxies take 8 kB. */
const maxLetters = 6_000

const lengthOf = ({ address, network }: AddressHistory) => encodeURIComponent(`${network}:${address},`).length

/** The files that all histories fit in: one, or several where there are too many addresses for it. */
export const exportsOf = (histories: ReadonlyArray<AddressHistory>): ReadonlyArray<Exported> => {
  const parts: Array<Array<AddressHistory>> = []
  let letters = Number.POSITIVE_INFINITY
  for (const history of histories) {
    letters += lengthOf(history)
    if (letters > maxLetters) {
      parts.push([])
      letters = lengthOf(history)
    }
    parts.at(-1)?.push(history)
  }
  return parts.map(networksOf)
}

/** What a file is called: `history.csv`, `history-2.csv`. */
export const fileName = (format: Format, index: number, count: number): string =>
  `history${count > 1 ? `-${index + 1}` : ""}.${format}`
