import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import { variablePrefix } from "../../../domain/NetworkId.ts"
import { span } from "../../../kernel/span.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import type { NodeResponse, RawTransactions, ReadFailure, SendFailure } from "../../Chain.ts"
import { findFirst } from "../../findFirst.ts"
import { ofRaw } from "../../sending/outcomes.ts"
import { uncertain } from "../../uncertain.ts"
import type { Relay, RelayResponse } from "./Relay.ts"
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

const answerOf = ({ hash: _, ...response }: RelayResponse): NodeResponse => response

/** Raw transactions of a network through all its upstreams: its node first, then its indexers. */
export const make = (facts: UtxoFacts, relays: ReadonlyArray<Relay>): RawTransactions => {
  const check = UtxoTransaction.check(facts.transactions, facts.name)

  const send = (raw: UtxoTransaction.ParsedTransaction): Effect.Effect<NodeResponse, SendFailure> =>
    Effect.gen(function* () {
      let failure: SendFailure = notConfigured(facts)
      for (const relay of relays) {
        const said = yield* Effect.either(relay.send(raw))
        if (Either.isLeft(said)) {
          failure = uncertain(raw.hash)(said.left)
          if (Upstream.didNotArrive(said.left)) continue
          break
        }
        const { hash } = said.right
        // The transaction was sent in any case, so the response is valid.
        if (hash === undefined || raw.hash === undefined || hash === raw.hash) return answerOf(said.right)
        yield* Effect.logWarning(`${relay.name} accepted a transaction as ${hash}, but it is ${raw.hash}`)
        return { ...answerOf(said.right), otherHash: true as const }
      }
      return yield* Effect.fail(failure)
    }).pipe(span("Utxo.sendRawTransaction", { attributes: { network: facts.id } }))

  const find = (hash: string): Effect.Effect<NodeResponse, ReadFailure> =>
    findFirst(relays, (relay) => relay.find(hash), notConfigured(facts)).pipe(
      Effect.map(answerOf),
      span("Utxo.getRawTransaction", { attributes: { network: facts.id } })
    )

  return {
    prepareSend: (text) => Either.map(check(text), send),
    prepareLookup: (text) => Either.map(UtxoTransaction.checkHash(text), find)
  }
}

/**
 * Sends signed transactions. A node that has the transaction in a block reports its inputs as spent if its outputs are
 * spent too.
 */
export const withSending = (facts: UtxoFacts, raw: RawTransactions) => {
  const check = UtxoTransaction.check(facts.transactions, facts.name)
  return ofRaw({
    raw,
    ambiguous: ["already_spent"],
    parse: (text) =>
      Either.flatMap(check(text), ({ hash }) =>
        hash === undefined ? Either.left(withoutHash) : Either.right({ hash })
      )
  })
}

const withoutHash =
  "all of it belongs to an extension block, so that its hash is not known; send it with POST /utils/sendrawtransaction"
