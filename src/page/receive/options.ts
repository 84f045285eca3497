import type { AddressMatch, Lookup } from "../addresses/accounts.ts"

/** An address that can receive, in the spelling of its networks. */
export interface ReceivingAddress {
  readonly address: string
  readonly networks: ReadonlyArray<string>
}

/** Addresses that are shown; a wallet may have many. */
const maxAddresses = 50

/** Longer texts are refused. */
const maxLetters = 300

const canReceive = ({ canonical, kind, network }: AddressMatch, gone: ReadonlyArray<string>) =>
  kind === "address" && canonical !== "" && canonical.length <= maxLetters && !gone.includes(network)

/**
 * The addresses that can receive: the service has recognised and checked them. Extended keys, stake addresses and networks
 * that were shut down cannot.
 */
export const receivingOf = (
  lookups: ReadonlyArray<Lookup>,
  gone: ReadonlyArray<string>
): ReadonlyArray<ReceivingAddress> => {
  const matches = lookups
    .flatMap((lookup) => (lookup.state === "found" ? lookup.matches : []))
    .filter((match) => canReceive(match, gone))
  return [...Map.groupBy(matches, ({ canonical }) => canonical)]
    .slice(0, maxAddresses)
    .map(([address, group]) => ({ address, networks: [...new Set(group.map(({ network }) => network))] }))
}
