import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { polkadot } from "../../catalogue/polkadot.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { headsOf, newestBlock } from "../kit/status/currentHead.ts"
import { assetsOf } from "./assets.ts"
import { breakdown } from "./breakdown.ts"
import { contexts } from "./context.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { histories } from "./history.ts"
import { holding, holdings } from "./holdings.ts"
import * as PolkadotAddress from "./PolkadotAddress.ts"
import { tokens as platformTokens } from "./PolkadotAsset.ts"
import { noKey } from "./Provider.ts"
import * as Subscan from "./providers/subscan/Subscan.ts"
import * as Substrate from "./providers/substrate/Substrate.ts"
import { lookup, signed } from "./sending.ts"
import { statuses } from "./status.ts"

/** Polkadot Asset Hub, read from its nodes and from Subscan: a line for each ability. */
const make = Effect.gen(function* () {
  const nodes = yield* Substrate.connect
  const assets = yield* assetsOf(nodes)
  const subscan = yield* Subscan.make
  const time = yield* requestDeadline
  const maxWait = Deadline.make(time).share("read")
  const { heights, history } = histories(subscan, assets, maxWait)
  const names = Either.right([nodes.name])
  return {
    facts: polkadot,
    address: PolkadotAddress.parse,
    addressForm: PolkadotAddress.formOf,
    canonicalToken: platformTokens.canonical,
    batchSize: 200,
    holdings: holdings(nodes, assets, time),
    holding: holding(nodes, assets),
    breakdown: breakdown(nodes),
    heights,
    history,
    statuses: yield* statuses(nodes, subscan),
    transaction: findTransaction(subscan, assets),
    sending: { main: signed(nodes) },
    rawTransactions: { prepareSend: signed(nodes), prepareLookup: lookup(subscan) },
    transactionContexts: contexts(nodes),
    newestBlock: newestBlock(polkadot, nodes.addresses, Substrate.headOf),
    heads: headsOf(nodes.addresses, Substrate.headOf),
    fees: fees(nodes),
    abilities: Effect.map(assets.abilities, ({ balance, tokens }) => ({
      balance,
      tokens,
      history: subscan === undefined ? Either.left(noKey.message) : Either.right([subscan.name]),
      rawTransactions: Either.right([nodes.name, ...(subscan === undefined ? [] : [subscan.name])]),
      fees: names,
      transactionContext: names
    }))
  } satisfies Chain["Type"]
})

export const layer = Layer.effect(Chain, make)
