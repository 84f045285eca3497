import { ripemd160 } from "@noble/hashes/legacy"
import { sha256 } from "@noble/hashes/sha2"
import { bech32, bech32m, createBase58check } from "@scure/base"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Byte, Coding } from "../../catalogue/utxo/UtxoFacts.ts"
import { type AddressForm, plainAddress } from "../../domain/AddressForm.ts"

const sized = (bytes: Uint8Array) => Buffer.of(bytes.length, ...bytes)

/**
 * The script that pays an address (scriptPubKey): P2PKH, P2SH (BIP-16; with a hash of 32 bytes as on Bitcoin Cash since
 * 2023), or a witness program (BIP-141). An extended key has none: it is paid at one of its addresses.
 */
export const lockingScript = (payee: Exclude<Payee, { readonly kind: "extended" }>): Buffer => {
  switch (payee.kind) {
    case "keyHash":
      return Buffer.of(0x76, 0xa9, ...sized(payee.hash), 0x88, 0xac)
    case "scriptHash":
      return Buffer.of(payee.hash.length === 32 ? 0xaa : 0xa9, ...sized(payee.hash), 0x87)
    case "witness":
      return Buffer.of(payee.version === 0 ? 0 : 0x50 + payee.version, ...sized(payee.program))
  }
}

/** The script of an output without its tokens, which precede it (github.com/bitjson/cashtokens). */
const withoutTokens = (script: string): string => {
  const [prefix, bits = ""] = /^ef[0-9a-f]{64}([0-9a-f]{2})/.exec(script) ?? []
  if (prefix === undefined) return script
  let rest = script.slice(prefix.length)
  const take = (bytes: number) => {
    const taken = rest.slice(0, 2 * bytes)
    rest = rest.slice(2 * bytes)
    return Buffer.from(taken, "hex")
  }
  /** A number in compact size: the first byte, or the two, four or eight bytes after it. */
  const count = (): number => {
    const [first = 0] = take(1)
    return first < 0xfd
      ? first
      : Number(
          `0x${
            take(2 ** (first - 0xfc))
              .reverse()
              .toString("hex") || "f".repeat(8)
          }`
        )
  }
  if (Number(`0x${bits}`) & 0x40) take(count())
  if (Number(`0x${bits}`) & 0x10) count()
  return rest
}

const scripts =
  /^(?:76a914(?<keyHash>[0-9a-f]{40})88ac|(?:a914(?<short>[0-9a-f]{40})|aa20(?<long>[0-9a-f]{64}))87|(?<version>00|5[1-9a-f]|60)(?<size>[0-9a-f]{2})(?<program>(?:[0-9a-f]{2}){2,40}))$/

/** The address that a script in hexadecimal digits pays, also beside tokens; undefined if it has none. */
export const addressOf = (coding: Coding, script: string): string | undefined => {
  const found = scripts.exec(coding.cashaddr === undefined ? script : withoutTokens(script))?.groups
  if (found === undefined) return undefined
  const { keyHash, long, program, short = long, size, version = "00" } = found
  const hash = keyHash ?? short
  if (hash !== undefined)
    return encode(coding, { kind: keyHash === undefined ? "scriptHash" : "keyHash", hash: Buffer.from(hash, "hex") })
  if (program === undefined || coding.hrp === undefined || program.length !== 2 * Number(`0x${size}`)) return undefined
  return encode(coding, {
    kind: "witness",
    version: version === "00" ? 0 : Number(`0x${version}`) - 0x50,
    program: Buffer.from(program, "hex")
  })
}

/** The address of the key that spends an output to its hash: the script of the input is a signature and the key. */
export const addressOfSpender = (coding: Coding, script: string): string | undefined => {
  const [, length = "", rest = ""] = /^([0-9a-f]{2})([0-9a-f]+)$/.exec(script) ?? []
  const [key = ""] = /^21(?=0[23])[0-9a-f]{66}$/.exec(rest.slice(2 * Number(`0x${length}`))) ?? []
  return key === ""
    ? undefined
    : encode(coding, { kind: "keyHash", hash: ripemd160(sha256(Buffer.from(key.slice(2), "hex"))) })
}

/** An address in any spelling, and a script in hexadecimal digits, as an indexer states them. */
interface StatedAddress {
  readonly address: string | null | undefined
  readonly script: string | null | undefined
}

/** Whether the address is not that of the script beside it; false if either is unknown. */
export const contradictsScript =
  (facts: AddressFacts) =>
  ({ address, script }: StatedAddress): boolean => {
    if (!address || !script) return false
    const paid = addressOf(facts.coding, script)
    return (
      paid !== undefined &&
      paid !== address &&
      Option.exists(Either.getRight(parse(facts)(address)), (stated) => stated !== paid)
    )
  }

/** The end of the script of an input whose hash is an address: a key after a signature, or a witness program. */
const hashedIn = (script: string): string | undefined => {
  const [, keyProgram, scriptProgram] = /^(?:16(0014[0-9a-f]{40})|22(0020[0-9a-f]{64}))$/.exec(script) ?? []
  const [, length = "", rest = ""] = /^([0-9a-f]{2})([0-9a-f]+)$/.exec(script) ?? []
  const [, short, long] =
    /^(?:21(0[23][0-9a-f]{64})|41(04[0-9a-f]{128}))$/.exec(rest.slice(2 * Number(`0x${length}`))) ?? []
  return keyProgram ?? scriptProgram ?? short ?? long
}

/** Whether the script of an input ends with a key, or a witness program, of which the address is not the hash. */
export const contradictsSpender =
  (facts: AddressFacts) =>
  ({ address, script }: StatedAddress): boolean => {
    const hashed = address && script ? hashedIn(script) : undefined
    if (!address || hashed === undefined) return false
    return Option.exists(
      Either.getRight(decode(facts, address)),
      (payee) =>
        payee.kind === "witness" ||
        (payee.kind !== "extended" &&
          payee.hash.length === 20 &&
          !Buffer.from(payee.hash).equals(ripemd160(sha256(Buffer.from(hashed, "hex")))))
    )
  }

// CashAddr (github.com/bitcoincashorg/bitcoincash.org/blob/master/spec/cashaddr.md).

export interface CashAddr {
  /** Identifies the network, in lower case. */
  readonly prefix: string
  /** 0: hash of a key, 1: hash of a script; 2 and 3: those of wallets that support tokens. */
  readonly type: number
  readonly hash: Uint8Array
}

const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
/** The upper and lower twenty bits of each generator. */
const generators = [
  [0x98f2b, 0xc8e61],
  [0x79b76, 0xd99e2],
  [0xf33e5, 0xfb3c4],
  [0xae2ea, 0xbe2a8],
  [0x1e4f4, 0x3e470]
] as const
const checksumLength = 8

/** The length of a hash in bytes, by the three size bits of the version byte. */
const sizes = [20, 24, 28, 32, 40, 48, 56, 64]

/** Longer than the longest hash with the prefix of any network. */
const longestCashAddr = 180

/** BCH code over five-bit values: its forty bits as eight such values; all are zero if the checksum is correct. */
const polymod = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  let [high, low] = [0, 1]
  for (const value of values) {
    const top = high >> 15
    high = ((high & 0x7fff) << 5) | (low >> 15)
    low = ((low & 0x7fff) << 5) ^ value
    for (let bit = 0; bit < generators.length; bit++) {
      if (((top >> bit) & 1) === 0) continue
      high ^= generators[bit]?.[0] ?? 0
      low ^= generators[bit]?.[1] ?? 0
    }
  }
  low ^= 1
  return [high, low].flatMap((half) => [half >> 15, (half >> 10) & 31, (half >> 5) & 31, half & 31])
}

const expanded = (prefix: string) => [...Array.from(prefix, (letter) => letter.charCodeAt(0) & 31), 0]

/** Whether the text has this prefix, or the characters and length of an address with any prefix or none. */
export const resemblesCashAddr = (text: string, prefix: string): boolean => {
  const lower = text.toLowerCase()
  return lower.startsWith(`${prefix}:`) || /^([a-z]+:)?[qpzr][02-9ac-hj-np-z]{41,}$/.test(lower)
}

/** Decodes an address; `prefix` applies if the text has none. Left is the problem. */
export const decodeCashAddr = (text: string, prefix: string): Either.Either<CashAddr, string> => {
  const lower = text.toLowerCase()
  if (text !== lower && text !== text.toUpperCase()) return Either.left("it mixes upper and lower case")
  if (text.length > longestCashAddr) return Either.left("it is too long")
  const colon = lower.indexOf(":")
  const network = colon === -1 ? prefix : lower.slice(0, colon)
  const values = Array.from(lower.slice(colon + 1), (letter) => alphabet.indexOf(letter))
  if (network === "" || values.length <= checksumLength || values.includes(-1))
    return Either.left("it has an invalid character")
  if (polymod([...expanded(network), ...values]).some((part) => part !== 0)) return Either.left(wrongChecksum)
  const payload = bech32.fromWordsUnsafe(values.slice(0, -checksumLength))
  const version = payload ? payload[0] : undefined
  if (!payload || version === undefined || version > 127 || payload.length - 1 !== sizes[version & 7])
    return Either.left("its length is wrong")
  return Either.right({ prefix: network, type: version >> 3, hash: payload.slice(1) })
}

/** The hash must have a valid length. */
export const encodeCashAddr = ({ hash, prefix, type }: CashAddr): string => {
  const values = bech32.toWords(Uint8Array.of((type << 3) | sizes.indexOf(hash.length), ...hash))
  const checksum = polymod([...expanded(prefix), ...values, ...Array.from({ length: checksumLength }, () => 0)])
  const letters = [...values, ...checksum]
  return `${prefix}:${letters.map((value) => alphabet.charAt(value)).join("")}`
}

export const wrongChecksum = "its checksum is wrong: a character may be mistyped or missing"

// BIP-173 (bech32, witness version 0) and BIP-350 (bech32m, all later versions).

interface Witness {
  /** The human-readable part, which identifies the network. */
  readonly hrp: string
  readonly version: number
  readonly program: Uint8Array
}

/** Decodes a witness address; left is the problem, or undefined if the text is not bech32. */
const decodeWitness = (text: string): Either.Either<Witness, string | undefined> => {
  const old = bech32.decodeUnsafe(text)
  const decoded = old ?? bech32m.decodeUnsafe(text)
  if (decoded === undefined) return Either.left(undefined)
  const [version, ...words] = decoded.words
  const program = bech32.fromWordsUnsafe(words)
  if (version === undefined || version > 16 || !program) return Either.left("it is not a witness address")
  if ((version === 0) !== (old !== undefined))
    return Either.left(
      version === 0
        ? "version 0 requires the checksum of BIP-173, but it has that of BIP-350"
        : `version ${version} requires the checksum of BIP-350, but it has that of BIP-173`
    )
  const fits = version === 0 ? program.length === 20 || program.length === 32 : within(program.length, 2, 40)
  return fits ? Either.right({ hrp: decoded.prefix, version, program }) : Either.left("its length is wrong")
}

const encodeWitness = ({ hrp, program, version }: Witness): string =>
  (version === 0 ? bech32 : bech32m).encode(hrp, [version, ...bech32.toWords(program)])

const within = (value: number, min: number, max: number) => value >= min && value <= max

const base58check = createBase58check(sha256)

/** Longer than any address or key; the time to decode it grows with the square of the length. */
const longestBase58 = 120

/** Decodes base58check; none if the checksum of four bytes is wrong. */
export const decodeBase58: (text: string) => Option.Option<Uint8Array> = Option.liftThrowable((text: string) =>
  base58check.decode(text.length > longestBase58 ? "" : text)
)

export const encodeBase58 = (bytes: Uint8Array): string => base58check.encode(bytes)

/** Whether all characters belong to the base58 alphabet. */
export const isAlphabet = (text: string): boolean => /^[1-9A-HJ-NP-Za-km-z]+$/.test(text)

/** The payee of an address, independent of its spelling. */
export type Payee =
  | { readonly kind: "keyHash" | "scriptHash"; readonly hash: Uint8Array }
  | { readonly kind: "witness"; readonly version: number; readonly program: Uint8Array }
  /** All addresses derived from a key: BIP-32. */
  | { readonly kind: "extended"; readonly key: string }

export interface AddressFacts {
  /** The display name. */
  readonly name: string
  readonly coding: Coding
}

/** The canonical form of an address or an extended public key, equal for all its spellings; left is the problem. */
export const parse =
  (facts: AddressFacts) =>
  (text: string): Either.Either<string, string> =>
    Either.map(decode(facts, text), (payee) => encode(facts.coding, payee))

/** The form of a text that {@link parse} accepts. */
export const formOf =
  (facts: AddressFacts) =>
  (text: string): AddressForm =>
    Option.exists(Either.getRight(decode(facts, text)), ({ kind }) => kind === "extended")
      ? { kind: "xpub", note: "An extended public key: it stands for all addresses that are derived from it." }
      : plainAddress

/** Decodes the payee of a text, and verifies all checksums. */
export const decode = (facts: AddressFacts, text: string): Either.Either<Payee, string> => {
  const { coding, name } = facts
  if (coding.cashaddr !== undefined && resemblesCashAddr(text, coding.cashaddr))
    return fromCashAddr(facts, coding.cashaddr, text)
  const witness = decodeWitness(text)
  if (Either.isRight(witness)) return fromWitness(facts, witness.right)
  if (witness.left !== undefined) return Either.left(`this is not a valid ${name} address: ${witness.left}`)
  // Checked before the prefixes: a base58 address may start with one by chance, in mixed case (LTC1k…).
  const bytes = decodeBase58(text)
  if (Option.isSome(bytes)) return fromBase58(facts, bytes.value, text)
  const lower = text.toLowerCase()
  if (/^(t|r)?ltcmweb1/.test(lower)) return Either.left("only its owner can see the balance of an MWEB address")
  if (coding.hrp !== undefined && lower.startsWith(`${coding.hrp}1`))
    return Either.left(
      text === lower || text === text.toUpperCase() ? wrongChecksum : "the address mixes upper and lower case"
    )
  return Either.left(text.length > 24 && isAlphabet(text) ? wrongChecksum : `no ${name} address has this format`)
}

/** The canonical form of an address. */
export const encode = (coding: Coding, payee: Payee): string => {
  if (payee.kind === "extended") return payee.key
  if (payee.kind === "witness") return encodeWitness({ hrp: coding.hrp ?? "", ...payee })
  if (coding.cashaddr === undefined) return base58(coding, payee.kind, payee.hash)
  return encodeCashAddr({ prefix: coding.cashaddr, type: payee.kind === "keyHash" ? 0 : 1, hash: payee.hash })
}

/** The base58check form, even if CashAddr is the canonical form. */
export const base58 = (coding: Coding, kind: "keyHash" | "scriptHash", hash: Uint8Array): string =>
  encodeBase58(Uint8Array.of(coding[kind][0], ...hash))

const otherNetwork = ({ name }: AddressFacts) =>
  Either.left(`this is an address of another network or of a test network, not of ${name}`)

const fromWitness = (facts: AddressFacts, { hrp, program, version }: Witness): Either.Either<Payee, string> =>
  hrp === facts.coding.hrp ? Either.right({ kind: "witness", version, program }) : otherNetwork(facts)

const fromCashAddr = (facts: AddressFacts, own: string, text: string): Either.Either<Payee, string> =>
  Either.flatMap(decodeCashAddr(text, own), ({ hash, prefix, type }): Either.Either<Payee, string> => {
    if (prefix !== own) return otherNetwork(facts)
    const kind = type === 0 || type === 2 ? "keyHash" : "scriptHash"
    const fits = hash.length === 20 || (kind === "scriptHash" && hash.length === 32)
    return type <= 3 && fits ? Either.right({ kind, hash }) : Either.left(`no ${facts.name} address has this format`)
  })

const addressBytes = 21
const extendedBytes = 78
/** The offset of the key in an extended key: 0 precedes a private key, a public key starts with 2 or 3. */
const keyAt = 45

const fromBase58 = (facts: AddressFacts, bytes: Uint8Array, text: string): Either.Either<Payee, string> => {
  const version = (bytes[0] ?? 0) as Byte
  const { coding, name } = facts
  if (bytes.length === addressBytes) {
    const hash = bytes.slice(1)
    if (coding.keyHash.includes(version)) return Either.right({ kind: "keyHash", hash })
    return coding.scriptHash.includes(version) ? Either.right({ kind: "scriptHash", hash }) : otherNetwork(facts)
  }
  if (bytes.length === extendedBytes) {
    const first = bytes[keyAt]
    if (first === 0) return Either.left(secret)
    const magic = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
    const known = (first === 2 || first === 3) && Object.values(coding.extended).includes(magic)
    const allowed = Object.keys(coding.extended).join(", ")
    return known
      ? Either.right({ kind: "extended", key: text })
      : Either.left(`this is not an extended public key of ${name}: those start with ${allowed}`)
  }
  // Wallet import format: a key of 32 bytes, and a flag byte if its public key is compressed.
  return version >= 0x80 && (bytes.length === 33 || bytes.length === 34)
    ? Either.left(secret)
    : Either.left(`no ${name} address has this length`)
}

const secret = "this is a private key: anybody who has it can spend its coins. It was not sent anywhere"

/** How an address is written in a request. */
export type Spelling = (facts: AddressFacts, address: string) => string

/**
 * The base58check form of an address with a hash of 20 bytes; other addresses are unchanged: indexers that only
 * understand base58check do not support script hashes of 32 bytes.
 */
export const toBase58 = (facts: AddressFacts, address: string): string =>
  Either.match(decode(facts, address), {
    onLeft: () => address,
    onRight: (payee) =>
      (payee.kind === "keyHash" || payee.kind === "scriptHash") && payee.hash.length === 20
        ? base58(facts.coding, payee.kind, payee.hash)
        : address
  })
