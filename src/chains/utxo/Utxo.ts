import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { variablePrefix } from "../../domain/NetworkId.ts"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import * as Client from "../../jsonrpc/Client.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import * as declare from "../../settings/declare.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import { type AbilitySources, Chain, type Holding, type ReadFailure } from "../Chain.ts"
import { newestBlock } from "../currentHead.ts"
import type { BalanceResult } from "./Balances.ts"
import * as Balances from "./Balances.ts"
import * as Breakdown from "./Breakdown.ts"
import * as FeeRates from "./fees/FeeRates.ts"
import { calls as feeCalls } from "./fees/node.ts"
import * as UtxoFees from "./fees/UtxoFees.ts"
import * as Histories from "./Histories.ts"
import * as Replacement from "./Replacement.ts"
import { calls } from "./rawTransactions/node.ts"
import * as RawTransactions from "./rawTransactions/RawTransactions.ts"
import * as Relay from "./rawTransactions/Relay.ts"
import { heightOf } from "./replacements.ts"
import * as Indexers from "./sources/Indexers.ts"
import * as TransactionContext from "./TransactionContext.ts"
import * as TransactionStatus from "./TransactionStatus.ts"
import * as Unspent from "./Unspent.ts"
import * as UtxoAddress from "./UtxoAddress.ts"

/** Maps a balance to a holding of the native coin. */
const toHolding = (read: BalanceResult, noSource: ReadFailure): Either.Either<Holding, ReadFailure> => {
  if (read === undefined) return Either.left(noSource)
  return Either.mapBoth(read, {
    onLeft: ({ message, reason }) => ({ reason, message }),
    onRight: ({ balance, unconfirmed }) => ({
      asset: "native" as const,
      amount: Either.right(balance),
      ...(unconfirmed === undefined ? {} : { parts: { unconfirmed } })
    })
  })
}

/** The adapter of every network of the Bitcoin family. */
export const layer = (info: UtxoFacts) => Layer.effect(Chain, make(info))

const make = (info: UtxoFacts) =>
  Effect.gen(function* () {
    const node = yield* nodes(info)
    const sources = yield* Effect.forEach(info.indexers, (indexer) => Indexers.make(info, indexer))
    const relays = RawTransactions.inPreference([node, ...sources].flatMap((source) => source?.relay ?? []))
    const estimators = UtxoFees.inPreference([node, ...sources].flatMap((source) => source?.fees ?? []))
    // Ends before the use case times out for the whole network.
    const within = Deadline.make(yield* requestDeadline).share("collect")
    const balances = Balances.make(sources, within)
    const configured = sources.filter(({ supports }) => supports(info.sampleAddress))
    const historySources = Histories.inPreference(configured)

    const noSource = noSourceReason(info, configured.length > 0)
    const histories = Histories.make(info, sources, within, noSourceReason(info, historySources.length > 0))
    const read = (addresses: ReadonlyArray<string>) =>
      Effect.map(balances(addresses), (all) => all.map((balance) => toHolding(balance, noSource)))

    const holdings: Chain["Type"]["holdings"] = (addresses) =>
      Effect.map(read(addresses), (all) => ({
        addresses: all.map(Either.map((current) => [current])),
        missing: undefined
      })).pipe(span("Utxo.holdings", { attributes: { network: info.id, addresses: addresses.length } }))

    const holding: Chain["Type"]["holding"] = (address, token) =>
      Option.isSome(token)
        ? Effect.fail(noTokens(info))
        : Effect.flatMap(read([address]), ([first]) => first ?? Effect.fail(noSource))

    /** For the addresses of one request. */
    const contexts = (scripts: boolean) =>
      Effect.map(
        Unspent.sharedHeads,
        (heads) => (address: string) =>
          TransactionContext.read(info, sources, () => noSource, address, { heads, scripts })
      )

    const history = (query: HistoryQuery) =>
      span("Utxo.history", { attributes: { network: info.id, limit: query.limit } })(histories(query))

    const fees = UtxoFees.make(info, estimators)
    const statusSources = sources.flatMap(({ statuses }) => statuses)

    return {
      facts: info,
      address: UtxoAddress.parse(info),
      addressForm: UtxoAddress.formOf(info),
      holdings,
      holding,
      history,
      breakdown: Breakdown.make(contexts(false), within),
      transactionContexts: () => contexts(true),
      heights: { of: heightOf },
      ...RawTransactions.withSending(info, RawTransactions.make(info, relays)),
      newestBlock: newestBlock(info, statusSources, ({ head }) => head, noSourceReason(info, false)),
      statuses: yield* TransactionStatus.make(info, statusSources, RawTransactions.notConfigured(info)),
      replacement: yield* Replacement.make(info, statusSources, RawTransactions.notConfigured(info), fees),
      fees,
      abilities: Effect.succeed({
        balance: served(configured, noSource),
        history: served(historySources, noSourceReason(info, false)),
        rawTransactions: served(relays, RawTransactions.notConfigured(info)),
        fees: served(estimators, UtxoFees.notConfigured(info)),
        transactionContext: served(TransactionContext.inPreference(configured), noSource),
        tokens: Either.left(`${info.name} has no tokens`)
      })
    } satisfies Chain["Type"]
  })

/** The operator's own nodes; there are no public ones. */
const nodes = (info: UtxoFacts) =>
  Effect.gen(function* () {
    const urls = yield* declare.urls({
      name: `${variablePrefix(info.id)}_RPC_URLS`,
      default: [],
      meaning: `Nodes of ${info.name} (JSON-RPC of bitcoind; user:password@ is allowed), used first for raw transactions and fees`
    })
    const upstream = yield* Upstream.make({
      name: `${info.id}-rpc`,
      urls,
      canary: (address) =>
        Effect.flatMap(
          Client.call(address, { method: "getblockcount", params: [] }),
          Either.match({
            onLeft: () =>
              Effect.fail(address.fault({ reason: "upstream_error", detail: "did not return its block height" })),
            onRight: () => Effect.void
          })
        )
    })
    return urls.length > 0
      ? { relay: Relay.make(info, upstream, calls), fees: FeeRates.make(info, upstream, feeCalls) }
      : undefined
  })

const served = (sources: ReadonlyArray<{ readonly name: string }>, noSource: ReadFailure): AbilitySources =>
  sources.length > 0 ? Either.right(sources.map(({ name }) => name)) : Either.left(noSource.message)

const noTokens = ({ name }: UtxoFacts): ReadFailure => ({
  reason: "invalid_address",
  message: `tokenAddress: ${name} has no tokens`
})

/** Why no source can be queried: no indexer is configured, or only ones that do not support extended public keys. */
const noSourceReason = ({ id, name }: UtxoFacts, forAddresses: boolean): ReadFailure => {
  const variable = variablePrefix(id)
  return {
    reason: "not_configured",
    message: forAddresses
      ? `extended public keys need a Blockbook: set ${variable}_BLOCKBOOK_URLS`
      : `${name} has no indexer: set ${variable}_BLOCKBOOK_URLS or ${variable}_ESPLORA_URLS`
  }
}
