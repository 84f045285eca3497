import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { transaction } from "../../chains/solana/providers/agave/transactionCalls.ts"
import * as Ed25519 from "../world/Ed25519.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as SolanaChain from "./SolanaChain.ts"

// The wire format of transactions (solana.com/docs/core/transactions): legacy messages and version 0.

export interface Instruction {
  readonly programIdIndex: number
  readonly accounts: ReadonlyArray<number>
  readonly data: Uint8Array
}

export interface SolanaMessage {
  readonly bytes: Uint8Array
  readonly version: "legacy" | number
  readonly header: {
    readonly numRequiredSignatures: number
    readonly numReadonlySignedAccounts: number
    readonly numReadonlyUnsignedAccounts: number
  }
  readonly keys: ReadonlyArray<string>
  readonly blockhash: string
  readonly instructions: ReadonlyArray<Instruction>
}

export interface SignedTransaction {
  readonly bytes: Uint8Array
  readonly signatures: ReadonlyArray<Uint8Array>
  readonly message: SolanaMessage
}

/** The size limit of a network packet. */
const largest = 1232

const what = "solana_transaction::versioned::VersionedTransaction"

const broken = (detail: string): Refusal => refused(-32602, `failed to deserialize ${what}: ${detail}`)

const ended = "io error: unexpected end of file"

/** Reads sequentially; throws past the end. */
const reader = (bytes: Uint8Array) => {
  let at = 0
  const take = (length: number) => {
    if (at + length > bytes.length) throw new RangeError(ended)
    at += length
    return bytes.subarray(at - length, at)
  }
  const byte = () => take(1)[0] ?? 0
  /** Seven bits per byte, lowest first. */
  const length = (): number => {
    let value = 0
    for (let shift = 0; shift < 21; shift += 7) {
      const next = byte()
      value |= (next & 0x7f) << shift
      if (next < 0x80) break
    }
    return value
  }
  const many = <A>(readNext: () => A) => Array.from({ length: length() }, readNext)
  return { take, byte, length, many, rest: () => bytes.subarray(at), isDone: () => at === bytes.length }
}

const read = (bytes: Uint8Array): SolanaMessage => {
  const from = reader(bytes)
  const isVersioned = (bytes[0] ?? 0) >= 0x80
  if (isVersioned && (from.byte() & 0x7f) !== 0) throw new RangeError("invalid value: the version must be 0")
  const header = {
    numRequiredSignatures: from.byte(),
    numReadonlySignedAccounts: from.byte(),
    numReadonlyUnsignedAccounts: from.byte()
  }
  const keys = from.many(() => base58.encode(from.take(32)))
  const blockhash = base58.encode(from.take(32))
  const instructions = from.many(() => ({
    programIdIndex: from.byte(),
    accounts: [...from.take(from.length())],
    data: Uint8Array.from(from.take(from.length()))
  }))
  if (isVersioned) from.many(() => [from.take(32), from.take(from.length()), from.take(from.length())])
  if (!from.isDone()) throw new RangeError("trailing bytes")
  return { bytes, version: isVersioned ? 0 : "legacy", header, keys, blockhash, instructions }
}

const safely = <A>(body: () => A): Either.Either<A, Refusal> =>
  Either.try({ try: body, catch: (error) => broken(error instanceof Error ? error.message : ended) })

const bytesOf = (text: unknown, encoding: string): Either.Either<Uint8Array, Refusal> => {
  if (encoding !== "base58" && encoding !== "base64")
    return Either.left(refused(-32602, `unsupported encoding: ${encoding}. Supported encodings: base58, base64`))
  const bytes =
    encoding === "base58"
      ? Option.getOrUndefined(SolanaChain.fromBase58(String(text)))
      : /^[A-Za-z0-9+/]*={0,2}$/.test(String(text)) && String(text).length % 4 === 0
        ? Uint8Array.from(Buffer.from(String(text), "base64"))
        : undefined
  if (bytes === undefined) return Either.left(refused(-32602, `invalid ${encoding} encoding: InvalidByte`))
  return bytes.length > largest
    ? Either.left(refused(-32602, `decoded ${what} too large: ${bytes.length} bytes (max: ${largest} bytes)`))
    : Either.right(bytes)
}

export const decodeMessage = (text: unknown): Either.Either<SolanaMessage, Refusal> =>
  Either.flatMap(bytesOf(text, "base64"), (bytes) => safely(() => read(bytes)))

export const decode = (text: unknown, encoding: string): Either.Either<SignedTransaction, Refusal> =>
  Either.flatMap(bytesOf(text, encoding), (bytes) =>
    Either.filterOrLeft(
      safely(() => {
        const from = reader(bytes)
        const signatures = from.many(() => Uint8Array.from(from.take(64)))
        return { bytes, signatures, message: read(from.rest()) }
      }),
      ({ message, signatures }) =>
        signatures.length === message.header.numRequiredSignatures &&
        message.keys.length >= signatures.length &&
        message.instructions.every(({ programIdIndex }) => programIdIndex < message.keys.length),
      () => refused(-32602, "invalid transaction: Transaction failed to sanitize accounts offsets correctly")
    )
  )

/** Whether all required signatures are valid. */
export const isSigned = ({ message, signatures }: SignedTransaction): boolean =>
  signatures.every((signature, index) =>
    Ed25519.isSigned(base58.decode(message.keys[index] ?? ""), message.bytes, signature)
  )

/** The first signature identifies a transaction. */
export const nameOf = ({ signatures }: SignedTransaction): string => base58.encode(signatures[0] ?? new Uint8Array())

export const systemProgram = "11111111111111111111111111111111"
export const tokenProgram = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"

export const numberAt = (data: Uint8Array, at: number, bytes: number): bigint =>
  [...data.subarray(at, at + bytes)].reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n)

/** Decodes transfers: lamports for a new account (0) or a transfer (2) of the system program; a token transfer (3). */
export const transferOf = ({ accounts: [from, to], data }: Instruction, program: string | undefined) => {
  if (from === undefined || to === undefined) return undefined
  if (program === tokenProgram) return data[0] === 3 ? { from, to, amount: numberAt(data, 1, 8) } : undefined
  const kind = data.length < 12 || program !== systemProgram ? -1n : numberAt(data, 0, 4)
  return kind === 0n || kind === 2n ? { from, to, amount: numberAt(data, 4, 8) } : undefined
}

/** Result of a transaction in its block. */
interface Outcome {
  readonly slot: number
  /** UNIX seconds. */
  readonly at: number
  readonly err: unknown
  readonly fee: bigint
  readonly units: number
  readonly logs: ReadonlyArray<string>
  /** Lamports of each account before and after. */
  readonly coins: readonly [ReadonlyArray<bigint>, ReadonlyArray<bigint>]
  readonly tokens: readonly [Shown["meta"]["preTokenBalances"], Shown["meta"]["postTokenBalances"]]
}

/** A transaction as a node shows it to the service. */
export type Shown = NonNullable<typeof transaction.response.Encoded>

/** A transaction in the requested encoding, as `getTransaction` returns it. */
export const row = (
  sent: SignedTransaction,
  encoding: string,
  { at, coins, err, fee, logs, slot, tokens, units }: Outcome
) => ({
  slot,
  blockTime: at,
  version: sent.message.version,
  meta: {
    err,
    status: err === null ? { Ok: null } : { Err: err },
    fee: Number(fee),
    computeUnitsConsumed: units,
    preBalances: coins[0],
    postBalances: coins[1],
    preTokenBalances: tokens[0],
    postTokenBalances: tokens[1],
    innerInstructions: [],
    loadedAddresses: { readonly: [], writable: [] },
    logMessages: logs,
    rewards: []
  },
  transaction: written(sent, encoding)
})

/** The service does not request bytes. */
const written = (transaction: SignedTransaction, encoding: string): Shown["transaction"] => {
  const { bytes } = transaction
  const text = encoding === "base64" ? Buffer.from(bytes).toString("base64") : base58.encode(bytes)
  return encoding === "base64" || encoding === "base58"
    ? ([text, encoding] as unknown as Shown["transaction"])
    : shownAs(transaction, encoding)
}

const shownAs = ({ message, signatures }: SignedTransaction, encoding: string) => {
  const { blockhash, header, instructions, keys } = message
  const { numReadonlySignedAccounts, numReadonlyUnsignedAccounts, numRequiredSignatures } = header
  const parsed = encoding === "jsonParsed"
  const instruction = (compiled: Instruction) => {
    const data = base58.encode(compiled.data)
    if (!parsed) return { ...compiled, data, stackHeight: 1 }
    const programId = keys[compiled.programIdIndex]
    const transfer = transferOf(compiled, programId)
    const accounts = compiled.accounts.map((index) => keys[index])
    if (transfer === undefined || compiled.data[0] === 0) return { programId, accounts, data, stackHeight: 1 }
    const { amount, from, to } = transfer
    const isNative = programId === systemProgram
    const moved = isNative ? { lamports: Number(amount) } : { amount: String(amount) }
    const info = { source: keys[from], destination: keys[to], ...moved }
    return { program: isNative ? "system" : "spl-token", programId, parsed: { type: "transfer", info }, stackHeight: 1 }
  }
  const account = (pubkey: string, index: number) => {
    const signer = index < numRequiredSignatures
    const writable = signer
      ? index < numRequiredSignatures - numReadonlySignedAccounts
      : index < keys.length - numReadonlyUnsignedAccounts
    return { pubkey, signer, writable, source: "transaction" }
  }
  return {
    signatures: signatures.map((signature) => base58.encode(signature)),
    message: {
      ...(parsed ? {} : { header }),
      accountKeys: parsed ? keys.map(account) : keys,
      recentBlockhash: blockhash,
      instructions: instructions.map(instruction)
    }
  }
}
