import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { solana } from "../../catalogue/solana.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { newestBlock } from "../kit/status/currentHead.ts"
import { breakdown } from "./breakdown.ts"
import { contexts, headOf } from "./context.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { histories } from "./history.ts"
import { holding, holdings } from "./holdings.ts"
import * as Jupiter from "./Jupiter.ts"
import * as Mints from "./Mints.ts"
import * as SolanaAddress from "./SolanaAddress.ts"
import * as SolanaRpc from "./SolanaRpc.ts"
import { statuses } from "./status.ts"

/** The Solana ledger as served by JSON-RPC nodes: a line for each ability. */
const make = Effect.gen(function* () {
  const { limits, nodes } = yield* SolanaRpc.connect
  const mints = yield* Mints.make(nodes)
  const head = newestBlock(solana, nodes.addresses, headOf)
  const maxWait = Deadline.make(yield* requestDeadline).share("read")
  const { heights, history } = histories(nodes, mints, { ...limits, maxWait })
  const { rpc, sending } = yield* SolanaRpc.make(nodes)
  const names = Either.right([nodes.name])
  return {
    facts: solana,
    address: SolanaAddress.parse,
    addressForm: SolanaAddress.formOf,
    batchSize: 10,
    holdings: holdings(nodes, mints),
    holding: holding(nodes, mints),
    scalings: mints.scalings,
    displayedPrices: yield* Jupiter.make(head),
    breakdown: breakdown(nodes),
    heights,
    history,
    transactionContexts: contexts(nodes),
    newestBlock: head,
    statuses: yield* statuses(nodes, limits.transactionsPerRequest),
    transaction: findTransaction(nodes, mints),
    rpc,
    sending,
    fees: fees(nodes),
    abilities: Effect.map(mints.abilities, ({ balance, tokens }) => ({
      balance,
      tokens,
      history: names,
      fees: names,
      transactionContext: names
    }))
  } satisfies Chain["Type"]
})

export const layer = Layer.scoped(Chain, make)
