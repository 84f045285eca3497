import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { sui } from "../../../../catalogue/sui.ts"
import { secondsOf } from "../../../../domain/units.ts"
import * as declare from "../../../../settings/declare.ts"
import type * as GraphQl from "../../../../upstream/response/GraphQl.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import type { Part, SuiHead, SuiProvider } from "../../Provider.ts"
import { SuiBalanceChanges } from "../../toTransaction.ts"
import * as calls from "./calls.ts"
import * as HostReads from "./HostReads.ts"

// Sui GraphQL RPC (docs.sui.io, schema.graphql and config.rs of MystenLabs/sui); public nodes no longer serve JSON-RPC.

/** Public hosts allow 100 calls in 30 seconds; the operator's own hosts are not limited. */
const rates = { public: { perSecond: 2.5, burst: 25 }, own: { perSecond: 1_000, burst: 1_000 } }

const noDecimals: Fault = {
  reason: "bad_answer",
  detail: "there is no coin of this type, or its decimals are unknown",
  final: true
}

/** The decimals in the metadata at a path. */
const decimalsAt = (reply: GraphQl.GraphQlResponse, path: GraphQl.Path): Part<number> =>
  Either.flatMap(reply.at(path, calls.Metadata), (metadata) =>
    Either.fromNullable(metadata?.decimals, () => noDecimals)
  )

/** Reads from a host whose newest checkpoint fits the clock. */
const readFresh = <P>(host: Upstream.Endpoint, call: GraphQl.GraphQlRequest<P>, parameters: P) =>
  Effect.tap(HostReads.read(host, call, parameters), (reply) => HostReads.requireFresh(host, reply))

const headIn = (host: Upstream.Endpoint, reply: GraphQl.GraphQlResponse) =>
  Either.mapBoth(reply.at(["checkpoint"], calls.Newest), {
    onLeft: host.fault,
    onRight: ({ epoch, sequenceNumber, timestamp }): SuiHead => ({
      height: sequenceNumber,
      time: secondsOf(timestamp),
      epoch
    })
  })

/** Checks that a host serves the main network. */
const canary = (host: Upstream.Endpoint) =>
  Effect.flatMap(HostReads.read(host, calls.identity, {}), (reply) =>
    Either.mapLeft(reply.at(["chainIdentifier"], Schema.String), host.fault)
  )

/** The hosts at SUI_GRAPHQL_URLS. */
export const make = Effect.gen(function* () {
  const urls = yield* declare.urls({
    name: "SUI_GRAPHQL_URLS",
    default: sui.nodes,
    meaning: "GraphQL hosts of Sui"
  })
  const hosts = yield* Upstream.make({
    name: "sui-graphql",
    urls,
    calls,
    rate: { source: "SUI", keyless: urls === sui.nodes ? rates.public : rates.own },
    canary
  })
  return { name: hosts.name, hosts, ...reads } satisfies SuiProvider as SuiProvider
})

const reads = {
  head: (host) => Effect.flatMap(HostReads.read(host, calls.newest, {}), (reply) => headIn(host, reply)),
  balances: (host, owners) =>
    Effect.map(readFresh(host, calls.balances, { owners }), (reply) =>
      owners.map((_, index) => reply.at(["multiGetAddresses", index], calls.ListedOwner))
    ),
  moreBalances: (host, lists) =>
    Effect.map(HostReads.read(host, calls.moreBalances, { lists }), (reply) =>
      lists.map((_, index) => reply.at([`p${index}`], calls.Owner))
    ),
  balance: (host, coin) =>
    Effect.gen(function* () {
      const reply = yield* readFresh(host, calls.balance, coin)
      const { balance } = yield* Either.mapLeft(reply.at(["address"], calls.Balance), host.fault)
      return { amount: BigInt(balance.totalBalance), decimals: decimalsAt(reply, ["coinMetadata"]) }
    }),
  decimals: (host, types) =>
    Effect.map(readFresh(host, calls.decimals, { types }), (reply) =>
      types.map((_, index) => decimalsAt(reply, [`t${index}`]))
    ),
  coin: (host, type) =>
    Effect.gen(function* () {
      const [address = ""] = type.split("::")
      const reply = yield* readFresh(host, calls.coinFacts, { type, package: address })
      const { coinMetadata, object } = calls.coinFacts.response.fields
      const metadata = yield* Either.mapLeft(reply.at(["coinMetadata"], coinMetadata), host.fault)
      const found = yield* Either.mapLeft(reply.at(["object"], object), host.fault)
      return { metadata, hasPackage: found !== null }
    }),
  names: (host, types) =>
    Effect.map(readFresh(host, calls.coinNames, { types }), (reply) =>
      types.map((_, index) => reply.at([`t${index}`], calls.CoinName))
    ),
  stakes: (host, owner, after) =>
    Effect.gen(function* () {
      const reply = yield* HostReads.read(host, calls.stakes, { owner, after })
      const { balance } = yield* Either.mapLeft(reply.at(["address"], calls.Balance), host.fault)
      return { amount: BigInt(balance.totalBalance), stakes: reply.at(["address", "objects"], calls.Stakes) }
    }),
  context: (host, owner, after) =>
    Effect.flatMap(HostReads.read(host, calls.context, { owner, after }), (reply) => {
      const { address, checkpoint, chainIdentifier, epoch } = calls.context.response.fields
      return Effect.mapError(
        Either.all({
          chainIdentifier: reply.at(["chainIdentifier"], chainIdentifier),
          checkpoint: reply.at(["checkpoint"], checkpoint),
          epoch: reply.at(["epoch"], epoch),
          address: reply.at(["address"], address)
        }),
        host.fault
      )
    }),
  fees: (host) =>
    Effect.gen(function* () {
      const reply = yield* HostReads.read(host, calls.fees, {})
      const price = yield* Either.mapLeft(reply.at(["epoch", "referenceGasPrice"], calls.GasPrice), host.fault)
      return { price, configs: reply.at(["epoch", "protocolConfigs"], calls.Configs) }
    }),
  statuses: (host, digests) =>
    Effect.gen(function* () {
      const reply = yield* HostReads.read(host, calls.statuses, { digests })
      const head = yield* headIn(host, reply)
      return {
        head,
        found: digests.map((_, index) => reply.at(["multiGetTransactions", index], calls.Checkpointed))
      }
    }),
  transactions: (host, page) =>
    Effect.gen(function* () {
      const isFirst = page.before === null
      if (isFirst) yield* HostReads.requireNotStalled(host)
      const reply = yield* isFirst
        ? readFresh(host, calls.firstTransactions, page)
        : HostReads.read(host, calls.transactions, page)
      const found = yield* Either.mapLeft(reply.at(["transactions"], calls.TransactionPage), host.fault)
      const range = isFirst ? reply.at(["serviceConfig", "availableRange"], calls.Range) : undefined
      return { ...found, range }
    }),
  transaction: (host, digest) =>
    Effect.flatMap(HostReads.read(host, calls.transaction, { digest }), (reply) =>
      Either.mapLeft(reply.at(["transaction"], calls.transaction.response.fields.transaction), host.fault)
    ),
  moreChanges: (host, lists) =>
    Effect.map(HostReads.read(host, calls.moreChanges, { lists }), (reply) =>
      lists.map((_, index) => reply.at([`p${index}`, "balanceChanges"], SuiBalanceChanges))
    )
} satisfies Omit<SuiProvider, "name" | "hosts">
