import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { RawTransaction } from "../../chains/Chain.ts"
import * as PendingMemory from "../../chains/statuses/PendingMemory.ts"
import { distance, greatest, Height, Millis, millis, now, shift } from "../../domain/units.ts"
import * as Permits from "../../kernel/Permits.ts"
import * as Store from "../../storage/Store.ts"

/** How long a sent transaction is pending if no source has it or knows that it is over, ms. */
export const pendingTime = 14 * 24 * 60 * 60 * 1000

/** How long it is stored: after {@link pendingTime} its state is unknown. */
const retention = "28 days"

/** Maximum transactions of an account or an output that are stored, the newest. */
const maxHashes = 50

const Text = Schema.String.pipe(Schema.maxLength(100))

const Record = Schema.Struct({
  /** Whether a node accepted it. If not, none is known to have refused it. */
  accepted: Schema.Boolean,
  /** Decimal digits; absent if the network has no nonces, or its bytes are not read. */
  nonce: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d{1,78}$/))),
  /** Last time at which a block may include it. */
  expiry: Schema.optional(Millis),
  /** Last block that may include it. */
  lastBlock: Schema.optional(Height)
})

/** A transaction that this service has sent. */
export interface Sent extends Schema.Schema.Type<typeof Record> {
  readonly hash: string
  readonly at: Millis
}

const Hashes = Schema.Array(Text).pipe(Schema.maxItems(maxHashes))

/** What an account sent, or which transactions spend an output. */
const keysOf = ({ uses }: RawTransaction): ReadonlyArray<string> =>
  uses === undefined ? [] : "outputs" in uses ? uses.outputs : [uses.account.toLowerCase()]

/** Transactions that this service has sent, or may have sent, by any route. Cannot fail. */
export class SentTransactions extends Context.Tag("features/sending/SentTransactions")<
  SentTransactions,
  {
    /** Stores a transaction before it is sent. Returns the earlier record, which is kept. */
    readonly remember: (network: string, signed: RawTransaction) => Effect.Effect<Sent | undefined>
    /** A node accepted it. */
    readonly accept: (network: string, signed: RawTransaction) => Effect.Effect<void>
    /** It was certainly refused. */
    readonly forget: (network: string, hash: string) => Effect.Effect<void>
    readonly find: (network: string, hashes: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Sent>>
    /** The stored transactions by the account (in lower case) or the output that they use. */
    readonly using: (
      network: string,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Sent>>>
  }
>() {
  static readonly layer = Layer.effect(
    SentTransactions,
    Effect.gen(function* () {
      const records = yield* Store.dated("sent-transactions", 1, Record)
      const index = yield* Store.dated("sent-transactions-by-use", 1, Hashes)
      const notesOf = yield* PendingMemory.open
      const lock = Permits.make(1)
      const keyOf = (network: string) => (key: string) => `${network}:${key}`

      const find = (network: string, hashes: ReadonlyArray<string>) =>
        Effect.map(records.getMany(hashes.map(keyOf(network))), (found) => {
          const prefix = keyOf(network)("")
          return new Map(
            [...found].map(([key, { at, value }]) => {
              const hash = key.slice(prefix.length)
              return [hash, { ...value, hash, at: millis(at) }] as const
            })
          )
        })

      const write = (
        network: string,
        { hash = "", lastBlock, lifetime, uses, ...signed }: RawTransaction,
        accepted: boolean
      ) =>
        Effect.flatMap(now, (at) => {
          const expiry = signed.expiry ?? (lifetime === undefined ? undefined : shift(at, lifetime))
          const value = {
            accepted,
            ...(uses === undefined || "outputs" in uses ? {} : { nonce: String(uses.nonce) }),
            ...(expiry === undefined ? {} : { expiry }),
            ...(lastBlock === undefined ? {} : { lastBlock })
          }
          return records.setMany(new Map([[keyOf(network)(hash), { at: Number(at), value }]]), retention)
        })

      const addToIndex = (network: string, signed: RawTransaction) =>
        lock.withPermit(
          Effect.gen(function* () {
            const keys = keysOf(signed).map(keyOf(network))
            const earlier = yield* index.getMany(keys)
            const at = Number(yield* now)
            const entries = keys.map((key) => {
              const hashes = [...new Set([...(earlier.get(key)?.value ?? []), signed.hash ?? ""])]
              return [key, { at, value: hashes.slice(-maxHashes) }] as const
            })
            yield* index.setMany(new Map(entries), retention)
          })
        )

      return {
        find,
        remember: (network, signed) =>
          Effect.gen(function* () {
            const { hash, notes } = signed
            if (hash === undefined) return undefined
            const earlier = (yield* find(network, [hash])).get(hash)
            if (earlier !== undefined) return earlier
            yield* write(network, signed, false)
            yield* addToIndex(network, signed)
            if (notes !== undefined) yield* notesOf(network).write(new Map([[hash, notes(yield* now)]]))
            return undefined
          }),
        accept: (network, signed) => (signed.hash === undefined ? Effect.void : write(network, signed, true)),
        forget: (network, hash) =>
          Effect.zipRight(records.remove([keyOf(network)(hash)]), notesOf(network).remove([hash])),
        using: (network, keys) =>
          Effect.gen(function* () {
            const prefix = keyOf(network)("")
            const found = yield* index.getMany(keys.map(keyOf(network)))
            const sent = yield* find(network, [...new Set([...found.values()].flatMap(({ value }) => value))])
            return new Map(
              [...found].map(([key, { value }]) => [
                key.slice(prefix.length),
                value.flatMap((hash) => sent.get(hash) ?? [])
              ])
            )
          })
      }
    })
  )
}

/**
 * Whether a transaction that no source has is pending. An expiry alone does not end that: blocks that are not final may be
 * replaced, and a network that has stopped continues later. The sources return when it is `expired`.
 */
export const isPending = ({ at, expiry = at }: Sent, clock: Millis): boolean =>
  clock <= shift(greatest(at, expiry), pendingTime)

/** Whether a transaction may use up its nonce or outputs. If it is included later nevertheless, only one of two can be. */
export const isOpen = ({ at, expiry }: Sent, clock: Millis): boolean =>
  expiry === undefined ? distance(at, clock) <= pendingTime : clock <= shift(expiry, expiryTolerance)

/** Blocks may be later than their time, and sources later than blocks, ms. */
const expiryTolerance = 10 * 60_000
