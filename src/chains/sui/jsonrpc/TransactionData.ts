import { blake2b } from "@noble/hashes/blake2b"
import { base58, base64 } from "@scure/base"
import * as Either from "effect/Either"
import * as Bcs from "./Bcs.ts"

// Parses TransactionData of sui-types/src/transaction.rs and maps it to the format of the old API.

export interface Reference {
  readonly objectId: string
  readonly version: bigint
  readonly digest: string
}

export type Argument =
  | "GasCoin"
  | { readonly Input: number }
  | { readonly Result: number }
  | { readonly NestedResult: readonly [number, number] }

/** An input: plain bytes, whose type only the commands determine, or any other input as JSON of the old API. */
export type SuiInput = { readonly pure: Uint8Array } | { readonly json: Readonly<Record<string, unknown>> }

interface MoveCall {
  readonly package: string
  readonly module: string
  readonly function: string
  readonly type_arguments?: ReadonlyArray<string>
  readonly arguments?: ReadonlyArray<Argument>
}

export type Command =
  | { readonly MoveCall: MoveCall }
  | { readonly TransferObjects: readonly [ReadonlyArray<Argument>, Argument] }
  | { readonly SplitCoins: readonly [Argument, ReadonlyArray<Argument>] }
  | { readonly MergeCoins: readonly [Argument, ReadonlyArray<Argument>] }
  | { readonly Publish: ReadonlyArray<string> }
  | { readonly MakeMoveVec: readonly [string | null, ReadonlyArray<Argument>] }
  | { readonly Upgrade: readonly [ReadonlyArray<string>, string, Argument] }

export interface TransactionData {
  readonly inputs: ReadonlyArray<SuiInput>
  readonly commands: ReadonlyArray<Command>
  readonly sender: string
  readonly gas: {
    readonly payment: ReadonlyArray<Reference>
    readonly owner: string
    readonly price: bigint
    readonly budget: bigint
  }
}

/** Reads a user's transaction up to its expiration. Throws for other bytes. */
const data = (reader: Bcs.BcsReader): TransactionData => {
  if (Bcs.uleb(reader) !== 0) throw new RangeError("it has an unknown version")
  if (Bcs.uleb(reader) !== 0) throw new RangeError("it is a system transaction")
  const inputs = Bcs.vector(reader, input)
  const commands = Bcs.vector(reader, command)
  const sender = Bcs.address(reader)
  const payment = Bcs.vector(reader, reference)
  const owner = Bcs.address(reader)
  return { inputs, commands, sender, gas: { payment, owner, price: u64(reader), budget: u64(reader) } }
}

const reading = <A>(bytes: Uint8Array, read: (reader: Bcs.BcsReader) => A): Either.Either<A, string> =>
  Either.try({
    try: () => read(Bcs.reader(bytes)),
    catch: (cause) =>
      cause instanceof RangeError && cause.message.startsWith("it ") ? cause.message : "it ends too early"
  })

/** When a transaction can be executed. */
interface Expiration {
  /** The last epoch; undefined if it has none. */
  readonly lastEpoch?: bigint | undefined
  /** Whether it has bounds in time, which nodes do not support yet. */
  readonly hasTimes?: boolean
  /** The digest of the first checkpoint of its chain. */
  readonly chain?: string
}

/** A user's transaction. */
export interface ExpiringTransaction extends TransactionData {
  /** Undefined for an expiration of a later kind. */
  readonly expiration: Expiration | undefined
}

/** Parses a user's transaction; left is an error message, also for a system transaction. */
export const parse = (bytes: Uint8Array): Either.Either<ExpiringTransaction, string> =>
  reading(bytes, (reader) => {
    const parsed = data(reader)
    const expiration = expirations[Bcs.uleb(reader)]?.(reader)
    if (expiration !== undefined && !Bcs.ended(reader)) throw new RangeError("it has bytes after its end")
    return { ...parsed, expiration }
  })

/** Parses {@link signed} data into the bytes of the transaction and its signatures; left is an error message. */
export const parseSigned = (bytes: Uint8Array) =>
  reading(bytes, (reader) => {
    const start = [1, 0, 0, 0]
    if (start.some((byte) => Bcs.small(reader, 1) !== byte)) throw new RangeError("it does not contain one transaction")
    data(reader)
    variant(reader, "an expiration", expirations)
    const transaction = bytes.subarray(start.length, reader.at)
    const signatures = Bcs.vector(reader, Bcs.byteVector)
    if (!Bcs.ended(reader)) throw new RangeError("it has bytes after its end")
    return { transaction, signatures }
  })

const u64 = (reader: Bcs.BcsReader) => Bcs.unsigned(reader, 8)
const u16 = (reader: Bcs.BcsReader) => Bcs.small(reader, 2)

const unknown = (what: string): never => {
  throw new RangeError(`it has ${what} of an unknown kind`)
}

/** Reads an enum variant by its index. */
const variant = <A>(reader: Bcs.BcsReader, what: string, cases: ReadonlyArray<(reader: Bcs.BcsReader) => A>): A =>
  (cases[Bcs.uleb(reader)] ?? (() => unknown(what)))(reader)

const option = <A>(reader: Bcs.BcsReader, value: (reader: Bcs.BcsReader) => A): A | undefined =>
  variant(reader, "an option", [() => undefined, value])

/** `ValidDuring` and the start of `Validity`: first and last epoch, first and last time, chain, and a nonce. */
const validDuring = (reader: Bcs.BcsReader): Expiration => {
  const [, lastEpoch, ...times] = Array.from({ length: 4 }, () => option(reader, u64))
  const chain = Bcs.digest(reader)
  Bcs.small(reader, 4)
  return { lastEpoch, hasTimes: times.some((time) => time !== undefined), chain }
}

const allowedProposers = (reader: Bcs.BcsReader) => [u64(reader), Bcs.vector(reader, (each) => Bcs.small(each, 4))]

/** The kinds of TransactionExpiration. */
const expirations: ReadonlyArray<(reader: Bcs.BcsReader) => Expiration> = [
  () => ({}),
  (reader) => ({ lastEpoch: u64(reader) }),
  validDuring,
  (reader) => {
    const expiration = validDuring(reader)
    option(reader, allowedProposers)
    return expiration
  }
]

const reference = (reader: Bcs.BcsReader): Reference => ({
  objectId: Bcs.address(reader),
  version: u64(reader),
  digest: Bcs.digest(reader)
})

const object = (objectType: string) => (reader: Bcs.BcsReader) => {
  const { version, ...rest } = reference(reader)
  return { type: "object", objectType, ...rest, version: String(version) }
}

const sharedObject = (reader: Bcs.BcsReader) => ({
  type: "object",
  objectType: "sharedObject",
  objectId: Bcs.address(reader),
  initialSharedVersion: String(u64(reader)),
  mutable: Bcs.small(reader, 1) === 1
})

const withdrawal = (reader: Bcs.BcsReader) => ({
  type: "fundsWithdrawal",
  reservation: variant(reader, "a reservation", [() => ({ maxAmountU64: String(u64(reader)) })]),
  typeArg: variant(reader, "a withdrawal", [() => ({ balance: typeTag(reader) })]),
  withdrawFrom: variant(reader, "a source of funds", [() => "sender", () => "sponsor"])
})

const input = (reader: Bcs.BcsReader): SuiInput =>
  variant<SuiInput>(reader, "an input", [
    () => ({ pure: Bcs.byteVector(reader) }),
    () => ({
      json: variant<Readonly<Record<string, unknown>>>(reader, "an object", [
        object("immOrOwnedObject"),
        sharedObject,
        object("receiving")
      ])
    }),
    () => ({ json: withdrawal(reader) })
  ])

const primitives = ["bool", "u8", "u64", "u128", "address", "signer"]
const later = ["u16", "u32", "u256"]

const typeTag = (reader: Bcs.BcsReader): string => {
  const tag = Bcs.uleb(reader)
  if (tag === 6) return `vector<${typeTag(reader)}>`
  if (tag !== 7) return primitives[tag] ?? later[tag - 8] ?? unknown("a type")
  const address = Bcs.address(reader).replace(/^0x0+(?=.)/, "0x")
  const plain = [address, Bcs.string(reader), Bcs.string(reader)].join("::")
  const parameters = Bcs.vector(reader, typeTag)
  return parameters.length === 0 ? plain : `${plain}<${parameters.join(", ")}>`
}

const argument = (reader: Bcs.BcsReader): Argument =>
  variant<Argument>(reader, "an argument", [
    () => "GasCoin",
    () => ({ Input: u16(reader) }),
    () => ({ Result: u16(reader) }),
    () => ({ NestedResult: [u16(reader), u16(reader)] })
  ])

const args = (reader: Bcs.BcsReader) => Bcs.vector(reader, argument)

const moveCall = (reader: Bcs.BcsReader): MoveCall => {
  const called = { package: Bcs.address(reader), module: Bcs.string(reader), function: Bcs.string(reader) }
  const types = Bcs.vector(reader, typeTag)
  const given = args(reader)
  return {
    ...called,
    ...(types.length === 0 ? {} : { type_arguments: types }),
    ...(given.length === 0 ? {} : { arguments: given })
  }
}

/** Skips the modules and returns only their dependencies. */
const dependencies = (reader: Bcs.BcsReader) => {
  Bcs.vector(reader, Bcs.byteVector)
  return Bcs.vector(reader, Bcs.address)
}

const command = (reader: Bcs.BcsReader): Command =>
  variant<Command>(reader, "a command", [
    () => ({ MoveCall: moveCall(reader) }),
    () => ({ TransferObjects: [args(reader), argument(reader)] }),
    () => ({ SplitCoins: [argument(reader), args(reader)] }),
    () => ({ MergeCoins: [argument(reader), args(reader)] }),
    () => ({ Publish: dependencies(reader) }),
    () => ({ MakeMoveVec: [Bcs.uleb(reader) === 0 ? null : typeTag(reader), args(reader)] }),
    () => ({ Upgrade: [dependencies(reader), Bcs.address(reader), argument(reader)] })
  ])

/** The types of plain inputs, by input index, as far as the commands determine them. */
const typesOf = (commands: ReadonlyArray<Command>): ReadonlyMap<number, "u64" | "address"> => {
  const types = new Map<number, "u64" | "address">()
  const note = (type: "u64" | "address") => (given: Argument) => {
    if (typeof given === "object" && "Input" in given) types.set(given.Input, type)
  }
  for (const used of commands) {
    if ("SplitCoins" in used) used.SplitCoins[1].forEach(note("u64"))
    if ("TransferObjects" in used) note("address")(used.TransferObjects[1])
  }
  return types
}

/** A u64: the amount of a split coin. Undefined if the bytes have another length. */
export const amount = (bytes: Uint8Array): bigint | undefined =>
  bytes.length === 8 ? u64(Bcs.reader(bytes)) : undefined

export const recipient = (bytes: Uint8Array): string | undefined =>
  bytes.length === 32 ? Bcs.address(Bcs.reader(bytes)) : undefined

/** Bytes of unknown type are returned as bytes, as nodes did. */
const plain = (bytes: Uint8Array, type: "u64" | "address" | undefined) => {
  const value = type === "u64" ? amount(bytes) : type === "address" ? recipient(bytes) : undefined
  return value === undefined
    ? { type: "pure", valueType: null, value: Array.from(bytes) }
    : { type: "pure", valueType: type, value: String(value) }
}

/** Maps to the format of the old API, where versions are numbers in gas payments and strings in inputs. */
export const toJson = ({ commands, gas, inputs, sender }: TransactionData) => {
  const types = typesOf(commands)
  return {
    messageVersion: "v1",
    transaction: {
      kind: "ProgrammableTransaction",
      inputs: inputs.map((input, index) => ("pure" in input ? plain(input.pure, types.get(index)) : input.json)),
      transactions: commands
    },
    sender,
    gasData: {
      payment: gas.payment.map(({ version, ...rest }) => ({ ...rest, version: Number(version) })),
      owner: gas.owner,
      price: String(gas.price),
      budget: String(gas.budget)
    }
  }
}

/** The digest of a transaction (sui-types, TransactionData::digest). */
export const digestOf = (transaction: Uint8Array) =>
  base58.encode(
    blake2b(Uint8Array.from([...new TextEncoder().encode("TransactionData::"), ...transaction]), { dkLen: 32 })
  )

/** Encodes a transaction and its signatures as SenderSignedData, in base64. */
export const signed = (transaction: Uint8Array, signatures: ReadonlyArray<Uint8Array>): string =>
  base64.encode(
    Uint8Array.from([
      1,
      ...[0, 0, 0],
      ...transaction,
      ...length(signatures.length),
      ...signatures.flatMap((signature) => [...length(signature.length), ...signature])
    ])
  )

const length = (count: number): ReadonlyArray<number> =>
  count < 0x80 ? [count] : [(count & 0x7f) | 0x80, ...length(Math.floor(count / 0x80))]
