import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { numberOf } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import { notUnderstood } from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import { confirming } from "../kit/holdings/tokenList.ts"
import { findTransaction as findAt } from "../kit/sending/findFirst.ts"
import type { Mints } from "./Mints.ts"
import type { SolanaProvider } from "./Provider.ts"
import { NodeSlot } from "./providers/agave/transactionCalls.ts"
import { payerOf, toTransaction } from "./toTransaction.ts"

const decodeSlot = Schema.decodeUnknownOption(NodeSlot)

/** A transaction at one node; undefined if the node does not have it. */
const atNode = (agave: SolanaProvider, node: Endpoint, signature: string) =>
  Effect.gen(function* () {
    const [answer = Either.left(notUnderstood)] = yield* agave.transactions(node, [signature])
    if (Either.isRight(answer) && answer.right === null) return undefined
    const read = Option.flatMapNullable(Either.getRight(answer), (found) => found)
    const transaction = Option.flatMap(
      Option.all([read, Option.flatMap(read, ({ slot }) => decodeSlot(slot))]),
      ([found, slot]) =>
        toTransaction(payerOf(found), { hash: signature, order: numberOf(slot), timestamp: undefined }, found)
    )
    return yield* Either.fromOption(transaction, () => node.fault(notUnderstood))
  })

/** Looks up transactions by their first signature, as their payer sees them; waits briefly for decimals. */
export const findTransaction = (agave: SolanaProvider, mints: Mints) =>
  confirming(
    (signature) =>
      Effect.map(
        findAt(agave.nodes.addresses, (node) => atNode(agave, node, signature)),
        (transaction) => ({ transaction, sources: transaction === undefined ? [] : [agave.name], gaps: [] })
      ).pipe(span("Solana.transaction")),
    mints.list,
    mints.facts
  )
