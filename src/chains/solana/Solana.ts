import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { solana } from "../../catalogue/solana.ts"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import { numberOf, type Slot, slot } from "../../domain/units.ts"
import * as Client from "../../jsonrpc/Client.ts"
import { type MethodPolicy, named, type Rule } from "../../jsonrpc/proxy/MethodPolicy.ts"
import * as ProxyNodes from "../../jsonrpc/proxy/ProxyNodes.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import * as declare from "../../settings/declare.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as ResponseSize from "../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import { Chain, type Heights } from "../Chain.ts"
import * as Contexts from "../Contexts.ts"
import { maxHeightOf, newestBlock } from "../currentHead.ts"
import { positioned } from "../heights.ts"
import { scaled } from "../scaled.ts"
import { signedIn } from "../sending/nodeReplies.ts"
import {
  confirming,
  follow,
  invalidToken,
  missingTokens,
  unread,
  unreadTokensOf,
  unregistered,
  withDecimals
} from "../tokenList.ts"
import * as Breakdown from "./Breakdown.ts"
import * as Fees from "./Fees.ts"
import * as FindTransaction from "./FindTransaction.ts"
import * as Holdings from "./Holdings.ts"
import { slotOf } from "./history.ts"
import * as Jupiter from "./Jupiter.ts"
import * as Mints from "./Mints.ts"
import * as Sending from "./Sending.ts"
import type { HistoryOptions } from "./Signatures.ts"
import * as SolanaAddress from "./SolanaAddress.ts"
import { tokens as platformTokens } from "./SolanaAddress.ts"
import * as TransactionContext from "./TransactionContext.ts"
import * as TransactionStatus from "./TransactionStatus.ts"
import * as Transactions from "./Transactions.ts"

// Solana's HTTP methods (solana.com/docs/rpc/http); a slot takes 400 ms.

/** Null if the node does not have it yet. */
const isNull = (result: string) => result === "null"
const final: Rule = {
  kind: "read",
  cacheFor: (result) => (isNull(result) ? "never" : "forever"),
  mayBeBehind: isNull
}

/** Without a commitment the finalized state is returned; a state with another commitment may be reverted. */
const finalized: MethodPolicy["rule"] = ({ params = "" }) =>
  /"commitment"\s*:\s*"(?!finalized")/.test(params) ? { ...final, cacheFor: () => "never" } : final

/** The first signature identifies a transaction: it follows the number of signatures, which is below 128. */
const signatureOf = (transaction: Uint8Array | undefined): string | undefined => {
  const [count = 0] = transaction ?? []
  return transaction === undefined || count === 0 || count > 127 || transaction.length < 65
    ? undefined
    : base58.encode(transaction.slice(1, 65))
}

const sendTransaction: Rule = {
  kind: "once",
  duplicateResult: (error, { params }) => {
    if (!/AlreadyProcessed|already been processed/i.test(error)) return undefined
    const given = Either.getOrUndefined(Either.try(() => JSON.parse(params ?? "") as unknown))
    const [text, options] = (Array.isArray(given) ? given : []) as ReadonlyArray<unknown>
    if (typeof text !== "string") return undefined
    const { encoding } = (options ?? {}) as Readonly<Record<string, unknown>>
    const signature = signatureOf(encoding === "base64" ? Sending.bytesOf(text) : Sending.fromBase58(text))
    return signature === undefined ? undefined : JSON.stringify(signature)
  }
}

const byName = named(
  {
    forever: "getEpochSchedule getGenesisHash",
    // A block's time is also returned for blocks that are not final.
    moment: `
      getAccountInfo getBalance getBlockHeight getBlockProduction getBlockTime getBlocks getBlocksWithLimit
      getEpochInfo getFeeForMessage getInflationGovernor getInflationRate getInflationReward getLargestAccounts
      getLatestBlockhash getLeaderSchedule getMinimumBalanceForRentExemption getMultipleAccounts getProgramAccounts
      getRecentPerformanceSamples getRecentPrioritizationFees getSignaturesForAddress getSignatureStatuses getSlot
      getSlotLeader getSlotLeaders getStakeMinimumDelegation getSupply getTokenAccountBalance
      getTokenAccountsByDelegate getTokenAccountsByOwner getTokenLargestAccounts getTokenSupply getTransactionCount
      getVoteAccounts isBlockhashValid
    `,
    never: `
      getBlockCommitment getClusterNodes getFirstAvailableBlock getHealth getHighestSnapshotSlot getIdentity
      getMaxRetransmitSlot getMaxShredInsertSlot getVersion minimumLedgerSlot simulateTransaction
    `
  },
  { sendTransaction }
)

export const dialect: MethodPolicy = {
  blockTime: solana.proxy.blockTime,
  isHeavy: (method) => /^(getProgramAccounts|getLargestAccounts|getBlocks?|simulateTransaction)$/.test(method),
  rule: (call) => (call.method === "getTransaction" || call.method === "getBlock" ? finalized(call) : byName(call))
}

/** The abilities of the nodes, and of those of the test network. */
export const rpcOf = (nodes: Upstream.Upstream) =>
  Effect.gen(function* () {
    const urls = yield* declare.urls({
      name: "SOLANA_TESTNET_RPC_URLS",
      default: solana.proxy.testnet.nodes,
      meaning: "JSON-RPC nodes of Solana's test network, for the proxy"
    })
    const testNodes = yield* Upstream.make({
      name: "solana-testnet-rpc",
      urls,
      canary: (node) => Client.call(node, { method: "getSlot", params: [] })
    })
    const [main, testnet] = [yield* ProxyNodes.make(nodes, dialect), yield* ProxyNodes.make(testNodes, dialect)]
    return {
      rpc: { main, testnet, signedIn },
      sending: { main: Sending.make(main), testnet: Sending.make(testnet) }
    }
  })

// Solana JSON-RPC (solana.com/docs/rpc; transactions up to version 1, SIMD-0385); accounts of the Token and the
// Token-2022 program (solana-program.com).

/** Transactions per request. */
const transactionsPerRequest = { public: 25, own: 100 }

/** Token accounts read for a history: each costs a call of one method; public nodes allow 40 in ten seconds. */
const maxAccounts = { public: 25, own: 200 }

/** Public nodes allow 40 calls of one method in ten seconds; the operator's own nodes are not limited. */
const rates = { public: { perSecond: 3, burst: 10 }, own: { perSecond: 1_000, burst: 1_000 } }

const connect = Effect.gen(function* () {
  const urls = yield* declare.urls({
    name: "SOLANA_RPC_URLS",
    default: solana.nodes,
    meaning: "JSON-RPC nodes of Solana"
  })
  const kind = urls === solana.nodes ? "public" : "own"
  const nodes = yield* Upstream.make({
    name: "solana-rpc",
    urls,
    size: ResponseSize.rows,
    rate: { source: "SOLANA", keyless: rates[kind] },
    canary: Holdings.canary
  })
  return { kind, nodes } as const
})

const heights: Heights<Slot> = {
  of: slotOf,
  max: (clock) => slot(numberOf(maxHeightOf(solana, clock)))
}

export const layer = Layer.scoped(
  Chain,
  Effect.gen(function* () {
    const { kind, nodes } = yield* connect
    const tokens = yield* follow(platformTokens, [nodes.name])
    const mints = yield* Mints.make(nodes, tokens.confirm, tokens.list)
    const head = newestBlock(solana, nodes.addresses, TransactionContext.headOf)

    const holdings: Chain["Type"]["holdings"] = (addresses) =>
      Effect.gen(function* () {
        const tokenList = yield* tokens.list
        const read = yield* Holdings.holdings(nodes, addresses, Option.isSome(tokenList))
        const facts = yield* mints.facts(Holdings.mintsToRead(read, tokenList))
        return {
          addresses: read.map(
            Either.mapBoth({
              onLeft: unread,
              onRight: (balances) => Holdings.toHoldings(balances, tokenList, facts)
            })
          ),
          missing: missingTokens(tokenList),
          unreadTokens: unreadTokensOf(read, ({ tokens }) => Option.getOrUndefined(Either.getLeft(tokens)))
        }
      }).pipe(span("Solana.holdings", { attributes: { addresses: addresses.length } }))

    const holding: Chain["Type"]["holding"] = (address, text) =>
      Effect.gen(function* () {
        if (Option.isNone(text))
          return { asset: "native" as const, amount: Either.right(yield* Holdings.native(nodes, address)) }
        const mint = yield* Either.mapLeft(SolanaAddress.parse(text.value), invalidToken)
        const registered = Option.flatMapNullable(yield* tokens.list, (tokenList) => tokenList.byAddress.get(mint))
        const { amount, decimals, scaling } = yield* Holdings.holding(nodes, mints, address, mint)
        const asset = Option.getOrElse(registered, () => unregistered(mint)(decimals))
        return scaled({ ...asset, decimals }, amount, scaling)
      }).pipe(Effect.mapError(unread))

    const options: HistoryOptions = {
      maxWait: Deadline.make(yield* requestDeadline).share("read"),
      transactionsPerRequest: transactionsPerRequest[kind],
      maxAccounts: maxAccounts[kind],
      tokens: tokens.list
    }
    const history = (query: HistoryQuery<Slot>) =>
      Transactions.history(nodes, options, query).pipe(
        Effect.mapError(unread),
        span("Solana.history", { attributes: { limit: query.limit } })
      )

    return {
      facts: solana,
      address: SolanaAddress.parse,
      addressForm: SolanaAddress.formOf,
      batchSize: 10,
      holdings,
      holding,
      scalings: mints.scalings,
      displayedPrices: yield* Jupiter.make(head),
      breakdown: Breakdown.make(nodes),
      ...positioned(heights, withDecimals(history, tokens.list, mints.facts)),
      transactionContexts: Contexts.withShared(
        () => TransactionContext.network(nodes),
        (address, network) => TransactionContext.read(nodes, address, network)
      ),
      newestBlock: head,
      statuses: yield* TransactionStatus.make(nodes, transactionsPerRequest[kind]),
      transaction: confirming(FindTransaction.make(nodes), tokens.list, mints.facts),
      ...(yield* rpcOf(nodes)),
      fees: Fees.make(nodes),
      abilities: Effect.map(tokens.abilities, (served) => ({
        ...served,
        history: Either.right([nodes.name]),
        fees: Either.right([nodes.name]),
        transactionContext: Either.right([nodes.name])
      }))
    } satisfies Chain["Type"]
  })
)
