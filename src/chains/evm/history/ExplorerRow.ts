import { type Height, height, type Seconds, seconds } from "../../../domain/units.ts"

// The meaning of the members of explorers' rows, some of which are empty or missing if a source has no value.

type Text = string | null | undefined

/** Etherscan has `hash`, Blockscout `transactionHash` for internal transfers. */
interface Hashed {
  readonly hash?: Text
  readonly transactionHash?: Text
}

interface Placed {
  readonly blockNumber?: Text
  readonly timeStamp?: Text
}

/** The hash by which the lists are merged. */
export const hashOf = (row: Hashed): string => {
  const hash = row.hash ?? row.transactionHash ?? ""
  return hash.startsWith("0x") ? hash.toLowerCase() : hash
}

export const hasHash = (row: Hashed): boolean => /^0x[0-9a-f]{64}$/.test(hashOf(row))

/** Whether a row is about a transaction: only those have a hash, and a time if they are in a block. */
export const isTransaction = (row: Hashed & Placed): boolean =>
  hasHash(row) && (blockOf(row) === undefined || timeOf(row) !== undefined)

/** Whether a row is about an address in lower case: as sender, recipient, or the contract that was created. */
export const concerns =
  (address: string) =>
  (row: { readonly from: string; readonly to?: Text; readonly contractAddress?: Text }): boolean =>
    [row.from, row.to, row.contractAddress].some((party) => party?.toLowerCase() === address)

const firstBlock = height(0)

/** Whether a row is an allocation of the first block. */
export const isGenesis = (row: Hashed & Placed): boolean =>
  !hasHash(row) && (hashOf(row).startsWith("GENESIS") || blockOf(row) === firstBlock)

/** The number in a field; undefined if the field is empty or missing. */
export const numberIn = (value: Text): bigint | undefined =>
  value !== undefined && value !== null && /^\d+$/.test(value) ? BigInt(value) : undefined

/** The time of a row; undefined if it has none. */
export const timeOf = ({ timeStamp }: Placed): Seconds | undefined => {
  const time = numberIn(timeStamp)
  return time === undefined ? undefined : seconds(Number(time))
}

/** Undefined while the transaction is pending. */
export const blockOf = ({ blockNumber }: Placed): Height | undefined =>
  blockNumber === undefined || blockNumber === null || blockNumber === "" ? undefined : height(Number(blockNumber))
