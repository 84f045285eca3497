import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { variablePrefix } from "../../domain/NetworkId.ts"
import { span } from "../../kernel/span.ts"
import { didNotArrive } from "../../upstream/Upstream.ts"
import type {
  RawTransaction,
  RawTransactions,
  ReadFailure,
  ReadSigned,
  SendFailure,
  SendOutcome,
  SignedTransaction
} from "../Chain.ts"
import { incomplete, type SignedContent } from "../kit/sending/content.ts"
import { findFirst } from "../kit/sending/findFirst.ts"
import { failureOf } from "../kit/sending/outcomes.ts"
import type { Relay } from "./Provider.ts"
import { done } from "./rawTransactions/Relay.ts"
import * as UtxoTransaction from "./rawTransactions/UtxoTransaction.ts"
import { addressOf } from "./UtxoAddress.ts"

export const noRelay = ({ id, name }: UtxoFacts): ReadFailure => {
  const prefix = variablePrefix(id)
  return {
    reason: "not_configured",
    message: `no source for raw transactions is configured for ${name}: set ${prefix}_RPC_URLS, ${prefix}_BLOCKBOOK_URLS or ${prefix}_ESPLORA_URLS`
  }
}

/** Sends through all relays of a network: its node first, then its indexers. */
export const signed = (facts: UtxoFacts, relays: ReadonlyArray<Relay>) => {
  const check = UtxoTransaction.check(facts.transactions, facts.name)

  const send = (raw: UtxoTransaction.ParsedTransaction): Effect.Effect<SendOutcome, SendFailure> =>
    Effect.gen(function* () {
      let failure: SendFailure = noRelay(facts)
      for (const relay of relays) {
        const outcome = yield* Effect.either(relay.send(raw))
        if (Either.isRight(outcome)) return outcome.right
        failure = failureOf(outcome.left)
        if (!didNotArrive(outcome.left)) break
      }
      return yield* Effect.fail(failure)
    }).pipe(span("Utxo.sendRawTransaction", { attributes: { network: facts.id } }))

  return (text: string) =>
    Either.map(check(text), (raw): RawTransaction & Pick<SignedTransaction, "content"> => ({
      hash: raw.hash,
      content: () => contentOf(facts.coding, raw),
      ...(relays.length === 0 ? { off: noRelay(facts) } : {}),
      uses: { outputs: raw.inputs },
      notes: () => raw.inputs,
      ambiguous,
      ...(raw.hash === undefined ? {} : { known: done(raw.hash) }),
      send: send(raw)
    }))
}

/** As {@link signed}, for transactions with a hash, which is part of the response of this route. */
export const sendable = (...sources: Parameters<typeof signed>): ReadSigned => {
  const read = signed(...sources)
  return (text) =>
    Either.flatMap(read(text), ({ hash, ...transaction }) =>
      hash === undefined ? Either.left(withoutHash) : Either.right({ hash, ...transaction })
    )
}

/** Looks up a transaction at all relays in order. */
export const lookup = (facts: UtxoFacts, relays: ReadonlyArray<Relay>): RawTransactions["prepareLookup"] => {
  const find = (hash: string) =>
    findFirst(relays, (relay) => relay.find(hash), noRelay(facts)).pipe(
      span("Utxo.getRawTransaction", { attributes: { network: facts.id } })
    )
  return (text) => Either.map(UtxoTransaction.checkHash(text), find)
}

/** What a transaction pays. Its change is one of the payments. */
const contentOf = (
  coding: UtxoFacts["coding"],
  { amounts, extended, scripts }: UtxoTransaction.ParsedTransaction
): SignedContent => {
  const paid = amounts.map((amount, index) => ({ amount, script: scripts[index] ?? "" }))
  return {
    payments: paid.flatMap(({ amount, script }) => {
      const to = addressOf(coding, script)
      // An output without coins and without an address is data.
      return to === undefined && amount === 0n ? [] : [{ ...(to === undefined ? {} : { to }), amount }]
    }),
    unknown: {
      from: "the bytes name the outputs that it spends, and no addresses",
      fee: "the amounts of the outputs that it spends are not in its bytes",
      ...incomplete([
        extended && "a part of it belongs to an extension block",
        coding.cashaddr !== undefined && scripts.some((script) => script.startsWith("ef")) && "outputs also have tokens"
      ])
    }
  }
}

/** A node that has the transaction in a block reports its inputs as spent if its outputs are spent too. */
const ambiguous = ["already_spent"] as const

const withoutHash =
  "all of it belongs to an extension block, so that its hash is not known; send it with POST /utils/sendrawtransaction"
