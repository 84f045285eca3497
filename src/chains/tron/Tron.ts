import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { tron } from "../../catalogue/tron.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { breakdown } from "./breakdown.ts"
import * as Client from "./Client.ts"
import { contexts } from "./context.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { histories } from "./history.ts"
import { holding, holdings } from "./holdings.ts"
import { newestBlock } from "./newestBlock.ts"
import { lookup, signed } from "./sending.ts"
import { statuses } from "./status.ts"
import * as TronAddress from "./TronAddress.ts"
import { tokensOf } from "./tokens.ts"

/** TRX and TRC-20 tokens through TronGrid: a line for each ability. Client.ts names the documents. */
const make = Effect.gen(function* () {
  const client = yield* Client.make
  const maxWait = Deadline.make(yield* requestDeadline).share("read")
  const registry = yield* tokensOf(client)
  const { upstream } = client
  const { heights, history } = histories(client, registry, maxWait)
  const names = Either.right([client.name])
  return {
    facts: tron,
    address: TronAddress.parse,
    addressForm: TronAddress.formOf,
    meansNative: TronAddress.isZero,
    batchSize: 25,
    holdings: holdings(client, registry),
    holding: holding(client, registry),
    breakdown: breakdown(client),
    heights,
    history,
    statuses: yield* statuses(upstream),
    transaction: findTransaction(upstream, registry),
    sending: { main: signed(upstream) },
    rawTransactions: { prepareSend: signed(upstream), prepareLookup: lookup(upstream) },
    transactionContexts: contexts(client),
    newestBlock: newestBlock(upstream),
    fees: fees(upstream),
    abilities: Effect.map(registry.abilities, ({ balance, tokens }) => ({
      balance,
      tokens,
      history: names,
      rawTransactions: names,
      fees: names,
      transactionContext: names
    }))
  } satisfies Chain["Type"]
})

export const layer = Layer.scoped(Chain, make)
