import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isOpen } from "../../domain/history/Gap.ts"
import type { HistoryPart, Transaction } from "../../domain/Transaction.ts"
import { distance, least, now, numberOf, Seconds } from "../../domain/units.ts"
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
const maxRecipients = 1_000

/** As long as the transactions of an address. */
const retention = "90 days"

/** Recipients by the key of the address whose history it is. */
export type ByKey = ReadonlyMap<string, ReadonlyArray<Recipient>>

const keyOf = ({ address, token = "" }: Recipient) => `${address} ${token}`

/** The recipients of transactions that the holder sent and that did not fail, each once. */
export const recipientsOf = (
  transactions: ReadonlyArray<Transaction>,
  isHolder: (address: string) => boolean
): ReadonlyArray<Recipient> => {
  const sent = transactions.filter(
    ({ from, status }) => status !== "Failed" && from.some(({ address }) => isHolder(address))
  )
  return union(
    sent.flatMap(({ timestamp, to }) =>
      to
        .filter(({ address, amount }) => amount !== 0n && !isHolder(address))
        .map(({ address, token }) => ({ address, ...(token === undefined ? {} : { token }), first: timestamp }))
    )
  )
}

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

/**
 * Adds the recipients of a part of the history to the recipients of all parts read before. A part without gaps that starts at
 * the newest transaction replaces the recipients of its time: a transaction may have been reverted.
 */
export const joined = (
  stored: ReadonlyArray<Recipient>,
  { gaps, more, provisional, transactions }: HistoryPart,
  isNewest: boolean,
  own: ReadonlyArray<Recipient>
): ReadonlyArray<Recipient> => {
  const replaces = isNewest && !isOpen(gaps) && provisional !== true
  const oldest = least(...transactions.map(({ timestamp }) => timestamp))
  const others = replaces ? stored.filter(({ first }) => more && first <= oldest) : stored
  return union([...others, ...own])
}

const latestFirst = (a: Recipient, b: Recipient): number => distance(a.first, b.first)

const isSame = (recipients: ReadonlyArray<Recipient>, others: ReadonlyArray<Recipient>): boolean =>
  recipients.length === others.length &&
  recipients.every((recipient, index) => {
    const before = others[index]
    return before !== undefined && recipient.first === before.first && keyOf(recipient) === keyOf(before)
  })

/** Stores the recipients of an address, so that no page size decides about warnings. Cannot fail. */
export const make = Effect.gen(function* () {
  const entries = yield* Store.dated("recipients", 1, Schema.Array(Recipient))
  const scope = yield* Effect.scope
  return {
    read: (keys: ReadonlyArray<string>): Effect.Effect<ByKey> =>
      Effect.map(entries.getMany(keys), (found) => new Map([...found].map(([key, { value }]) => [key, value]))),
    /** Stores those that differ from the stored ones, in the background. */
    write: (all: ByKey, stored: ByKey): Effect.Effect<void> =>
      Effect.gen(function* () {
        const at = numberOf(yield* now)
        const changed = [...all].flatMap(([key, recipients]) => {
          const value = recipients.toSorted(latestFirst).slice(0, maxRecipients)
          return isSame(value, stored.get(key) ?? []) ? [] : [[key, { at, value }] as const]
        })
        if (changed.length > 0) yield* Effect.forkIn(entries.setMany(new Map(changed), retention), scope)
      })
  }
})
