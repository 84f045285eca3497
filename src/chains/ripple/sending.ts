import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { height, numberOf } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import type { RawTransactions, ReadSigned, SignedTransaction } from "../Chain.ts"
import { findFirst } from "../kit/sending/findFirst.ts"
import { jsonResponse } from "../kit/sending/nodeResponse.ts"
import { failureOf, refusing } from "../kit/sending/outcomes.ts"
import type { RippleProvider } from "./Provider.ts"
import { parse, parseHash } from "./RippleTransaction.ts"
import { contentOf, isTransaction } from "./submit/signedContent.ts"
import type { SignedFields } from "./submit/signedFields.ts"

/** Sends to one node. */
export const signed =
  (nodes: Pick<RippleProvider, "send">): ReadSigned =>
  (text) =>
    Either.map(
      parse(text),
      (transaction): SignedTransaction => ({
        hash: transaction.hash,
        content: () => contentOf(transaction.fields),
        // Nodes of the main network refuse a transaction that names a network, also by its own number.
        ...(transaction.fields.network === undefined ? {} : { refusal: "wrong_chain" }),
        ...useOf(transaction.fields),
        ambiguous,
        known: jsonResponse("done", {
          result: {
            accepted: true,
            engine_result: "tefALREADY",
            tx_json: { hash: transaction.hash },
            status: "success"
          }
        }),
        send: nodes.send(transaction).pipe(Effect.mapError(failureOf), span("Ripple.send"))
      })
    )

/** As {@link signed}, without sending what every node would refuse. */
export const sendable = (nodes: Pick<RippleProvider, "send">): ReadSigned =>
  refusing((text) =>
    Either.flatMap(parse(text), ({ fields }) => (isTransaction(fields) ? signed(nodes)(text) : Either.left(malformed)))
  )

/** Looks up a transaction at each node in order, because not every node has all ledgers. */
export const lookup =
  ({ find, nodes }: RippleProvider): RawTransactions["prepareLookup"] =>
  (text) =>
    Either.map(parseHash(text), (hash) =>
      findFirst(nodes.addresses, (node) => find(node, hash)).pipe(span("Ripple.find"))
    )

const malformed =
  "this is not a signed transaction: fields that every transaction has are missing, cut off, or not in their order"

/** A transaction with a ticket has the sequence zero, and does not use up a sequence. */
const useOf = ({ lastLedger, sender, sequence = 0 }: SignedFields): Partial<SignedTransaction> => ({
  ...(sender === undefined || sequence === 0 ? {} : { uses: { account: sender, nonce: BigInt(sequence) } }),
  ...(lastLedger === undefined
    ? {}
    : { lastBlock: height(numberOf(lastLedger)), notes: () => [String(numberOf(lastLedger))] })
})

/** A queued transaction that is sent again pays too little to replace itself; one in a ledger has used its sequence. */
const ambiguous = ["nonce_too_low", "replacement_underpriced"] as const
