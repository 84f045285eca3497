import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { hexProblem } from "../nodeResponse.ts"
import { bytesOf, fieldsOf, numberOf, type ProtobufField } from "./protobuf.ts"

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
  /** UNIX time in ms, as is `timestamp`. */
  readonly expiration: number
  readonly timestamp: number
  /** Maximum cost of its energy, sun. */
  readonly feeLimit: bigint
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
const [blockBytes, blockHash, expiration, contract, timestamp, feeLimit] = [1, 4, 8, 11, 14, 18]

/** r, s and v; longer signatures occur. */
const signatureBytes = 65

const only = (fields: ReadonlyArray<ProtobufField>, number: number) => {
  const found = bytesOf(fields, number)
  return found.length === 1 ? found[0] : undefined
}

const messageIn = (bytes: Uint8Array | undefined) =>
  bytes === undefined ? undefined : Option.getOrUndefined(fieldsOf(bytes))

const contractIn = (raw: ReadonlyArray<ProtobufField>): TronTransaction["contract"] | undefined => {
  const fields = messageIn(only(raw, contract))
  const any = messageIn(fields && only(fields, 2))
  const typeUrl = any && only(any, 1)
  if (fields === undefined || any === undefined || typeUrl === undefined) return undefined
  return {
    type: Number(numberOf(fields, 1)),
    typeUrl: Buffer.from(typeUrl).toString("utf8"),
    parameter: only(any, 2) ?? new Uint8Array()
  }
}

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
  if (refBlockBytes?.length !== 2 || refBlockHash?.length !== 8) return Either.left("it has no reference block")
  return Either.right({
    hex,
    id: createHash("sha256").update(bytes).digest("hex"),
    raw: bytes,
    signatures,
    refBlockBytes,
    refBlockHash,
    expiration: Number(numberOf(raw, expiration)),
    timestamp: Number(numberOf(raw, timestamp)),
    feeLimit: numberOf(raw, feeLimit),
    contract: read
  })
}

/** Parses the id of a transaction into lower case; left is the problem in words. */
export const parseId = (text: string): Either.Either<string, string> =>
  /^(0x)?[0-9a-f]{64}$/i.test(text)
    ? Either.right(text.slice(-64).toLowerCase())
    : Either.left("the id of a transaction is 64 hexadecimal digits")
