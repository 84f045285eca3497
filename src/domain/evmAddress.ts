import * as Either from "effect/Either"
import { getAddress } from "viem/utils"

/** The sender of tokens that are minted, and the recipient of those that are burnt. */
export const zeroAddress = "0x0000000000000000000000000000000000000000"

/** Whether a text is the zero address, which many clients send as the token for the native coin. */
export const isZero = (text: string): boolean => /^0x0{40}$/i.test(text)

/** The facts of a network that its spellings contain. */
interface Spelling {
  /** The id of the chain (EIP-155), which some wallets add to the checksum (EIP-1191). */
  readonly chainId?: number | undefined
  /** Names that stand before an address and a colon (EIP-3770), in lower case. */
  readonly shortNames?: ReadonlyArray<string> | undefined
}

/**
 * Parses an EVM address and returns it in lower case. Accepts all-lower and all-upper case; mixed case must match the
 * checksum of EIP-55, or of EIP-1191 for the chain.
 */
export const parse = (
  text: string,
  { chainId, shortNames = [] }: Spelling = {}
): Either.Either<`0x${string}`, string> => {
  const [, name, digits] = /^(?:([-a-z0-9]{1,40}):)?0[xX]([0-9a-fA-F]{40})$/.exec(text) ?? []
  if (digits === undefined) {
    const [, few] = /^0x([0-9a-f]{20,39})$/i.exec(text) ?? []
    return Either.left(
      few === undefined
        ? "an address is 0x and 40 hexadecimal digits"
        : `an address has 40 hexadecimal digits after 0x, not ${few.length}: some may be missing`
    )
  }
  if (name !== undefined && !shortNames.includes(name))
    return Either.left(`the prefix "${name}:" (EIP-3770) is not of this network`)
  const address = `0x${digits.toLowerCase()}` as const
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return Either.right(address)
  return [undefined, chainId].some((chain) => getAddress(address, chain) === `0x${digits}`)
    ? Either.right(address)
    : Either.left("the mix of upper and lower case is not this address's checksum (EIP-55): a digit may be mistyped")
}
