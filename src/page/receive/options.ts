import type { AddressMatch, Lookup } from "../addresses/accounts.ts"

/** An address that can receive, as entered: the spelling of its owner has the checksum and the tag that payments need. */
export interface ReceivingAddress {
  readonly address: string
  /** One of each network on which it receives. */
  readonly matches: ReadonlyArray<AddressMatch>
}

/** Addresses that are shown; a wallet may have many. */
const maxAddresses = 50

/** Longer texts are refused. */
const maxLetters = 300

/** Case and the prefix that CashAddr may omit do not distinguish spellings. */
const spelled = (address: string) => address.toLowerCase().replace(/^bitcoincash:/, "")

/**
 * The networks whose address a text is. Others have the same form, with another spelling for their owners: they may not
 * be able to spend there what the address receives.
 */
const ownMatches = (text: string, matches: ReadonlyArray<AddressMatch>): ReadonlyArray<AddressMatch> => {
  const spellings = Map.groupBy(matches, ({ canonical }) => spelled(canonical))
  return spellings.get(spelled(text)) ?? (spellings.size === 1 ? matches : [])
}

/**
 * The addresses that can receive: the service has recognised and checked them. Extended keys, stake addresses and networks
 * that were shut down cannot.
 */
export const receivingOf = (
  lookups: ReadonlyArray<Lookup>,
  gone: ReadonlyArray<string>
): ReadonlyArray<ReceivingAddress> =>
  lookups
    .flatMap((lookup) => {
      if (lookup.state !== "found" || lookup.text.length > maxLetters) return []
      const { matches, text } = lookup
      const able = ownMatches(text, matches).filter(
        ({ kind, network }) => kind === "address" && !gone.includes(network)
      )
      return able.length === 0 ? [] : [{ address: text, matches: able }]
    })
    .slice(0, maxAddresses)

/** The notes on an address, each with the names of its networks unless it is of all. */
export const notesOf = (
  matches: ReadonlyArray<AddressMatch>,
  gone: ReadonlyArray<string>,
  nameOf: (network: string) => string
): ReadonlyArray<string> => {
  const notes = Map.groupBy(
    matches.filter(({ network, note }) => note !== undefined && !gone.includes(network)),
    ({ note }) => note ?? ""
  )
  return [...notes].map(([note, of]) =>
    of.length === matches.length ? note : `${of.map(({ network }) => nameOf(network)).join(", ")}: ${note}`
  )
}
