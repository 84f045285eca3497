import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Store from "../../../storage/Store.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { ReadFailure, Statuses } from "../../Chain.ts"
import type { FinalityFacts } from "./finality.ts"
import { collectTime, readStatuses, type SourceStatuses, type StatusProvider, stateOf } from "./readStatuses.ts"

/** How long a pending transaction is stored: longer than nodes keep it. */
const retention = "14 days"

/** Maximum texts of an entry. */
const maxTexts = 50

const Texts = Schema.Array(Schema.String.pipe(Schema.maxLength(100))).pipe(Schema.maxItems(maxTexts))

/**
 * What pending transactions of a network use up, such as a nonce or outputs: after nodes have dropped a transaction, it
 * shows whether another transaction replaced it. Cannot fail.
 */
export const open = Effect.map(Store.dated("pending-transactions", 1, Texts), (store) => (network: string) => {
  const prefix = `${network}:`
  return {
    read: (keys: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>> =>
      Effect.map(
        store.getMany(keys.map((key) => `${prefix}${key}`)),
        (found) => new Map([...found].map(([key, { value }]) => [key.slice(prefix.length), value]))
      ),
    write: (entries: ReadonlyMap<string, ReadonlyArray<string>>): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (at) =>
        store.setMany(
          new Map([...entries].map(([key, value]) => [`${prefix}${key}`, { at, value: value.slice(-maxTexts) }])),
          retention
        )
      ),
    remove: (keys: ReadonlyArray<string>): Effect.Effect<void> => store.remove(keys.map((key) => `${prefix}${key}`))
  }
})

/** The memory of one network. */
export const make = (network: string) => Effect.map(open, (of) => of(network))

export type PendingMemory = Effect.Effect.Success<ReturnType<typeof make>>

/** Facts about transactions, by hash: the stored ones, and those that one source returns. */
export type Notes = Map<string, ReadonlyArray<string>>

/** Separate notes for each source: a note that one source returns decides nothing at another. */
export const bySource = (stored: ReadonlyMap<string, ReadonlyArray<string>>) => {
  const all: Array<Notes> = []
  return {
    of: (): Notes => {
      const notes: Notes = new Map(stored)
      all.push(notes)
      return notes
    },
    /** Of several sources, the notes of the last one. */
    merged: (): Notes => new Map(all.flatMap((notes) => [...notes]))
  }
}

/** Adds the note that a source returns. The source is wrong if another note of the transaction is stored. */
export const noted = (
  notes: Notes,
  hash: string,
  returned: ReadonlyArray<string>
): Either.Either<ReadonlyArray<string>, Fault> => {
  const note = notes.get(hash) ?? returned
  notes.set(hash, note)
  return note.join() === returned.join() ? Either.right(note) : Either.left(otherNote)
}

const otherNote: Fault = { reason: "bad_answer", detail: "returned a transaction that does not have this hash" }

interface ReaderOptions<S extends StatusProvider> {
  readonly sources: ReadonlyArray<S>
  readonly facts?: FinalityFacts
  readonly read: (
    source: S,
    hashes: ReadonlyArray<string>,
    notes: Notes,
    /** The replacement of each transaction that an earlier source named, for sources that can only look it up. */
    named: Map<string, string>
  ) => Effect.Effect<SourceStatuses, UpstreamError>
  /** Maximum hashes of one `read`; unlimited if absent. */
  readonly perRead?: number
  /** The failure without a source. */
  readonly none?: ReadFailure
}

/** Reads statuses from sources, with the stored notes of transactions that were pending; stores new notes. */
export const reader = <S extends StatusProvider>(network: string, options: ReaderOptions<S>) =>
  Effect.gen(function* () {
    const memory = yield* make(network)
    const within = yield* collectTime
    const read = Effect.fnUntraced(function* (hashes: ReadonlyArray<string>) {
      const stored = yield* memory.read(hashes)
      const notes = bySource(stored)
      const named = new Map<string, string>()
      const read = (source: S, part: ReadonlyArray<string>) => options.read(source, part, notes.of(), named)
      const results = yield* readStatuses({ ...options, read, within })(hashes)
      const pending = hashes.filter((hash, index) => !stored.has(hash) && stateOf(results[index]) === "pending")
      const found = notes.merged()
      yield* memory.write(new Map(pending.map((hash) => [hash, found.get(hash) ?? []])))
      return results
    })
    return read satisfies Statuses["read"]
  })
