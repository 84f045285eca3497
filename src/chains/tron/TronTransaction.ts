import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Millis, millis } from "../../domain/units.ts"
import { hexProblem } from "../kit/sending/nodeResponse.ts"

// The wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding), without a schema.

/** A field of a message: a number, or bytes. */
export interface ProtobufField {
  readonly number: number
  /** The wire type: 0 for a number, 2 for bytes of any length, 1 and 5 for eight and four bytes. */
  readonly kind: number
  readonly value: bigint | Uint8Array
}

/** Decodes a number of up to 64 bits, in groups of seven bits, the lowest first. */
const varint = (bytes: Uint8Array, start: number): readonly [value: bigint, end: number] | undefined => {
  let value = 0n
  for (let at = start; at < bytes.length && at < start + 10; at++) {
    const byte = bytes[at] ?? 0
    value |= BigInt(byte & 127) << BigInt(7 * (at - start))
    if (byte < 128) return value >> 64n === 0n ? [value, at + 1] : undefined
  }
  return undefined
}

/** Maximum fields of a message; real transactions have far fewer. */
const maxFields = 10_000

/** The fields of a message, in order; none if the bytes are not a message. */
export const fieldsOf = (bytes: Uint8Array): Option.Option<ReadonlyArray<ProtobufField>> => {
  const fields: Array<ProtobufField> = []
  let at = 0
  while (at < bytes.length) {
    const tag = varint(bytes, at)
    if (tag === undefined || tag[0] < 8n || tag[0] >> 32n !== 0n || fields.length === maxFields) return Option.none()
    const [kind, number] = [Number(tag[0] & 7n), Number(tag[0] >> 3n)]
    const fixed = kind === 1 ? 8 : kind === 5 ? 4 : undefined
    const read = kind === 0 || kind === 2 ? varint(bytes, tag[1]) : undefined
    if (fixed === undefined && read === undefined) return Option.none()
    const [start, length] = read === undefined ? [tag[1], fixed ?? 0] : [read[1], kind === 2 ? Number(read[0]) : 0]
    at = start + length
    if (at > bytes.length) return Option.none()
    fields.push({ number, kind, value: kind === 0 && read !== undefined ? read[0] : bytes.subarray(start, at) })
  }
  return Option.some(fields)
}

/** The bytes of each field with this number. */
export const bytesOf = (fields: ReadonlyArray<ProtobufField>, number: number): ReadonlyArray<Uint8Array> =>
  fields.flatMap((field) =>
    field.number === number && field.kind === 2 && typeof field.value === "object" ? [field.value] : []
  )

/** The number in the last field with this number; zero, the default of the format, if the field is absent. */
export const numberOf = (fields: ReadonlyArray<ProtobufField>, number: number): bigint => {
  const last = fields.findLast((field) => field.number === number)?.value
  return typeof last === "bigint" ? last : 0n
}

/** The wire types of the fields of a message, by their numbers. */
type Kinds = Readonly<Record<number, 0 | 2>>

/** The first number that is negative for nodes, which read 64 bits with a sign. */
const negative = 2n ** 63n

/**
 * Whether a message has each known field once, in its own wire type: nodes skip a field of another type, and keep the
 * last of several. `repeated`: the one that is a list.
 */
const isPlain = (fields: ReadonlyArray<ProtobufField>, kinds: Kinds, repeated?: number): boolean => {
  const known = fields.filter(({ number }) => kinds[number] !== undefined)
  const single = known.filter(({ number }) => number !== repeated)
  return (
    known.every(({ kind, number, value }) => kind === kinds[number] && (kind === 2 || (value as bigint) < negative)) &&
    new Set(single.map(({ number }) => number)).size === single.length
  )
}

// `Transaction` of Tron.proto (github.com/tronprotocol/protocol): the raw data, which is signed, and the signatures.

/** Maximum size; nodes refuse larger transactions (`TRANSACTION_MAX_BYTE_SIZE`). */
const maxBytes = 500 * 1024

/** A transaction that a node could accept. */
export interface TronTransaction {
  /** In hex, lower case. */
  readonly hex: string
  /** SHA-256 of the raw data, in hex. */
  readonly id: string
  readonly raw: Uint8Array
  readonly signatures: ReadonlyArray<Uint8Array>
  readonly refBlockBytes: Uint8Array
  readonly refBlockHash: Uint8Array
  readonly expiration: Millis
  readonly timestamp: Millis
  /** Maximum cost of its energy, sun. */
  readonly feeLimit: bigint
  /** Its memo; empty if it has none. */
  readonly data: Uint8Array
  /** Whether it has fields that nodes of a later version may read. */
  readonly hasUnknownFields: boolean
  /** Its only `Contract`; the parameter is a message whose type depends on the contract type. */
  readonly contract: {
    /** Value of the enumeration `ContractType`. */
    readonly type: number
    readonly typeUrl: string
    readonly parameter: Uint8Array
  }
}

/** Field numbers of `Transaction` and of its raw data. */
const [rawData, signature] = [1, 2]
const [blockBytes, blockHash, expiration, memo, contract, timestamp, feeLimit] = [1, 4, 8, 10, 11, 14, 18]

/** The fields of a transaction, its raw data, its contract, and the parameter of the contract, an `Any`. */
const outerKinds: Kinds = { [rawData]: 2, [signature]: 2 }
const rawKinds: Kinds = { 1: 2, 3: 0, 4: 2, 8: 0, 9: 2, 10: 2, 11: 2, 12: 2, 14: 0, 18: 0 }
const contractKinds: Kinds = { 1: 0, 2: 2, 3: 2, 4: 2, 5: 0 }
const anyKinds: Kinds = { 1: 2, 2: 2 }

/** The fields of the contracts that are read, by type: transfers of coins and of assets, and calls. */
const parameterKinds: Readonly<Record<number, Kinds>> = {
  1: { 1: 2, 2: 2, 3: 0 },
  2: { 1: 2, 2: 2, 3: 2, 4: 0 },
  31: { 1: 2, 2: 2, 3: 0, 4: 2, 5: 0, 6: 0 }
}

const hasOthers = (fields: ReadonlyArray<ProtobufField>, kinds: Kinds) =>
  fields.some(({ number }) => kinds[number] === undefined)

/** r, s and v; longer signatures occur. */
const signatureBytes = 65

const only = (fields: ReadonlyArray<ProtobufField>, number: number) => {
  const found = bytesOf(fields, number)
  return found.length === 1 ? found[0] : undefined
}

const messageIn = (bytes: Uint8Array | undefined) =>
  bytes === undefined ? undefined : Option.getOrUndefined(fieldsOf(bytes))

const contractIn = (raw: ReadonlyArray<ProtobufField>) => {
  const fields = messageIn(only(raw, contract))
  const any = messageIn(fields && only(fields, 2))
  const typeUrl = any && only(any, 1)
  if (fields === undefined || any === undefined || typeUrl === undefined) return undefined
  const type = Number(numberOf(fields, 1))
  const parameter = only(any, 2) ?? new Uint8Array()
  const kinds = parameterKinds[type]
  const values = kinds === undefined ? [] : messageIn(parameter)
  return {
    contract: { type, typeUrl: Buffer.from(typeUrl).toString("utf8"), parameter },
    isPlain:
      isPlain(fields, contractKinds) && isPlain(any, anyKinds) && values !== undefined && isPlain(values, kinds ?? {}),
    hasUnknownFields:
      hasOthers(fields, contractKinds) || hasOthers(any, anyKinds) || hasOthers(values ?? [], kinds ?? {})
  }
}

const ambiguous = "a field of it occurs twice, or has another type, or is negative: nodes would read something else"

/** Parses a signed transaction in hexadecimal digits, with or without `0x`; left is the problem in words. */
export const parse = (text: string): Either.Either<TronTransaction, string> => {
  const hex = text.replace(/^0x/i, "").toLowerCase()
  const problem = hexProblem(hex, maxBytes)
  if (problem !== undefined) return Either.left(problem)
  const fields = messageIn(Buffer.from(hex, "hex"))
  if (fields === undefined) return Either.left("this is not a Protocol Buffers message, or a part of it is missing")
  const bytes = only(fields, rawData)
  const raw = messageIn(bytes)
  if (bytes === undefined || raw === undefined) return Either.left("it has no raw data, the part that is signed")
  const signatures = bytesOf(fields, signature)
  if (signatures.length === 0) return Either.left("it is not signed")
  if (signatures.some(({ length }) => length < signatureBytes))
    return Either.left(`a signature has at least ${signatureBytes} bytes`)
  const read = contractIn(raw)
  if (read === undefined) return Either.left("it has no contract, or more than one")
  const [refBlockBytes, refBlockHash] = [only(raw, blockBytes), only(raw, blockHash)]
  // The authorities are a list, which nodes ignore.
  if (!isPlain(fields, outerKinds, signature) || !isPlain(raw, rawKinds, 9) || !read.isPlain)
    return Either.left(ambiguous)
  if (refBlockBytes?.length !== 2 || refBlockHash?.length !== 8) return Either.left("it has no reference block")
  return Either.right({
    hex,
    id: createHash("sha256").update(bytes).digest("hex"),
    raw: bytes,
    signatures,
    refBlockBytes,
    refBlockHash,
    expiration: millis(Number(numberOf(raw, expiration))),
    timestamp: millis(Number(numberOf(raw, timestamp))),
    feeLimit: numberOf(raw, feeLimit),
    data: only(raw, memo) ?? new Uint8Array(),
    hasUnknownFields: read.hasUnknownFields || hasOthers(raw, rawKinds),
    contract: read.contract
  })
}

/** Parses the id of a transaction into lower case; left is the problem in words. */
export const parseId = (text: string): Either.Either<string, string> =>
  /^(0x)?[0-9a-f]{64}$/i.test(text)
    ? Either.right(text.slice(-64).toLowerCase())
    : Either.left("the id of a transaction is 64 hexadecimal digits")
