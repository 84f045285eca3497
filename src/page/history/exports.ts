import { networksOf } from "../addresses/accounts.ts"
import type { AddressHistory } from "./histories.ts"

export const formats = ["csv", "ndjson"] as const
export type Format = (typeof formats)[number]

/** The addresses of an export, by network. */
export type Exported = Readonly<Record<string, ReadonlyArray<string>>>

/** The URL of the file contains the addresses, and proxies accept URLs of up to 8 kB. */
const maxLetters = 6_000

const lengthOf = ({ address, network }: AddressHistory) => encodeURIComponent(`${network}:${address},`).length

/** The export files of all histories: several if one URL cannot hold all addresses. */
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

/** The name of a file: `history.csv`, `history-2.csv`. */
export const fileName = (format: Format, index: number, count: number): string =>
  `history${count > 1 ? `-${index + 1}` : ""}.${format}`
