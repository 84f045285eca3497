import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ton } from "../../catalogue/ton.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { fullySpendable } from "../kit/holdings/Breakdown.ts"
import { headsOf, newestBlock } from "../kit/status/currentHead.ts"
import { contexts } from "./context.ts"
import { declarations } from "./declarations.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { histories, historyReader } from "./history.ts"
import { holding, holdings } from "./holdings.ts"
import { connect } from "./providers/connect.ts"
import { lookup } from "./sending.ts"
import { statuses } from "./status.ts"
import * as TonAddress from "./TonAddress.ts"
import * as TonRpc from "./TonRpc.ts"
import { tokenFacts, tokenNames } from "./tokenFacts.ts"

/** TON as indexed by TON Center and TonAPI: a line for each ability. */
const make = Effect.gen(function* () {
  const { providers, toncenter } = yield* connect
  const { rpc, sending } = yield* TonRpc.make(toncenter)
  const declared = yield* declarations(providers)
  const read = historyReader(providers, declared, Deadline.make(yield* requestDeadline).share("read"))
  const { heights, history } = histories(read, declared)
  return {
    facts: ton,
    address: TonAddress.parse,
    addressForm: TonAddress.formOf,
    batchSize: 100,
    holdings: holdings(providers, declared),
    holding: holding(providers, declared),
    scalings: declared.scalings,
    tokenFacts: tokenFacts(providers, declared),
    tokenNames: tokenNames(providers),
    breakdown: fullySpendable,
    heights,
    history,
    rpc,
    sending,
    transactionContexts: contexts(providers),
    rawTransactions: { prepareLookup: lookup(providers) },
    newestBlock: newestBlock(ton, providers, ({ head }) => head),
    heads: headsOf(providers, ({ head }) => head),
    statuses: yield* statuses(providers),
    transaction: findTransaction(providers, read, declared),
    fees: fees(providers),
    abilities: Effect.map(declared.abilities, ({ balance, tokens }) => ({
      balance,
      tokens,
      history: balance,
      rawTransactions: balance,
      fees: balance,
      transactionContext: balance
    }))
  } satisfies Chain["Type"]
})

export const layer = Layer.scoped(Chain, make)
