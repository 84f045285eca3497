import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Byte, Coding } from "../../catalogue/utxo/UtxoFacts.ts"
import { type AddressForm, plainAddress } from "../../domain/AddressForm.ts"
import * as Base58 from "./Base58.ts"
import * as CashAddr from "./CashAddr.ts"
import * as Segwit from "./Segwit.ts"

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
  if (coding.cashaddr !== undefined && CashAddr.resembles(text, coding.cashaddr))
    return fromCashAddr(facts, coding.cashaddr, text)
  const witness = Segwit.decode(text)
  if (Either.isRight(witness)) return fromWitness(facts, witness.right)
  if (witness.left !== undefined) return Either.left(`this is not a valid ${name} address: ${witness.left}`)
  // Checked before the prefixes: a base58 address may start with one by chance, in mixed case (LTC1k…).
  const bytes = Base58.decode(text)
  if (Option.isSome(bytes)) return fromBase58(facts, bytes.value, text)
  const lower = text.toLowerCase()
  if (/^(t|r)?ltcmweb1/.test(lower)) return Either.left("only its owner can see the balance of an MWEB address")
  if (coding.hrp !== undefined && lower.startsWith(`${coding.hrp}1`))
    return Either.left(
      text === lower || text === text.toUpperCase() ? CashAddr.wrongChecksum : "the address mixes upper and lower case"
    )
  return Either.left(
    text.length > 24 && Base58.isAlphabet(text) ? CashAddr.wrongChecksum : `no ${name} address has this format`
  )
}

/** The canonical form of an address. */
export const encode = (coding: Coding, payee: Payee): string => {
  if (payee.kind === "extended") return payee.key
  if (payee.kind === "witness") return Segwit.encode({ hrp: coding.hrp ?? "", ...payee })
  if (coding.cashaddr === undefined) return base58(coding, payee.kind, payee.hash)
  return CashAddr.encode({ prefix: coding.cashaddr, type: payee.kind === "keyHash" ? 0 : 1, hash: payee.hash })
}

/** The base58check form, even if CashAddr is the canonical form. */
export const base58 = (coding: Coding, kind: "keyHash" | "scriptHash", hash: Uint8Array): string =>
  Base58.encode(Uint8Array.of(coding[kind][0], ...hash))

const otherNetwork = ({ name }: AddressFacts) =>
  Either.left(`this is an address of another network or of a test network, not of ${name}`)

const fromWitness = (facts: AddressFacts, { hrp, program, version }: Segwit.Witness): Either.Either<Payee, string> =>
  hrp === facts.coding.hrp ? Either.right({ kind: "witness", version, program }) : otherNetwork(facts)

const fromCashAddr = (facts: AddressFacts, own: string, text: string): Either.Either<Payee, string> =>
  Either.flatMap(CashAddr.decode(text, own), ({ hash, prefix, type }): Either.Either<Payee, string> => {
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
