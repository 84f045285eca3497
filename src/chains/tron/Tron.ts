import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { tron } from "../../catalogue/tron.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { breakdown } from "./breakdown.ts"
import { contexts } from "./context.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { histories } from "./history.ts"
import { holding, holdings } from "./holdings.ts"
import * as TronGrid from "./providers/trongrid/TronGrid.ts"
import { lookup, signed } from "./sending.ts"
import { heads, newestBlock, statuses } from "./status.ts"
import * as TronAddress from "./TronAddress.ts"
import { tokenFacts, tokenNames } from "./tokenFacts.ts"
import { tokensOf } from "./tokens.ts"

/** TRX and TRC-20 tokens through TronGrid: a line for each ability. */
const make = Effect.gen(function* () {
  const trongrid = yield* TronGrid.make
  const time = yield* requestDeadline
  const maxWait = Deadline.make(time).share("read")
  const registry = yield* tokensOf(trongrid)
  const { heights, history } = histories(trongrid, registry, maxWait)
  const names = Either.right([trongrid.name])
  return {
    facts: tron,
    address: TronAddress.parse,
    addressForm: TronAddress.formOf,
    meansNative: TronAddress.isZero,
    batchSize: 25,
    holdings: holdings(trongrid, registry, time),
    holding: holding(trongrid, registry),
    tokenNames: tokenNames(trongrid),
    tokenFacts: tokenFacts(trongrid),
    breakdown: breakdown(trongrid),
    heights,
    history,
    statuses: yield* statuses(trongrid),
    transaction: findTransaction(trongrid, registry),
    sending: { main: signed(trongrid) },
    rawTransactions: { prepareSend: signed(trongrid), prepareLookup: lookup(trongrid) },
    transactionContexts: contexts(trongrid),
    newestBlock: newestBlock(trongrid),
    heads: heads(trongrid),
    fees: fees(trongrid),
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
