import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { headsOf, newestBlock } from "../kit/status/currentHead.ts"
import { breakdown } from "./breakdown.ts"
import { contexts, outputsOf } from "./context.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { histories } from "./history.ts"
import { holding, holdings } from "./holdings.ts"
import { connect } from "./providers/connect.ts"
import { replacement } from "./replacement.ts"
import { lookup, sendable, signed } from "./sending.ts"
import { statuses } from "./status.ts"
import * as UtxoAddress from "./UtxoAddress.ts"

/** The adapter of every network of the Bitcoin family. */
export const layer = (facts: UtxoFacts) => Layer.effect(Chain, make(facts))

/** A line for each ability. */
const make = (facts: UtxoFacts) =>
  Effect.gen(function* () {
    const { abilities, estimators, indexers, lookups, reasons, relays } = yield* connect(facts)
    // Ends before the use case times out for the whole network.
    const within = Deadline.make(yield* requestDeadline).share("collect")
    const { heights, history } = histories(facts, indexers, within, reasons.history)
    const outputs = outputsOf(facts, indexers, reasons.address)
    const feeSource = fees(facts, estimators)
    return {
      facts,
      address: UtxoAddress.parse(facts),
      addressForm: UtxoAddress.formOf(facts),
      holdings: holdings(facts, indexers, within, reasons.address),
      holding: holding(facts, indexers, within, reasons.address),
      heights,
      history,
      breakdown: breakdown(facts, outputs, within),
      transactionContexts: contexts(facts, outputs),
      rawTransactions: { prepareSend: signed(facts, relays), prepareLookup: lookup(facts, relays) },
      sending: { main: sendable(facts, relays) },
      newestBlock: newestBlock(facts, lookups, ({ head }) => head, reasons.indexer),
      heads: headsOf(lookups, ({ head }) => head),
      statuses: yield* statuses(facts, lookups, reasons.relay),
      transaction: findTransaction(facts, lookups, reasons.relay),
      replacement: yield* replacement(facts, lookups, reasons.relay, feeSource),
      fees: feeSource,
      abilities
    } satisfies Chain["Type"]
  })
