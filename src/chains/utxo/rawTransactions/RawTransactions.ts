import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import { variablePrefix } from "../../../domain/NetworkId.ts"
import { span } from "../../../kernel/span.ts"
import { didNotArrive } from "../../../upstream/Upstream.ts"
import type { RawTransaction, ReadFailure, ReadSigned, SendFailure, SendOutcome } from "../../Chain.ts"
import { findFirst } from "../../findFirst.ts"
import { failureOf } from "../../sending/outcomes.ts"
import { done, type Relay } from "./Relay.ts"
import * as UtxoTransaction from "./UtxoTransaction.ts"

/** The upstreams that accept raw transactions, the preferred one first: the operator's own node, then its indexers. */
export const inPreference = (relays: ReadonlyArray<Relay>): ReadonlyArray<Relay> =>
  relays.toSorted((relay, other) => relay.rank - other.rank)

export const notConfigured = ({ id, name }: UtxoFacts): ReadFailure => {
  const prefix = variablePrefix(id)
  return {
    reason: "not_configured",
    message: `no source for raw transactions is configured for ${name}: set ${prefix}_RPC_URLS, ${prefix}_BLOCKBOOK_URLS or ${prefix}_ESPLORA_URLS`
  }
}

/** Sends and looks up transactions of a network through all its upstreams: its node first, then its indexers. */
export const make = (facts: UtxoFacts, relays: ReadonlyArray<Relay>) => {
  const check = UtxoTransaction.check(facts.transactions, facts.name)

  const send = (raw: UtxoTransaction.ParsedTransaction): Effect.Effect<SendOutcome, SendFailure> =>
    Effect.gen(function* () {
      let failure: SendFailure = notConfigured(facts)
      for (const relay of relays) {
        const outcome = yield* Effect.either(relay.send(raw))
        if (Either.isRight(outcome)) return outcome.right
        failure = failureOf(outcome.left)
        if (!didNotArrive(outcome.left)) break
      }
      return yield* Effect.fail(failure)
    }).pipe(span("Utxo.sendRawTransaction", { attributes: { network: facts.id } }))

  const prepareSend = (text: string) =>
    Either.map(
      check(text),
      (raw): RawTransaction => ({
        hash: raw.hash,
        uses: { outputs: raw.inputs },
        notes: () => raw.inputs,
        ambiguous,
        ...(raw.hash === undefined ? {} : { known: done(raw.hash) }),
        send: send(raw)
      })
    )

  /** The hash is part of the response of this route. */
  const main: ReadSigned = (text) =>
    Either.flatMap(prepareSend(text), ({ hash, ...signed }) =>
      hash === undefined ? Either.left(withoutHash) : Either.right({ hash, ...signed })
    )

  const find = (hash: string) =>
    findFirst(relays, (relay) => relay.find(hash), notConfigured(facts)).pipe(
      span("Utxo.getRawTransaction", { attributes: { network: facts.id } })
    )

  return {
    rawTransactions: {
      prepareSend,
      prepareLookup: (text: string) => Either.map(UtxoTransaction.checkHash(text), find)
    },
    sending: { main }
  }
}

/** A node that has the transaction in a block reports its inputs as spent if its outputs are spent too. */
const ambiguous = ["already_spent"] as const

const withoutHash =
  "all of it belongs to an extension block, so that its hash is not known; send it with POST /utils/sendrawtransaction"
