import { sha256 } from "@noble/hashes/sha2"
import { base58xrp } from "@scure/base"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type AddressForm, plainAddress } from "../../domain/AddressForm.ts"

const decode = Option.liftThrowable((text: string) => base58xrp.decode(text))

/** The checksum, which is the last four bytes of each address form. */
const checksum = (payload: Uint8Array) => sha256(sha256(payload)).subarray(0, 4)

const encodeChecked = (payload: Uint8Array) => base58xrp.encode(Uint8Array.of(...payload, ...checksum(payload)))

/** Decodes the payload; none if the text is not base58 in the ledger's alphabet, or its checksum is wrong. */
const decodeChecked = (text: string): Option.Option<Uint8Array> =>
  decode(text).pipe(
    Option.map((bytes) => [bytes.subarray(0, -4), bytes.subarray(-4)] as const),
    Option.filter(([payload, end]) => Buffer.from(checksum(payload)).equals(end)),
    Option.map(([payload]) => payload)
  )

/** XLS-5: a prefix of two bytes, the account, a flag for the tag, and a tag of eight bytes. */
const mainPrefix = [0x05, 0x44] as const
const testPrefix = [0x04, 0x93] as const

/**
 * Parses a classic address (`r…`). An X-address (`X…`, XLS-5) is reduced to its account: a destination tag
 * distinguishes payments, not balances. X-addresses of test networks (`T…`) are rejected.
 */
export const parse = (text: string): Either.Either<string, string> => {
  if (!/^[rXT][1-9A-HJ-NP-Za-km-z]{20,60}$/.test(text))
    return Either.left("an address is r or X, followed by letters and digits")
  const payload = Option.getOrUndefined(decodeChecked(text))
  if (payload === undefined) return Either.left("the checksum is wrong: a letter may be mistyped or missing")
  if (payload.length === 21 && payload[0] === 0) return Either.right(text)
  if (payload.length !== 31) return Either.left("this is not an address of an account")
  const begins = (prefix: readonly [number, number]) => payload[0] === prefix[0] && payload[1] === prefix[1]
  if (begins(testPrefix)) return Either.left("this is an address of a test network")
  if (!begins(mainPrefix)) return Either.left("this is not an address of an account")
  const [flag, tag] = [payload[22], payload.subarray(23)]
  const unused = flag === 0 ? tag : tag.subarray(4)
  if ((flag !== 0 && flag !== 1) || unused.some((byte) => byte !== 0))
    return Either.left("its destination tag has a format that the ledger does not support")
  return Either.right(encodeChecked(Uint8Array.of(0, ...payload.subarray(2, 22))))
}

/** The form of an address as the client wrote it. */
export const formOf = (text: string): AddressForm =>
  text.startsWith("X")
    ? {
        kind: "address",
        note: "An X-address: its destination tag identifies a recipient within the account; the balance is that of the whole account."
      }
    : plainAddress

/** The address of an account id of twenty bytes. */
export const ofAccount = (account: Uint8Array): string => encodeChecked(Uint8Array.of(0, ...account))
