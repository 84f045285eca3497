import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Store from "../../storage/Store.ts"

/** How long a pending transaction is stored: longer than nodes keep it. */
const retention = "14 days"

/** Maximum texts of an entry. */
const maxTexts = 50

const Texts = Schema.Array(Schema.String.pipe(Schema.maxLength(100))).pipe(Schema.maxItems(maxTexts))

/**
 * What pending transactions of a network use up, such as a nonce or outputs: after nodes have dropped a transaction, it
 * shows whether another transaction replaced it. Cannot fail.
 */
export const make = (network: string) =>
  Effect.map(Store.dated("pending-transactions", 1, Texts), (store) => {
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
        )
    }
  })

export type PendingMemory = Effect.Effect.Success<ReturnType<typeof make>>
