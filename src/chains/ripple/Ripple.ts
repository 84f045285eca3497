import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { ripple } from "../../catalogue/ripple.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { follow } from "../kit/holdings/tokenList.ts"
import { newestBlock } from "../kit/status/currentHead.ts"
import { breakdown } from "./breakdown.ts"
import * as Client from "./Client.ts"
import { contexts } from "./context.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { histories } from "./history.ts"
import { holding, holdings } from "./holdings.ts"
import { tokens as platformTokens } from "./IssuedToken.ts"
import * as RippleAddress from "./RippleAddress.ts"
import { recipient } from "./recipient.ts"
import { lookup, sendable, signed } from "./sending.ts"
import { statuses } from "./status.ts"

/** The XRP Ledger, read from its nodes: a line for each ability. Client.ts names the documentation. */
const make = Effect.gen(function* () {
  const client = yield* Client.make
  const maxWait = Deadline.make(yield* requestDeadline).share("read")
  const registry = yield* follow(platformTokens, [client.name])
  const { nodes } = client
  const { heights, history } = histories(client, registry.list, maxWait)
  const names = Either.right([client.name])
  return {
    facts: ripple,
    address: RippleAddress.parse,
    addressForm: RippleAddress.formOf,
    canonicalToken: platformTokens.canonical,
    batchSize: 5,
    holdings: holdings(client, registry.list),
    holding: holding(client, registry.list),
    breakdown: yield* breakdown(client),
    heights,
    history,
    statuses: yield* statuses(nodes),
    transaction: findTransaction(nodes, registry.list),
    sending: { main: sendable(nodes) },
    rawTransactions: { prepareSend: signed(nodes), prepareLookup: lookup(nodes) },
    transactionContexts: contexts(nodes),
    newestBlock: newestBlock(ripple, nodes.addresses, Client.headOf),
    recipient: recipient(nodes),
    fees: fees(nodes),
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

export const layer = Layer.effect(Chain, make)
