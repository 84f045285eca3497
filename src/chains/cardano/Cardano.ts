import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { cardano } from "../../catalogue/cardano.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { fullySpendable } from "../kit/holdings/Breakdown.ts"
import { headsOf, newestBlock } from "../kit/status/currentHead.ts"
import { assetsOf } from "./assets.ts"
import * as CardanoAddress from "./CardanoAddress.ts"
import * as CardanoAsset from "./CardanoAsset.ts"
import { contexts } from "./context.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { histories } from "./history.ts"
import { holding, holdings } from "./holdings.ts"
import { newestOf, protocolParameters } from "./Parameters.ts"
import { batchSize, connect } from "./providers/connect.ts"
import { lookup, sendable, signed } from "./sending.ts"
import { statuses } from "./status.ts"
import { tokenFacts } from "./tokenFacts.ts"

/** The Cardano ledger as indexed by Blockfrost and Koios: a line for each ability. */
const make = Effect.gen(function* () {
  const { asWritten, sources } = yield* connect
  const assets = yield* assetsOf(sources)
  const maxWait = Deadline.make(yield* requestDeadline).share("read")
  const { heights, history } = histories(sources, assets, maxWait)
  const names = Either.right(sources.map(({ name }) => name))
  const newest = newestBlock(cardano, sources, newestOf)
  return {
    facts: cardano,
    address: CardanoAddress.parse,
    addressForm: CardanoAddress.formOf,
    canonicalToken: CardanoAsset.parse,
    batchSize,
    holdings: holdings(sources, assets, maxWait),
    holding: holding(sources, assets, maxWait),
    tokenFacts: tokenFacts(sources, newest),
    breakdown: fullySpendable,
    heights,
    history,
    statuses: yield* statuses(sources),
    transaction: findTransaction(sources, assets, maxWait),
    sending: { main: sendable(sources) },
    rawTransactions: { prepareSend: signed(sources), prepareLookup: lookup(sources) },
    transactionContexts: contexts(sources),
    newestBlock: newest,
    heads: headsOf(sources, newestOf),
    protocolParameters: protocolParameters(asWritten),
    fees: fees(sources),
    abilities: Effect.map(assets.abilities, ({ balance, tokens }) => ({
      balance,
      tokens,
      history: Either.map(names, (all) => all.toReversed()),
      rawTransactions: names,
      fees: names,
      transactionContext: names
    }))
  } satisfies Chain["Type"]
})

export const layer = Layer.effect(Chain, make)
