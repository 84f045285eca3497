import { TooLarge } from "./Problem.ts"

/** Why a request is refused that names more addresses than this, over all networks; undefined where it does not. */
export const tooManyAddresses = (
  networks: Readonly<Record<string, ReadonlyArray<string>>>,
  most: number
): TooLarge | undefined => {
  const count = Object.values(networks).reduce((sum, addresses) => sum + addresses.length, 0)
  return count > most
    ? new TooLarge({ detail: `The request names ${count} addresses; at most ${most} are allowed.` })
    : undefined
}
