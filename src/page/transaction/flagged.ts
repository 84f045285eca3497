import type { Entry } from "../history/histories.ts"

type Flags = NonNullable<Entry["flags"]>

/** Flags of the entries of histories that were opened, until the page is closed. Only a history has them. */
const flags = new Map<string, Flags>()

const keyOf = (network: string, hash: string) => `${network} ${hash}`

export const rememberFlags = (network: string, { flags: some, hash }: Entry) => {
  if (some !== undefined) flags.set(keyOf(network, hash), some)
}

export const flagsOf = (network: string, hash: string): Flags => flags.get(keyOf(network, hash)) ?? []
