import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { numberOf } from "../../domain/units.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { span } from "../../kernel/span.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { confirming } from "../kit/holdings/tokenList.ts"
import { findTransaction as findAt } from "../kit/sending/findFirst.ts"
import { notUnderstood } from "./accounts.ts"
import { decodeTransaction, transactionOf } from "./foundTransactions.ts"
import type { Mints } from "./Mints.ts"
import { NodeSlot } from "./TransactionWire.ts"
import { payerOf, toTransaction } from "./toTransaction.ts"

const decodePlace = Schema.decodeUnknownOption(Schema.Struct({ slot: NodeSlot }))

/** `getTransaction` at one node; undefined if the node does not have it. */
const atNode = (node: Endpoint, signature: string) =>
  Effect.gen(function* () {
    const [outcome] = yield* callAll(node, [transactionOf(signature)], { exact: true, perCall: true })
    if (outcome === undefined || Either.isLeft(outcome)) return yield* node.fault(notUnderstood)
    if (outcome.right === null) return undefined
    const found = Option.all([decodeTransaction(signature, outcome), decodePlace(outcome.right)])
    const transaction = Option.flatMap(found, ([read, { slot }]) =>
      toTransaction(payerOf(read), { hash: signature, order: numberOf(slot), timestamp: undefined }, read)
    )
    return yield* Either.fromOption(transaction, () => node.fault(notUnderstood))
  })

/** Looks up transactions by their first signature, as their payer sees them; waits briefly for decimals. */
export const findTransaction = (nodes: Upstream, mints: Mints) => confirming(found(nodes), mints.list, mints.facts)

const found =
  (nodes: Upstream) =>
  (signature: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    Effect.map(
      findAt(nodes.addresses, (node) => atNode(node, signature)),
      (transaction) => ({ transaction, sources: transaction === undefined ? [] : [nodes.name], gaps: [] })
    ).pipe(span("Solana.transaction"))
