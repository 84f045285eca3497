import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { sui } from "../../catalogue/sui.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { headsOf, newestBlock } from "../kit/status/currentHead.ts"
import { breakdown } from "./breakdown.ts"
import * as CoinDecimals from "./CoinDecimals.ts"
import * as CoinType from "./CoinType.ts"
import { contexts } from "./context.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { histories } from "./history.ts"
import { holding, holdings } from "./holdings.ts"
import * as Translation from "./jsonrpc/Translation.ts"
import * as SuiHosts from "./providers/graphql/SuiHosts.ts"
import * as SuiAddress from "./SuiAddress.ts"
import { sendable, signedIn } from "./sending.ts"
import { statuses } from "./status.ts"
import { tokenFacts, tokenNames } from "./tokenFacts.ts"

/** The Sui ledger as served by GraphQL hosts: a line for each ability. */
const make = Effect.gen(function* () {
  const provider = yield* SuiHosts.make
  const coins = yield* CoinDecimals.make(provider)
  const { heights, history } = histories(provider, coins, Deadline.make(yield* requestDeadline).share("read"))
  const { main } = yield* Translation.proxy(provider.hosts)
  const names = Either.right([provider.name])
  return {
    facts: sui,
    address: SuiAddress.parse,
    addressForm: SuiAddress.formOf,
    meansNative: CoinType.isSui,
    canonicalToken: CoinType.canonical,
    batchSize: 20,
    holdings: holdings(provider, coins),
    holding: holding(provider, coins),
    tokenNames: tokenNames(provider),
    tokenFacts: tokenFacts(provider),
    breakdown: breakdown(provider),
    heights,
    history,
    transactionContexts: contexts(provider),
    newestBlock: newestBlock(sui, provider.hosts.addresses, provider.head),
    heads: headsOf(provider.hosts.addresses, provider.head),
    statuses: yield* statuses(provider),
    transaction: findTransaction(provider, coins),
    rpc: { main, signedIn },
    sending: { main: sendable(main) },
    fees: fees(provider),
    abilities: Effect.map(coins.abilities, (listed) => ({
      ...listed,
      history: names,
      fees: names,
      transactionContext: names
    }))
  } satisfies Chain["Type"]
})

export const layer = Layer.scoped(Chain, make)
