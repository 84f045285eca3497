import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import type { NodeResponse, RawTransaction, ReadFailure, Statuses } from "../../src/chains/Chain.ts"
import { decide, type Find, statusOf, uncertain } from "../../src/chains/kit/sending/outcomes.ts"
import type { TransactionState } from "../../src/domain/Transaction.ts"

/** A transaction of the Bitcoin family, before serialization. */
export interface UnserializedTransaction {
  readonly version: number
  readonly inputs: ReadonlyArray<{
    /** In display (reversed) byte order. */
    readonly hash: string
    readonly index: number
    readonly script: Buffer
    readonly sequence: number
    readonly witness: ReadonlyArray<Buffer>
  }>
  readonly outputs: ReadonlyArray<{ readonly amount: bigint; readonly script: Buffer }>
  readonly lockTime: number
}

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const int64 = (value: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(value)
  return bytes
}

const compact = (value: number) => {
  if (value < 0xfd) return Buffer.of(value)
  const long = value > 0xffff
  const bytes = Buffer.alloc(long ? 5 : 3)
  bytes[0] = long ? 0xfe : 0xfd
  if (long) bytes.writeUInt32LE(value, 1)
  else bytes.writeUInt16LE(value, 1)
  return bytes
}

const sized = (bytes: Buffer) => Buffer.concat([compact(bytes.length), bytes])

const listed = (parts: ReadonlyArray<Buffer>) => Buffer.concat([compact(parts.length), ...parts])

const body = ({ inputs, outputs }: UnserializedTransaction) =>
  Buffer.concat([
    listed(
      inputs.map(({ hash, index, script, sequence }) =>
        Buffer.concat([Buffer.from(hash, "hex").reverse(), uint32(index), sized(script), uint32(sequence)])
      )
    ),
    listed(outputs.map(({ amount, script }) => Buffer.concat([int64(amount), sized(script)])))
  ])

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest()

/** The transaction id: the hash without witnesses and extensions. */
export const hashOf = (made: UnserializedTransaction) =>
  Buffer.from(sha256(sha256(Buffer.concat([uint32(made.version), body(made), uint32(made.lockTime)]))))
    .reverse()
    .toString("hex")

export const serialize = (made: UnserializedTransaction, extension?: Buffer) => {
  const isWitness = made.inputs.some(({ witness }) => witness.length > 0)
  const flags = (isWitness ? 1 : 0) | (extension === undefined ? 0 : 8)
  return Buffer.concat([
    uint32(made.version),
    flags === 0 ? Buffer.alloc(0) : Buffer.of(0, flags),
    body(made),
    ...(isWitness ? made.inputs.map(({ witness }) => listed(witness.map(sized))) : []),
    extension ?? Buffer.alloc(0),
    uint32(made.lockTime)
  ]).toString("hex")
}

const bytes = (maxLength: number) =>
  FastCheck.uint8Array({ minLength: 0, maxLength, size: "max" }).map((uint8Array) => Buffer.from(uint8Array))

const number = FastCheck.integer({ min: 0, max: 0xffffffff })

const made = (witness: FastCheck.Arbitrary<ReadonlyArray<Buffer>>): FastCheck.Arbitrary<UnserializedTransaction> =>
  FastCheck.record({
    version: number,
    inputs: FastCheck.array(
      FastCheck.record({
        hash: FastCheck.uint8Array({ minLength: 32, maxLength: 32 }).map((uint8Array) =>
          Buffer.from(uint8Array).toString("hex")
        ),
        index: number,
        script: bytes(300),
        sequence: number,
        witness
      }),
      { minLength: 1, maxLength: 5 }
    ),
    outputs: FastCheck.array(
      FastCheck.record({ amount: FastCheck.bigInt({ min: 0n, max: 100_000_000n }), script: bytes(300) }),
      { minLength: 1, maxLength: 300, size: "-1" }
    ),
    lockTime: number
  })

/** Transactions without witnesses, which every network accepts. */
export const plain = made(FastCheck.constant([]))

/** Transactions with or without witnesses. */
export const any = made(FastCheck.array(bytes(80), { maxLength: 3 }))

/** A transaction that every network accepts, with an output script of this length. */
export const sample = (scriptLength = 25): UnserializedTransaction => ({
  version: 2,
  inputs: [{ hash: "ab".repeat(32), index: 1, script: Buffer.alloc(107, 7), sequence: 0xfffffffd, witness: [] }],
  outputs: [{ amount: 12_345n, script: Buffer.alloc(scriptLength, 0x6a) }],
  lockTime: 0
})

/** The state of a transaction by these statuses. */
export const foundIn = (statuses: Statuses | undefined, hash: string | undefined): Find | undefined =>
  statuses && hash !== undefined ? Effect.map(statusOf(statuses, hash), ({ status }) => status) : undefined

/** The response to a transaction as clients of raw transactions get it; it is looked up if the statuses are given. */
export const responseTo = (signed: RawTransaction, statuses?: Statuses): Effect.Effect<NodeResponse, ReadFailure> =>
  decide(signed, foundIn(statuses, signed.hash)).pipe(
    Effect.mapError(uncertain(signed.hash)),
    Effect.flatMap(({ response }) =>
      response === undefined ? Effect.dieMessage("no response") : Effect.succeed(response)
    )
  )

/** Statuses that return this for every transaction, or fail with it. */
export const statusesWith = (status: TransactionState | ReadFailure): Statuses => ({
  hash: Either.right,
  read: (hashes) =>
    Effect.succeed(hashes.map(() => (typeof status === "string" ? Either.right({ status }) : Either.left(status))))
})

export const noStatus: ReadFailure = { reason: "timeout", message: "timed out" }
