import { TooLarge } from "./Problem.ts"

/** The refusal of a request with more than `max` addresses over all networks; undefined for others. */
export const tooManyAddresses = (
  networks: Readonly<Record<string, ReadonlyArray<string>>>,
  max: number
): TooLarge | undefined => {
  const count = Object.values(networks).reduce((sum, addresses) => sum + addresses.length, 0)
  return count > max
    ? new TooLarge({ detail: `The request names ${count} addresses; at most ${max} are allowed.` })
    : undefined
}
