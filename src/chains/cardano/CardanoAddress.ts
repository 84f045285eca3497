import { crc32 } from "node:zlib"
import { base58, bech32 } from "@scure/base"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type AddressForm, plainAddress } from "../../domain/AddressForm.ts"
import * as Cbor from "./Cbor.ts"

/** Pointer addresses vary in length, base addresses are longer than the 90 characters of BIP-173. */
const maxLength = 1023

const mainnet = 1

/** Bytes of the hash of a key or script. A base address has two of them. */
const hashLength = 28

/**
 * A payment address (`addr1…`, or a Byron address) or a stake address (`stake1…`) of the main network, in lower case if
 * it is bech32 (CIP-19).
 */
export const parse = (text: string): Either.Either<string, string> => {
  const lower = text.toLowerCase()
  if (!/^(addr|stake)(_test)?1/.test(lower)) return parseByron(text)
  if (/^(addr|stake)_test1/.test(lower)) return Either.left("this is an address of a test network")
  const decoded = bech32.decodeUnsafe(text, maxLength)
  const bytes = decoded ? bech32.fromWordsUnsafe(decoded.words) : undefined
  if (!decoded || !bytes)
    return Either.left("the checksum does not fit (bech32): a character may be mistyped or missing")
  const [header = 0] = bytes
  const body = bytes.subarray(1)
  if ((header & 15) !== mainnet) return Either.left("this is an address of a test network")
  return fits(decoded.prefix.toLowerCase(), header >> 4, body)
    ? Either.right(lower)
    : Either.left("this is neither a payment address nor a stake address (CIP-19)")
}

/** Whether an address is a stake address; its balance is that of all its payment addresses. */
export const isStake = (address: string): boolean => address.startsWith("stake1")

/** The form of an address, in any spelling. */
export const formOf = (text: string): AddressForm => {
  if (isStake(text.toLowerCase()))
    return { kind: "stake", note: "A stake address: it stands for all payment addresses of its key." }
  const account = stakeOf(text.toLowerCase())
  return account === undefined ? plainAddress : { ...plainAddress, account }
}

/** Kinds of addresses of the Byron era: the start of an array of two items in CBOR. */
const byron = 8

/** The address of an output; undefined if the bytes are no payment address of the main network. */
export const ofBytes = (bytes: Uint8Array): string | undefined => {
  const [header = 0] = bytes
  const text =
    header >> 4 === byron
      ? bytes.length > maxByronLength
        ? ""
        : base58.encode(bytes)
      : bech32.encode("addr", bech32.toWords(bytes), maxLength)
  return Option.getOrUndefined(Either.getRight(parse(text)))
}

/** The number of the network of an output's address; those of the Byron era name only test networks, by attributes. */
export const networkOf = (bytes: Uint8Array): number => {
  const [header = 0] = bytes
  if (header >> 4 !== byron) return header & 15
  return ofBytes(bytes) === undefined ? mainnet - 1 : mainnet
}

/** The stake address of a base address; undefined if the address has none. */
export const stakeOf = (address: string): string | undefined => {
  const bytes = bytesOf(address)
  const type = (bytes?.[0] ?? 255) >> 4
  if (!bytes || type > 3) return undefined
  const kind = type < 2 ? ofKey : ofScript
  return bech32.encode("stake", bech32.toWords(Uint8Array.of((kind << 4) | mainnet, ...bytes.subarray(1 + hashLength))))
}

/** The payment credential of an address, in hexadecimal digits; undefined for one of the Byron era. */
export const paymentOf = (address: string): string | undefined => {
  const bytes = bytesOf(address)
  return bytes && Buffer.from(bytes.subarray(1, 1 + hashLength)).toString("hex")
}

const bytesOf = (address: string) => {
  const decoded = address.startsWith("addr1") ? bech32.decodeUnsafe(address, maxLength) : undefined
  return (decoded && bech32.fromWordsUnsafe(decoded.words)) || undefined
}

/** Kinds of stake addresses: with the hash of a key, or of a script. */
const [ofKey, ofScript] = [14, 15]

const fits = (prefix: string, type: number, body: Uint8Array): boolean => {
  if (prefix === "stake") return (type === ofKey || type === ofScript) && body.length === hashLength
  if (type <= 3) return body.length === 2 * hashLength
  if (type === 6 || type === 7) return body.length === hashLength
  return (type === 4 || type === 5) && isPointer(body.subarray(hashLength))
}

/** Slot, transaction, certificate: three numbers with seven bits per byte; the last byte of each is below 128. */
const isPointer = (rest: Uint8Array): boolean =>
  rest.length > 0 && rest.filter((byte) => byte < 128).length === 3 && (rest.at(-1) ?? 128) < 128

/** The longest existing addresses have 115 characters; the cost of base58 grows with the square of the length. */
const maxByronLength = 200

/**
 * An address of the Byron era: base58 of the CBOR `[24(payload), crc32 of the payload]`, where the payload is
 * `[root, attributes, type]`. It has one spelling only.
 */
const parseByron = (text: string): Either.Either<string, string> => {
  const outer = text.length > maxByronLength ? Option.none() : Option.flatMap(base58Bytes(text), canonical)
  if (Option.isNone(outer) || !isOuter(outer.value)) return Either.left(noAddress)
  const [{ contents: payload }, checksum] = outer.value
  if (crc32(payload) !== checksum) return Either.left("the checksum does not fit (CRC32): a character may be mistyped")
  const inner = canonical(payload)
  if (Option.isNone(inner) || !isPayload(inner.value)) return Either.left(noAddress)
  return inner.value[1].has(networkMagic)
    ? Either.left("this is an address of a test network (its attributes name one)")
    : Either.right(text)
}

const noAddress = "an address starts with addr1 or stake1, or is a Byron address in base58"

const base58Bytes = Option.liftThrowable((text: string) => base58.decode(text))

/** Any form but the shortest would be a second spelling of the same address. */
const canonical = (bytes: Uint8Array) => Cbor.decode(bytes, { rejectStreaming: true, requirePreferred: true })

const isOuter = Schema.is(
  Schema.Tuple(Schema.Struct({ tag: Schema.Literal(24), contents: Schema.Uint8ArrayFromSelf }), Schema.NonNegativeInt)
)

/** The attribute of test network addresses. */
const networkMagic = 2

const isPayload = Schema.is(
  Schema.Tuple(
    Schema.Uint8ArrayFromSelf.pipe(Schema.filter((root) => root.length === 28)),
    Schema.ReadonlyMapFromSelf({ key: Schema.NonNegativeInt, value: Schema.Uint8ArrayFromSelf }).pipe(
      Schema.filter((attributes) => isAscending([...attributes.keys()]))
    ),
    Schema.NonNegativeInt
  )
)

const isAscending = (keys: ReadonlyArray<number>) => keys.every((key, index) => key > (keys[index - 1] ?? -1))
