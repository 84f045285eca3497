import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { polkadot } from "../../catalogue/polkadot.ts"
import type { Token } from "../../domain/Token.ts"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import type { Seconds } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import * as declare from "../../settings/declare.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { Chain, type Holding, type ReadFailure } from "../Chain.ts"
import * as Contexts from "../Contexts.ts"
import { newestBlock } from "../currentHead.ts"
import { positioned } from "../heights.ts"
import { decimalsOf, follow, missingTokens, unread, confirming as waiting, withDecimals } from "../tokenList.ts"
import * as Client from "./Client.ts"
import * as Fees from "./Fees.ts"
import * as FindTransaction from "./FindTransaction.ts"
import * as Holdings from "./Holdings.ts"
import { heights } from "./history.ts"
import * as PolkadotAddress from "./PolkadotAddress.ts"
import * as PolkadotAsset from "./PolkadotAsset.ts"
import { tokens as platformTokens } from "./PolkadotAsset.ts"
import * as RawTransactions from "./RawTransactions.ts"
import * as Subscan from "./Subscan.ts"
import { assetMetadata, metadataKey } from "./storage.ts"
import * as TransactionContext from "./TransactionContext.ts"
import * as TransactionStatus from "./TransactionStatus.ts"

// Asset Hub, which has held Polkadot's balances since November 2025 (docs.polkadot.com); storage of the pallets System
// and Assets (polkadot-sdk, substrate/frame); SS58 addresses.

/** Keys per call: about 300 kB in each direction. */
const keysPerCall = 2_000

/** Input of `holdings` and `holding`: a public key in canonical form. */
type PolkadotAccount = `0x${string}`

const make = Effect.gen(function* () {
  const nodes = yield* Upstream.make({
    name: "polkadot-rpc",
    urls: yield* declare.urls({
      name: "POLKADOT_RPC_URLS",
      default: polkadot.nodes,
      meaning: "JSON-RPC nodes of Polkadot Asset Hub"
    }),
    canary: Client.canary
  })
  const tokenList = yield* follow(platformTokens, [nodes.name])

  const subscan = yield* Subscan.make
  const find = (hash: string) =>
    subscan === undefined ? Effect.fail(noIndexer) : Effect.mapError(subscan.find(hash), unread)

  const holdings: Chain["Type"]["holdings"] = (addresses) =>
    Effect.gen(function* () {
      const list = yield* tokenList.list
      const tokens = Option.match(list, { onNone: () => [], onSome: (known) => known.tokens.filter(isToken) })
      const chunks = Arr.chunksOf(
        addresses as ReadonlyArray<PolkadotAccount>,
        Math.ceil(keysPerCall / (tokens.length + 1))
      )
      const parts = yield* Effect.forEach(
        chunks,
        (accounts) =>
          Effect.match(readAccounts(nodes, accounts, tokens), {
            onFailure: (error) => accounts.map(() => Either.left(unread(error))),
            onSuccess: Arr.map(Either.mapLeft(unread))
          }),
        { concurrency: 4 }
      )
      yield* tokenList.confirm(decimalsOf(parts.flat()))
      return { addresses: parts.flat(), missing: missingTokens(list) }
    }).pipe(span("Polkadot.holdings", { attributes: { addresses: addresses.length } }))

  const history = (query: HistoryQuery<Seconds>) =>
    subscan === undefined
      ? Effect.fail(noKey)
      : subscan
          .history(query)
          .pipe(Effect.mapError(unread), span("Polkadot.history", { attributes: { limit: query.limit } }))

  return {
    facts: polkadot,
    address: PolkadotAddress.parse,
    addressForm: PolkadotAddress.formOf,
    canonicalToken: platformTokens.canonical,
    batchSize: 200,
    holdings,
    holding: holdingOf(nodes, tokenList),
    breakdown: Holdings.breakdown(nodes),
    ...positioned(heights, withDecimals(history, tokenList.list, confirming(nodes, tokenList.confirm))),
    ...RawTransactions.make(nodes, (hash) => Effect.map(find(hash), ({ response }) => response)),
    newestBlock: newestBlock(polkadot, nodes.addresses, Client.headOf),
    statuses: yield* TransactionStatus.make(nodes, subscan, noIndexer),
    transaction: waiting(
      FindTransaction.make(subscan, noIndexer),
      tokenList.list,
      confirming(nodes, tokenList.confirm)
    ),
    transactionContexts: Contexts.ofNode(nodes, (node, addresses) =>
      TransactionContext.read(node, addresses as ReadonlyArray<PolkadotAccount>)
    ),
    fees: Fees.make(nodes),
    abilities: Effect.map(tokenList.abilities, (served) => ({
      ...served,
      fees: Either.right([nodes.name]),
      transactionContext: Either.right([nodes.name]),
      rawTransactions: Either.right([nodes.name, ...(subscan === undefined ? [] : [subscan.name])]),
      history: subscan === undefined ? Either.left(noKey.message) : Either.right([subscan.name])
    }))
  } satisfies Chain["Type"]
})

export const layer = Layer.effect(Chain, make)

type AssetList = Effect.Effect.Success<ReturnType<typeof follow>>

/** Reads the balance of one account in DOT or in one asset. */
const holdingOf =
  (nodes: Upstream.Upstream, assets: AssetList): Chain["Type"]["holding"] =>
  (address, text) =>
    Effect.gen(function* () {
      const account = address as PolkadotAccount
      if (Option.isNone(text)) {
        const [own = Either.left(noAsset)] = yield* readAccounts(nodes, [account], [])
        const [first] = yield* own
        return first ?? (yield* Effect.fail(noAsset))
      }
      const id = Option.getOrUndefined(PolkadotAsset.parse(text.value))
      if (id === undefined) return yield* Effect.fail(invalidToken)
      const registered = Option.flatMapNullable(yield* assets.list, ({ byAddress }) => byAddress.get(id))
      return yield* readAsset(nodes, account, id, registered)
    }).pipe(Effect.mapError(unread))

/** False for the native coin, which may be listed as an asset and would be counted twice. */
const isToken = ({ coinId }: Token) => coinId !== polkadot.native.coinId

type AccountHoldings = ReadonlyArray<Either.Either<ReadonlyArray<Holding>, UpstreamError>>

/** An account that one node returns in an unexpected format is read from the next, and is the only one that fails. */
const readAccounts = (
  nodes: Upstream.Upstream,
  accounts: ReadonlyArray<PolkadotAccount>,
  tokens: ReadonlyArray<Token>
): Effect.Effect<AccountHoldings, UpstreamError> =>
  Effect.suspend(() => {
    const keys = Holdings.keysOf(
      accounts,
      tokens.map(({ address }) => address)
    )
    let partial: AccountHoldings | undefined
    const whole = nodes.over((node) =>
      Effect.flatMap(Client.read(node, keys), (values): Effect.Effect<AccountHoldings, UpstreamError> => {
        const all = accounts.map((account) => Either.mapLeft(Holdings.all(values, account, tokens), node.fault))
        const [fault] = Arr.getLefts(all)
        if (fault === undefined) return Effect.succeed(all)
        partial = all
        return Effect.fail(fault)
      })
    )
    return Effect.catchAll(whole, (error) => (partial === undefined ? Effect.fail(error) : Effect.succeed(partial)))
  })

const readAsset = (nodes: Upstream.Upstream, account: PolkadotAccount, id: string, registered: Option.Option<Token>) =>
  nodes.over((node) =>
    Effect.flatMap(Client.read(node, Holdings.keysOf([account], [id])), (values) => {
      const named = Option.map(assetMetadata(values.get(metadataKey(id)) ?? null), (metadata) => ({
        ...metadata,
        address: id,
        thumbnail: ""
      }))
      return Option.match(
        Option.orElse(registered, () => named),
        {
          onNone: () => node.fault({ reason: "bad_answer", detail: noAsset.message, final: true }),
          onSome: (token) => Effect.succeed(Holdings.asset(values, account, token))
        }
      )
    })
  )

/** Reads the decimals of assets and confirms them. Cannot fail. */
const confirming = (nodes: Upstream.Upstream, confirm: AssetList["confirm"]) => (ids: ReadonlyArray<string>) =>
  nodes
    .over((node) => Client.read(node, ids.map(metadataKey)))
    .pipe(
      Effect.flatMap((values) =>
        confirm(
          new Map(
            ids.flatMap((id) =>
              Option.toArray(assetMetadata(values.get(metadataKey(id)) ?? null)).map(
                ({ decimals }) => [id, decimals] as const
              )
            )
          )
        )
      ),
      Effect.catchAll(({ message }) => Effect.logDebug(`decimals of assets: ${message}`))
    )

const noAsset: ReadFailure = {
  reason: "bad_answer",
  message: "there is no asset with this id, or its decimals are unknown"
}

const noKey: ReadFailure = {
  reason: "not_configured",
  message: "no history source is configured: set SUBSCAN_API_KEY"
}

const noIndexer: ReadFailure = {
  reason: "not_configured",
  message: "nodes cannot look up transactions by hash, and no indexer is configured: set SUBSCAN_API_KEY"
}

const invalidToken: ReadFailure = {
  reason: "invalid_address",
  message: "tokenAddress: an asset is identified by its numeric id"
}
