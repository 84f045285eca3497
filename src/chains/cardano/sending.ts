import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { numberOf, type Slot, toMillis } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import { didNotArrive } from "../../upstream/Upstream.ts"
import type { RawTransactions, ReadSigned, SignedTransaction } from "../Chain.ts"
import { findFirst } from "../kit/sending/findFirst.ts"
import { failureOf, refusing } from "../kit/sending/outcomes.ts"
import { parse, parseId } from "./CardanoTransaction.ts"
import type { CardanoProvider } from "./Provider.ts"
import { timeOf } from "./slots.ts"
import { verdictOf } from "./submit/SubmitApi.ts"

/** Sends to the next source only if the previous one cannot have received the transaction. */
export const signed =
  ([first, ...others]: readonly [CardanoProvider, ...ReadonlyArray<CardanoProvider>]): ReadSigned =>
  (text) =>
    Either.map(
      parse(text),
      (transaction): SignedTransaction => ({
        hash: transaction.id,
        content: transaction.content,
        ...(transaction.refusal === undefined ? {} : { refusal: transaction.refusal }),
        ...(transaction.ttl === undefined ? {} : endOf(transaction.ttl)),
        uses: { outputs: transaction.inputs },
        ambiguous,
        known: verdictOf("done", JSON.stringify(transaction.id)),
        send: others
          .reduce(
            (sent, next) => Effect.catchIf(sent, didNotArrive, () => next.send(transaction)),
            first.send(transaction)
          )
          .pipe(Effect.mapError(failureOf), span("Cardano.send"))
      })
    )

/** As {@link signed}, without sending what every node would refuse. */
export const sendable = (sources: Parameters<typeof signed>[0]): ReadSigned => refusing(signed(sources))

/** Looks up a transaction at all sources in order. */
export const lookup =
  (sources: ReadonlyArray<CardanoProvider>): RawTransactions["prepareLookup"] =>
  (text) =>
    Either.map(parseId(text), (id) => findFirst(sources, (source) => source.find(id)).pipe(span("Cardano.find")))

const endOf = (ttl: Slot): Pick<SignedTransaction, "expiry" | "notes"> => ({
  expiry: toMillis(timeOf(ttl)),
  notes: () => [String(numberOf(ttl))]
})

/** A node reports inputs and collateral of a transaction in a block as missing. */
const ambiguous = ["already_spent", "insufficient_funds"] as const
