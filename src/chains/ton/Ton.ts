import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ton } from "../../catalogue/ton.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { fullySpendable } from "../kit/holdings/Breakdown.ts"
import { newestBlock } from "../kit/status/currentHead.ts"
import { contexts } from "./context.ts"
import { declarations } from "./declarations.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { histories, historyReader } from "./history.ts"
import { holding, holdings } from "./holdings.ts"
import { lookup } from "./sending.ts"
import { statuses } from "./status.ts"
import * as TonAddress from "./TonAddress.ts"
import * as TonRpc from "./TonRpc.ts"
import * as TonApi from "./tonapi/TonApi.ts"
import * as Toncenter from "./toncenter/Toncenter.ts"

/** TON as indexed by TON Center and TonAPI: a line for each ability. */
const make = Effect.gen(function* () {
  const clients = [yield* Toncenter.make, yield* TonApi.make] as const
  const { rpc, sending } = yield* TonRpc.make(clients[0].upstream)
  const declared = yield* declarations(clients)
  const read = historyReader(clients, declared, Deadline.make(yield* requestDeadline).share("read"))
  const { heights, history } = histories(read, declared)
  return {
    facts: ton,
    address: TonAddress.parse,
    addressForm: TonAddress.formOf,
    batchSize: 100,
    holdings: holdings(clients, declared),
    holding: holding(clients, declared),
    scalings: declared.scalings,
    breakdown: fullySpendable,
    heights,
    history,
    rpc,
    sending,
    transactionContexts: contexts(clients),
    rawTransactions: { prepareLookup: lookup(clients) },
    newestBlock: newestBlock(ton, clients, ({ head }) => head),
    statuses: yield* statuses(clients),
    transaction: findTransaction(clients, read, declared),
    fees: fees(clients),
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
