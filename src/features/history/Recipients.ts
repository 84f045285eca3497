import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Transaction } from "../../domain/Transaction.ts"
import { distance, now, numberOf, Seconds } from "../../domain/units.ts"
import * as Permits from "../../kernel/Permits.ts"
import * as Store from "../../storage/Store.ts"

/** An address to which the holder has sent an amount of the native coin or of a token. */
const Recipient = Schema.Struct({
  address: Schema.String,
  token: Schema.optionalWith(Schema.String, { exact: true }),
  /** Time of the first of these transactions. */
  first: Seconds
})
export type Recipient = typeof Recipient.Type

/** Maximum number of recipients stored per address, those of the newest first transactions. */
const maxRecipients = 250

/** As long as the transactions of an address. */
const retention = "90 days"

/** Recipients by the key of the address whose history it is. */
export type ByKey = ReadonlyMap<string, ReadonlyArray<Recipient>>

const keyOf = ({ address, token = "" }: Recipient) => `${address} ${token}`

/**
 * The recipients of transactions that did not fail, each once: those who got an asset that the holder sent. Others can
 * move another asset in the same transaction.
 */
export const recipientsOf = (
  transactions: ReadonlyArray<Transaction>,
  isHolder: (address: string) => boolean
): ReadonlyArray<Recipient> =>
  union(
    transactions.flatMap(({ from, status, timestamp, to }) => {
      if (status === "Failed") return []
      const sent = new Set(from.flatMap(({ address, token }) => (isHolder(address) ? [token] : [])))
      return to
        .filter(({ address, amount, token }) => amount !== 0n && sent.has(token) && !isHolder(address))
        .map(({ address, token }) => ({ address, ...(token === undefined ? {} : { token }), first: timestamp }))
    })
  )

/** Each recipient once, with its first time. */
const union = (all: ReadonlyArray<Recipient>): ReadonlyArray<Recipient> => {
  const found = new Map<string, Recipient>()
  for (const recipient of all) {
    const key = keyOf(recipient)
    const before = found.get(key)
    if (before === undefined || recipient.first < before.first) found.set(key, recipient)
  }
  return [...found.values()]
}

/** Adds the recipients of a part of the history to the recipients of all parts read before. */
export const joined = (stored: ReadonlyArray<Recipient>, own: ReadonlyArray<Recipient>): ReadonlyArray<Recipient> =>
  union([...stored, ...own])

const latestFirst = (a: Recipient, b: Recipient): number => distance(a.first, b.first)

const isSame = (recipients: ReadonlyArray<Recipient>, others: ReadonlyArray<Recipient>): boolean =>
  recipients.length === others.length &&
  recipients.every((recipient, index) => {
    const before = others[index]
    return before !== undefined && recipient.first === before.first && keyOf(recipient) === keyOf(before)
  })

/** Addresses whose recipients are decoded at once: other requests run in between. */
const addressesAtOnce = 20

/** Stores the recipients of an address, so that no page size decides about warnings. Cannot fail. */
export const make = Effect.gen(function* () {
  const entries = yield* Store.dated("recipients", 1, Schema.Array(Recipient))
  const scope = yield* Effect.scope
  const turns = Permits.make(1)
  const read = (keys: ReadonlyArray<string>): Effect.Effect<ByKey> =>
    Effect.map(
      Effect.forEach(Arr.chunksOf(keys, addressesAtOnce), (part) =>
        Effect.zipLeft(entries.getMany(part), part.length < keys.length ? Effect.sleep(0) : Effect.void)
      ),
      (parts) => new Map(parts.flatMap((found) => [...found].map(([key, { value }]) => [key, value] as const)))
    )
  /** Others may have stored recipients of the same addresses since they were read. */
  const add = (all: ByKey) =>
    Effect.gen(function* () {
      const stored = yield* read([...all.keys()])
      const at = numberOf(yield* now)
      const changed = [...all].flatMap(([key, recipients]) => {
        const before = stored.get(key) ?? []
        const value = union([...before, ...recipients])
          .toSorted(latestFirst)
          .slice(0, maxRecipients)
        return isSame(value, before) ? [] : [[key, { at, value }] as const]
      })
      if (changed.length > 0) yield* entries.setMany(new Map(changed), retention)
    })
  return {
    read,
    /** Adds those that are not among the stored ones, in the background. */
    write: (all: ByKey, stored: ByKey): Effect.Effect<void> => {
      const isNew = (key: string, recipients: ReadonlyArray<Recipient>) => !isSame(recipients, stored.get(key) ?? [])
      const changed = new Map([...all].filter(([key, recipients]) => isNew(key, recipients)))
      return changed.size === 0 ? Effect.void : Effect.asVoid(Effect.forkIn(turns.withPermit(add(changed)), scope))
    }
  }
})
