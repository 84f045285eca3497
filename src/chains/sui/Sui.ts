import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { sui } from "../../catalogue/sui.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/Deadline.ts"
import * as declare from "../../settings/declare.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import { Chain, type Unread } from "../Chain.ts"
import { follow, missingTokens, unread } from "../tokenList.ts"
import * as Client from "./Client.ts"
import * as CoinType from "./CoinType.ts"
import { toHoldings } from "./Holdings.ts"
import * as Clients from "./jsonrpc/Clients.ts"
import * as SuiAddress from "./SuiAddress.ts"
import * as Transactions from "./Transactions.ts"

// Sui GraphQL RPC (docs.sui.io, schema.graphql and config.rs of MystenLabs/sui): public nodes have no JSON-RPC any more.

const publicHosts = ["https://graphql.mainnet.sui.io/graphql", "https://rpc.ankr.com/http/sui_graphql"]

/** Public hosts grant 100 calls in 30 seconds; hosts of the operator's own are not held back. */
const rates = { public: { perSecond: 2.5, burst: 25 }, own: { perSecond: 1_000, burst: 1_000 } }

export const layer = Layer.scoped(
  Chain,
  Effect.gen(function* () {
    const urls = yield* declare.urls({
      name: "SUI_GRAPHQL_URLS",
      default: publicHosts,
      meaning: "GraphQL hosts of Sui"
    })
    const hosts = yield* Upstream.make({
      name: "sui-graphql",
      urls,
      concurrency: 8,
      rate: { source: "SUI", keyless: urls === publicHosts ? rates.public : rates.own },
      canary: Client.canary
    })
    const tokens = yield* follow(
      {
        platform: "sui",
        canonical: CoinType.canonical
      },
      [hosts.name]
    )

    const holdings: Chain["Type"]["holdings"] = (addresses) =>
      Effect.gen(function* () {
        const known = yield* tokens.list
        const read = yield* Client.holdings(hosts, addresses)
        return {
          addresses: read.map(Either.mapBoth({ onLeft: unread, onRight: (held) => toHoldings(held, known) })),
          missing: missingTokens(known)
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
        const known = native ? Option.some(sui.native) : registered
        const { amount, decimals } = yield* Client.held(
          hosts,
          address,
          type,
          Option.map(known, (item) => item.decimals)
        )
        if (native) return { asset: "native" as const, amount: Either.right(amount) }
        const asset = Option.getOrElse(registered, () => ({
          address: type,
          decimals,
          name: "",
          symbol: "",
          thumbnail: ""
        }))
        return { asset, amount: Either.right(amount) }
      }).pipe(Effect.mapError(unread))

    const patience = Deadline.make(yield* requestDeadline).share("read")
    const history: Chain["Type"]["history"] = (question) =>
      Transactions.history(hosts, patience, question).pipe(
        Effect.mapError(unread),
        span("Sui.history", { attributes: { limit: question.limit } })
      )

    return {
      facts: sui,
      address: SuiAddress.parse,
      meansNative: CoinType.isSui,
      batchSize: 20,
      holdings,
      holding,
      history,
      rpc: yield* Clients.make(hosts),
      abilities: Effect.map(tokens.abilities, (told) => ({ ...told, history: Either.right([hosts.name]) }))
    }
  })
)

const invalidToken: Unread = {
  reason: "invalid_address",
  message: "tokenAddress: a coin type is written as 0x2::sui::SUI"
}
