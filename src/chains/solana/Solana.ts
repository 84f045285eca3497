import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { solana } from "../../catalogue/solana.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Chain } from "../Chain.ts"
import { headsOf, newestBlock } from "../kit/status/currentHead.ts"
import { breakdown } from "./breakdown.ts"
import { contexts } from "./context.ts"
import { fees } from "./fees.ts"
import { findTransaction } from "./findTransaction.ts"
import { histories } from "./history.ts"
import { holding, holdings } from "./holdings.ts"
import * as Mints from "./Mints.ts"
import * as Agave from "./providers/agave/Agave.ts"
import * as Jupiter from "./providers/jupiter/Jupiter.ts"
import * as SolanaAddress from "./SolanaAddress.ts"
import * as SolanaRpc from "./SolanaRpc.ts"
import { statuses } from "./status.ts"
import { tokenFacts, tokenNames } from "./tokenFacts.ts"

/** The Solana ledger as served by JSON-RPC nodes: a line for each ability. */
const make = Effect.gen(function* () {
  const agave = yield* Agave.make
  const mints = yield* Mints.make(agave)
  const head = newestBlock(solana, agave.nodes.addresses, agave.head)
  const maxWait = Deadline.make(yield* requestDeadline).share("read")
  const { heights, history } = histories(agave, mints, maxWait)
  const { rpc, sending } = yield* SolanaRpc.make(agave.nodes)
  const names = Either.right([agave.name])
  return {
    facts: solana,
    address: SolanaAddress.parse,
    addressForm: SolanaAddress.formOf,
    batchSize: 10,
    holdings: holdings(agave, mints),
    holding: holding(agave, mints),
    scalings: mints.scalings,
    tokenNames: tokenNames(agave),
    tokenFacts: tokenFacts(agave),
    displayedPrices: yield* Jupiter.make(head),
    breakdown: breakdown(agave),
    heights,
    history,
    transactionContexts: contexts(agave),
    newestBlock: head,
    heads: headsOf(agave.nodes.addresses, agave.head),
    statuses: yield* statuses(agave),
    transaction: findTransaction(agave, mints),
    rpc,
    sending,
    fees: fees(agave),
    abilities: Effect.map(mints.abilities, (listed) => ({
      ...listed,
      history: names,
      fees: names,
      transactionContext: names
    }))
  } satisfies Chain["Type"]
})

export const layer = Layer.scoped(Chain, make)
