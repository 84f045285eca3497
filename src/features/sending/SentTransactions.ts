import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { RawTransaction } from "../../chains/Chain.ts"
import * as PendingMemory from "../../chains/kit/status/PendingMemory.ts"
import { distance, greatest, Height, Millis, now, shift } from "../../domain/units.ts"
import * as Lists from "../../storage/Lists.ts"

/** How long a sent transaction is pending if no source has it or knows that it is over, ms. */
export const pendingTime = 14 * 24 * 60 * 60 * 1000

/** How long it is stored: after {@link pendingTime} its state is unknown. */
const retention = "28 days"

const Attempt = Schema.Struct({
  id: Schema.String,
  at: Millis,
  /** Whether a node accepted it. If not, none is known to have refused it. */
  accepted: Schema.Boolean,
  /** Decimal digits; absent if the network has no nonces, or its bytes are not read. */
  nonce: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d{1,78}$/))),
  /** Last time at which a block may include it. */
  expiry: Schema.optional(Millis),
  /** Last block that may include it. */
  lastBlock: Schema.optional(Height)
})

const text = Schema.parseJson(Attempt)
const encode = Schema.encodeSync(text)
const decode = Schema.decodeUnknownOption(text)

/** A transaction that this service has sent. */
export interface Sent extends Omit<typeof Attempt.Type, "id"> {
  readonly hash: string
}

/** An earlier send of a transaction, if any; `unknown` if the store cannot be read. */
export type Earlier = Sent | "unknown" | undefined

/** A send that is stored, unless a node accepted an earlier one. Other sends of the same transaction stay. */
export interface Remembered {
  readonly earlier: Earlier
  /** A node accepted it. */
  readonly accept: Effect.Effect<void>
  /** This send was certainly refused, or did not go out. */
  readonly forget: Effect.Effect<void>
}

const sentOf = (hash: string, texts: ReadonlyArray<string>): Sent | undefined => {
  const attempts = texts.flatMap((each) => Option.toArray(decode(each)))
  const known = attempts.findLast(({ accepted }) => accepted) ?? attempts[0]
  return known && { ...known, hash }
}

const attemptOf = ({ lastBlock, lifetime, uses, ...signed }: RawTransaction, at: Millis): typeof Attempt.Type => {
  const expiry = signed.expiry ?? (lifetime === undefined ? undefined : shift(at, lifetime))
  return {
    id: crypto.randomUUID(),
    at,
    accepted: false,
    ...(uses === undefined || "outputs" in uses ? {} : { nonce: String(uses.nonce) }),
    ...(expiry === undefined ? {} : { expiry }),
    ...(lastBlock === undefined ? {} : { lastBlock })
  }
}

/** What an account sent, or which transactions spend an output. */
const keysOf = ({ uses }: RawTransaction): ReadonlyArray<string> =>
  uses === undefined ? [] : "outputs" in uses ? uses.outputs : [uses.account.toLowerCase()]

const keyOf = (network: string) => (key: string) => `${network}:${key}`

/** Apart, because anyone can send a transaction of another account without its signature, which nodes do not accept. */
const acceptedOf = (key: string) => `${key}:accepted`

const all = (...changes: ReadonlyArray<Effect.Effect<void>>) =>
  Effect.all(changes, { concurrency: "unbounded", discard: true })

const unnamed: Remembered = { earlier: undefined, accept: Effect.void, forget: Effect.void }

/** Transactions that this service has sent, or may have sent, by any route. Cannot fail. */
export class SentTransactions extends Context.Tag("features/sending/SentTransactions")<
  SentTransactions,
  {
    /** Stores a transaction before it is sent, unless a node accepted it earlier. */
    readonly remember: (network: string, signed: RawTransaction) => Effect.Effect<Remembered>
    readonly find: (network: string, hashes: ReadonlyArray<string>) => Effect.Effect<(hash: string) => Earlier>
    /** The stored transactions by the account (in lower case) or the output that they use. */
    readonly using: (
      network: string,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Sent>>>
  }
>() {
  static readonly layer = Layer.scoped(
    SentTransactions,
    Effect.gen(function* () {
      const attempts = yield* Lists.make("sent-transactions", 2, retention)
      const index = yield* Lists.make("sent-transactions-by-use", 2, retention)
      const notesOf = yield* PendingMemory.open

      const find = (network: string, hashes: ReadonlyArray<string>) =>
        Effect.map(attempts.read(hashes.map(keyOf(network))), ({ isComplete, lists }) => {
          const sent = new Map(hashes.map((hash) => [hash, sentOf(hash, lists.get(keyOf(network)(hash)) ?? [])]))
          return (hash: string): Earlier => sent.get(hash) ?? (isComplete ? undefined : "unknown")
        })

      const remember = Effect.fnUntraced(function* (network: string, signed: RawTransaction) {
        const { aliases = [], hash, notes } = signed
        if (hash === undefined) return unnamed
        const hashes = [hash, ...aliases]
        const keys = hashes.map(keyOf(network))
        const key = keyOf(network)(hash)
        const uses = keysOf(signed).map(keyOf(network))
        const { isComplete, lists } = yield* attempts.read([key])
        const earlier = sentOf(hash, lists.get(key) ?? [])
        const attempt = attemptOf(signed, yield* now)
        const own = encode(attempt)
        const entry = `${hash} ${attempt.id}`
        const add = all(
          attempts.change(keys, { add: [own] }),
          index.change(uses, { add: [entry] }),
          notes === undefined || earlier !== undefined
            ? Effect.void
            : notesOf(network).write(new Map(hashes.map((each) => [each, notes(attempt.at)])))
        )
        const remove = all(
          attempts.change(keys, { remove: [own] }),
          index.change(uses, { remove: [entry] }),
          earlier === undefined ? notesOf(network).remove(hashes) : Effect.void
        )
        if (earlier?.accepted !== true) yield* add
        return {
          earlier: earlier ?? (isComplete ? undefined : "unknown"),
          accept: all(
            attempts.change(keys, { add: [encode({ ...attempt, accepted: true })], remove: [own] }),
            index.change(uses.map(acceptedOf), { add: [entry] })
          ),
          forget: earlier?.accepted === true ? Effect.void : remove
        } satisfies Remembered
      })

      return {
        find,
        remember,
        using: (network, keys) =>
          Effect.gen(function* () {
            const usesOf = (key: string) => [keyOf(network)(key), acceptedOf(keyOf(network)(key))]
            const { lists } = yield* index.read(keys.flatMap(usesOf))
            const hashesOf = (key: string) => [
              ...new Set(
                usesOf(key).flatMap((each) => (lists.get(each) ?? []).map((entry) => entry.split(" ")[0] ?? ""))
              )
            ]
            const sent = yield* find(network, [...new Set(keys.flatMap(hashesOf))])
            return new Map(
              keys.map((key) => [
                key,
                hashesOf(key)
                  .map(sent)
                  .filter((each) => typeof each === "object")
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
