import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { solana } from "../../../../catalogue/solana.ts"
import { answerOf, answersOf, bound, resultsOf } from "../../../../jsonrpc/boundCalls.ts"
import * as declare from "../../../../settings/declare.ts"
import * as ResponseSize from "../../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { SolanaProvider } from "../../Provider.ts"
import { commitment } from "../../programs.ts"
import { accountReads, clockAt, headOf } from "./accounts.ts"
import * as calls from "./calls.ts"
import * as transactionCalls from "./transactionCalls.ts"
import { transactionReads } from "./transactions.ts"

/** The hash of the main network's genesis block. */
const genesis = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"

/** Whether a node serves the main network. */
const canary = (node: Upstream.Endpoint) =>
  Effect.flatMap(answerOf(node, bound(calls.genesisHash, {})), (answer) =>
    Either.getOrUndefined(answer) === genesis
      ? Effect.void
      : Effect.fail(node.fault({ reason: "bad_answer", detail: "the node belongs to another network" }))
  )

/** Public nodes allow 40 calls of one method in ten seconds, and each token account read for a history costs one. */
const publicNodes = { limits: { transactionsPerRequest: 25, maxAccounts: 25 }, rate: { perSecond: 3, burst: 10 } }

/** The operator's own nodes are not limited. */
const ownNodes = { limits: { transactionsPerRequest: 100, maxAccounts: 200 }, rate: { perSecond: 1_000, burst: 1_000 } }

/** Bytes of a token account without extensions. */
const tokenAccountBytes = 165

/** The nodes at SOLANA_RPC_URLS. */
export const make = Effect.gen(function* () {
  const urls = yield* declare.urls({
    name: "SOLANA_RPC_URLS",
    default: solana.nodes,
    meaning: "JSON-RPC nodes of Solana"
  })
  const { limits, rate } = urls === solana.nodes ? publicNodes : ownNodes
  const nodes = yield* Upstream.make({
    name: "solana-rpc",
    urls,
    calls: { ...calls, ...transactionCalls },
    size: ResponseSize.rows,
    rate: { source: "SOLANA", keyless: rate },
    canary
  })
  return {
    name: nodes.name,
    nodes,
    limits,
    head: headOf,
    network: (node) =>
      resultsOf(node, [
        bound(calls.latestBlockhash, {}),
        bound(calls.rent, { bytes: 0 }),
        bound(calls.rent, { bytes: tokenAccountBytes }),
        clockAt(commitment)
      ]),
    fees: (node) => answersOf(node, [bound(calls.priorityFees, {}), bound(calls.latestBlockhash, {})]),
    feeOf: (node, message) =>
      answerOf(node, bound(calls.messageFee, { message })).pipe(Effect.map(Either.map(({ value }) => value))),
    ...accountReads,
    ...transactionReads
  } satisfies SolanaProvider as SolanaProvider
})
