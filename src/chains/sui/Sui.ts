import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { sui } from "../../catalogue/sui.ts"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import { type Height, height } from "../../domain/units.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import * as declare from "../../settings/declare.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import { Chain, type ReadFailure } from "../Chain.ts"
import * as Contexts from "../Contexts.ts"
import { newestBlock } from "../currentHead.ts"
import { byBlock, positioned } from "../heights.ts"
import { heightOf } from "../orderOf.ts"
import { confirming, follow, missingTokens, unread, unreadTokensOf, unregistered, withDecimals } from "../tokenList.ts"
import * as Breakdown from "./Breakdown.ts"
import * as CoinDecimals from "./CoinDecimals.ts"
import * as CoinType from "./CoinType.ts"
import { tokens as platformTokens } from "./CoinType.ts"
import * as Fees from "./Fees.ts"
import * as FindTransaction from "./FindTransaction.ts"
import * as GraphQl from "./GraphQl.ts"
import * as Holdings from "./Holdings.ts"
import * as Translation from "./jsonrpc/Translation.ts"
import * as Sending from "./Sending.ts"
import * as SuiAddress from "./SuiAddress.ts"
import * as TransactionContext from "./TransactionContext.ts"
import * as TransactionStatus from "./TransactionStatus.ts"
import * as Transactions from "./Transactions.ts"

// Sui GraphQL RPC (docs.sui.io, schema.graphql and config.rs of MystenLabs/sui); public nodes no longer serve JSON-RPC.

/** Public hosts allow 100 calls in 30 seconds; the operator's own hosts are not limited. */
const rates = { public: { perSecond: 2.5, burst: 25 }, own: { perSecond: 1_000, burst: 1_000 } }

const connect = Effect.gen(function* () {
  const urls = yield* declare.urls({
    name: "SUI_GRAPHQL_URLS",
    default: sui.nodes,
    meaning: "GraphQL hosts of Sui"
  })
  return yield* Upstream.make({
    name: "sui-graphql",
    urls,
    rate: { source: "SUI", keyless: urls === sui.nodes ? rates.public : rates.own },
    canary: GraphQl.canary
  })
})

export const layer = Layer.scoped(
  Chain,
  Effect.gen(function* () {
    const hosts = yield* connect
    const tokens = yield* follow(platformTokens, [hosts.name])
    const decimals = yield* CoinDecimals.make(hosts, tokens.confirm, tokens.list)

    const holdings: Chain["Type"]["holdings"] = (addresses) =>
      Effect.gen(function* () {
        const known = yield* tokens.list
        const read = yield* Holdings.readAll(hosts, addresses)
        const found = yield* decimals.of(Holdings.typesToRead(read, known))
        return {
          addresses: read.map(
            Either.mapBoth({ onLeft: unread, onRight: (balance) => Holdings.toHoldings(balance, known, found) })
          ),
          missing: missingTokens(known),
          unreadTokens: unreadTokensOf(read, (balance) => balance.unread)
        }
      }).pipe(span("Sui.holdings", { attributes: { addresses: addresses.length } }))

    const holding: Chain["Type"]["holding"] = (address, text) =>
      Effect.gen(function* () {
        const type = yield* Option.match(text, {
          onNone: () => Either.right(CoinType.sui),
          onSome: (given) => Either.fromOption(CoinType.canonical(given), () => invalidToken)
        })
        const native = type === CoinType.sui
        const registered = native
          ? Option.none()
          : Option.flatMapNullable(yield* tokens.list, (tokenList) => tokenList.byAddress.get(type))
        const known = Option.fromNullable(native ? sui.native.decimals : yield* decimals.known(type))
        const read = yield* Holdings.readCoin(hosts, address, type, known)
        if (native) return { asset: "native" as const, amount: Either.right(read.amount) }
        const asset = Option.getOrElse(registered, () => unregistered(type)(read.decimals))
        if (Option.isSome(registered)) yield* decimals.learn(new Map([[type, read.decimals]]))
        return { asset: { ...asset, decimals: read.decimals }, amount: Either.right(read.amount) }
      }).pipe(Effect.mapError(unread))

    const maxWait = Deadline.make(yield* requestDeadline).share("read")
    const history = (query: HistoryQuery<Height>) =>
      Transactions.history(hosts, maxWait, query).pipe(
        Effect.mapError(unread),
        span("Sui.history", { attributes: { limit: query.limit } })
      )

    const rpc = yield* Translation.proxy(hosts)
    return {
      facts: sui,
      address: SuiAddress.parse,
      addressForm: SuiAddress.formOf,
      meansNative: CoinType.isSui,
      canonicalToken: CoinType.canonical,
      batchSize: 20,
      holdings,
      holding,
      breakdown: Breakdown.make(hosts),
      ...positioned(byBlock(sui, heightOf(height)), withDecimals(history, tokens.list, decimals.of)),
      transactionContexts: Contexts.perAddress((address) => TransactionContext.read(hosts, address)),
      newestBlock: newestBlock(sui, hosts.addresses, TransactionStatus.headOf),
      statuses: yield* TransactionStatus.make(hosts),
      transaction: confirming(FindTransaction.make(hosts), tokens.list, decimals.of),
      rpc: { ...rpc, signedIn: Sending.signedIn },
      sending: { main: Sending.make(rpc.main) },
      fees: Fees.make(hosts),
      abilities: Effect.map(tokens.abilities, (served) => ({
        ...served,
        history: Either.right([hosts.name]),
        fees: Either.right([hosts.name]),
        transactionContext: Either.right([hosts.name])
      }))
    } satisfies Chain["Type"]
  })
)

const invalidToken: ReadFailure = {
  reason: "invalid_address",
  message: "tokenAddress: a coin type is written as 0x2::sui::SUI"
}
