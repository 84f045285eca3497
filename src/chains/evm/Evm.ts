import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { fullySpendable } from "../kit/holdings/Breakdown.ts"
import { headsOf, newestBlock } from "../kit/status/currentHead.ts"
import { contexts } from "./context.ts"
import { tokenFacts } from "./contracts/tokenFacts.ts"
import { tokenNames } from "./contracts/tokenNames.ts"
import * as EvmAddress from "./EvmAddress.ts"
import { estimate } from "./estimate.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { firstTransaction } from "./firstTransaction.ts"
import { histories } from "./history.ts"
import { batchSize, holding, holdings } from "./holdings.ts"
import { Explorers } from "./providers/connect.ts"
import { connect } from "./providers/node/connect.ts"
import { headOf } from "./providers/node/newestBlock.ts"
import { recipient } from "./recipient.ts"
import { replacement } from "./replacement.ts"
import * as Clients from "./rpc/Clients.ts"
import { statuses } from "./status.ts"
import { followTokens } from "./tokens.ts"

// Ethereum JSON-RPC (ethereum.github.io/execution-apis); EIP-55 addresses, ERC-20 tokens.

/** The adapter of an EVM network; its nodes are set by `<NETWORK>_RPC_URLS`. */
export const layer = (facts: EvmFacts) => Layer.provide(Layer.scoped(Chain, make(facts)), Explorers.layer)

/** A line for each ability. The last two lines have those that are absent on some networks. */
const make = (facts: EvmFacts) =>
  Effect.gen(function* () {
    const { nodes, off, served } = yield* connect(facts)
    const tokens = yield* followTokens(facts, nodes, off)
    const explorers = yield* (yield* Explorers).of(facts)
    const { heights, history, served: listed } = yield* histories(facts, nodes, explorers, tokens)
    const { served: firstServed, ...oldest } = firstTransaction(facts, nodes, explorers)
    const clients = yield* Clients.make(facts, nodes, off)
    return {
      facts,
      address: (text) => EvmAddress.parse(text, facts),
      addressForm: EvmAddress.formOf,
      meansNative: EvmAddress.isZero,
      batchSize,
      holdings: yield* holdings(facts, nodes, tokens, off, explorers, yield* requestDeadline),
      holding: holding(facts, nodes, tokens, off),
      scalings: tokens.scalings,
      tokenNames: tokenNames(facts, nodes, off),
      tokenFacts: tokenFacts(facts, nodes, tokens.scalings, off),
      breakdown: fullySpendable,
      heights,
      history,
      transactionContexts: contexts(facts, nodes, off),
      newestBlock: newestBlock(facts, nodes.addresses, (node) => headOf(node, facts), off),
      heads: headsOf(nodes.addresses, (node) => headOf(node, facts), facts.chainId),
      statuses: yield* statuses(facts, nodes, off),
      transaction: findTransaction(facts, nodes, explorers, tokens, off),
      replacement: replacement(facts, nodes, off),
      estimate: estimate(facts, nodes, off),
      recipient: recipient(facts, nodes, off),
      fees: fees(facts, nodes, off),
      abilities: Effect.map(tokens.abilities(served), (tokensServed) => ({
        balance: served,
        tokens: tokensServed,
        history: listed,
        firstTransaction: firstServed,
        fees: served,
        transactionContext: served
      })),
      ...oldest,
      ...clients
    } satisfies Chain["Type"]
  })
