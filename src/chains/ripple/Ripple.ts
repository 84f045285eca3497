import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { ripple } from "../../catalogue/ripple.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { follow } from "../kit/holdings/tokenList.ts"
import { headsOf, newestBlock } from "../kit/status/currentHead.ts"
import { breakdown } from "./breakdown.ts"
import { contexts } from "./context.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { histories } from "./history.ts"
import { holding, holdings } from "./holdings.ts"
import { tokens as platformTokens } from "./IssuedToken.ts"
import * as Rippled from "./providers/rippled/Rippled.ts"
import * as RippleAddress from "./RippleAddress.ts"
import { recipient } from "./recipient.ts"
import { lookup, sendable, signed } from "./sending.ts"
import { statuses } from "./status.ts"
import { tokenFacts, tokenNames } from "./tokenFacts.ts"

/** The XRP Ledger, read from its nodes: a line for each ability. */
const make = Effect.gen(function* () {
  const rippled = yield* Rippled.make
  const maxWait = Deadline.make(yield* requestDeadline).share("read")
  const names = [rippled.nodes.name]
  const registry = yield* follow(platformTokens, names)
  const { heights, history } = histories(rippled, registry.list, maxWait)
  return {
    facts: ripple,
    address: RippleAddress.parse,
    addressForm: RippleAddress.formOf,
    canonicalToken: platformTokens.canonical,
    batchSize: 5,
    holdings: holdings(rippled, registry.list),
    holding: holding(rippled, registry.list),
    tokenNames,
    tokenFacts: tokenFacts(rippled),
    breakdown: yield* breakdown(rippled),
    heights,
    history,
    statuses: yield* statuses(rippled),
    transaction: findTransaction(rippled, registry.list),
    sending: { main: sendable(rippled) },
    rawTransactions: { prepareSend: signed(rippled), prepareLookup: lookup(rippled) },
    transactionContexts: contexts(rippled),
    newestBlock: newestBlock(ripple, rippled.nodes.addresses, rippled.head),
    heads: headsOf(rippled.nodes.addresses, rippled.head),
    recipient: recipient(rippled),
    fees: fees(rippled),
    abilities: Effect.map(registry.abilities, ({ balance, tokens }) => ({
      balance,
      tokens,
      history: Either.right(names),
      rawTransactions: Either.right(names),
      fees: Either.right(names),
      transactionContext: Either.right(names)
    }))
  } satisfies Chain["Type"]
})

export const layer = Layer.effect(Chain, make)
