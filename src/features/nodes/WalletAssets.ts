import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { Holding, ReadFailure } from "../../chains/Chain.ts"
import type { Chains } from "../../chains/Chains.ts"
import type { Rpc, RpcCall, RpcReply } from "../../jsonrpc/Rpc.ts"
import { each } from "../../kernel/each.ts"
import * as Task from "../../kernel/Task.ts"
import { parsedJson } from "../../kernel/tryOrElse.ts"
import { type AnyNetwork, guarded } from "../reading.ts"

// wallet_getAssets (ERC-7811: github.com/ethereum/ERCs, erc-7811.md) at the nodes of EVM networks. Clients take an asset
// that is not in the result as zero: if an asset cannot be read, the call fails.

const method = "wallet_getAssets"

/** Most chains, assets and types in a call: each may cost calls to upstreams. */
const most = 50

const ChainId = Schema.String.pipe(
  Schema.pattern(/^0x[0-9a-f]{1,13}$/i, { message: () => "a chain id is hexadecimal, such as 0x1" })
)
const Type = Schema.Literal("native", "erc20").annotations({
  message: () => ({ message: "the types of assets are native and erc20", override: true })
})
const listOf = <A, I>(item: Schema.Schema<A, I>) => Schema.Array(item).pipe(Schema.maxItems(most))

const Params = Schema.Tuple(
  Schema.Struct({
    account: Schema.String,
    assetFilter: Schema.optional(
      Schema.Record({ key: ChainId, value: listOf(Schema.Struct({ address: Schema.String, type: Type })) })
    ),
    assetTypeFilter: Schema.optional(listOf(Type)),
    chainFilter: Schema.optional(listOf(ChainId))
  })
)
type AssetQuery = (typeof Params.Type)[0]

interface CallProblem {
  readonly code: number
  readonly message: string
}

const invalid = (message: string): CallProblem => ({ code: -32602, message })

const problemOf = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .slice(0, 1)
    .map(({ message, path }) => `${path.join(".")}: ${message}`.slice(0, 300))
    .join()

const unread = ({ facts }: AnyNetwork, { message }: ReadFailure): CallProblem => ({
  code: -32000,
  message: `assets on ${facts.id} could not be read: ${message}`
})

/** The asset as the standard has it. */
const toAsset = (network: AnyNetwork, holding: Holding) =>
  Either.mapBoth(holding.amount, {
    onLeft: (failure) => unread(network, failure),
    onRight: (amount) => {
      const { asset } = holding
      const { decimals, name, symbol } = asset === "native" ? network.facts.native : asset
      return {
        address: asset === "native" ? asset : asset.address,
        balance: `0x${amount.toString(16)}`,
        type: asset === "native" ? asset : ("erc20" as const),
        metadata: { decimals, name, symbol }
      }
    }
  })

/** Reads all assets of an address on a network that the service knows. */
const allOf = (network: AnyNetwork, address: string): Effect.Effect<ReadonlyArray<Holding>, ReadFailure> =>
  Effect.flatMap(network.holdings([address]), ({ addresses: [read], missing, unreadTokens = [] }) => {
    const failure = missing ?? unreadTokens[0]
    if (failure !== undefined) return Effect.fail(failure)
    return read ?? Effect.fail({ reason: "upstream_error", message: "no response" } as const)
  })

/** Reads chosen assets of an address; a token need not be one that the service knows. */
const chosen = (network: AnyNetwork, address: string, assets: NonNullable<AssetQuery["assetFilter"]>[string]) =>
  each(assets, ({ address: token, type }) =>
    network.holding(address, type === "native" ? Option.none() : Option.some(token))
  )

/** The result for one chain. */
const assetsOn = Effect.fnUntraced(function* (network: AnyNetwork, id: string, filter: AssetQuery, deadline: number) {
  const { account, assetFilter, assetTypeFilter = ["native", "erc20"] } = filter
  const address = yield* Effect.mapError(network.address(account), (problem) => invalid(`account: ${problem}`))
  const wanted = assetFilter?.[id]
  const read = wanted === undefined ? allOf(network, address) : chosen(network, address, wanted)
  const holdings = yield* Effect.mapError(guarded(network, deadline, read), (failure) => unread(network, failure))
  const assets = yield* Effect.forEach(holdings, (holding) => toAsset(network, holding))
  return assets.filter(({ type }) => wanted !== undefined || assetTypeFilter.includes(type))
})

type NetworkLookup = Pick<Context.Tag.Service<typeof Chains>, "facts" | "find">

/** Reads the assets of a call; without a filter, those on the network of the nodes. */
const assetsOf = Effect.fnUntraced(function* (
  { facts: all, find }: NetworkLookup,
  { facts: own }: AnyNetwork,
  { params }: RpcCall,
  deadline: number
) {
  const [filter] = yield* Effect.mapError(Schema.decodeUnknown(Params)(parsedJson(params ?? "[]")), (error) =>
    invalid(problemOf(error))
  )
  const ids = Object.keys(filter.assetFilter ?? {})
  const named = filter.chainFilter ?? [`0x${Number(own.chainId).toString(16)}`]
  const chains = filter.assetFilter === undefined ? [...new Set(named)] : ids
  const count = Object.values(filter.assetFilter ?? {}).flat().length
  if (Math.max(chains.length, count) > most) return yield* Effect.fail(invalid(`at most ${most} chains and assets`))
  const known = chains.flatMap((id) => {
    const facts = all.find(({ chainId, family }) => family === "evm" && chainId === Number(id))
    return facts === undefined ? [] : [{ id, name: facts.id }]
  })
  const results = yield* each(known, ({ id, name }) =>
    Effect.flatMap(find(name), (network) =>
      Option.isNone(network)
        ? Effect.succeed([])
        : Effect.map(assetsOn(network.value, id, filter, deadline), (assets) => [[id, assets] as const])
    )
  )
  return Object.fromEntries(results.flat())
})

const replyOf = (read: Effect.Effect<unknown, CallProblem>): Effect.Effect<RpcReply> =>
  Effect.match(read, {
    onFailure: (failure) => ({ member: "error", text: JSON.stringify(failure) }),
    onSuccess: (result) => ({ member: "result", text: JSON.stringify(result) })
  })

/** Serves wallet_getAssets beside the calls of the nodes of an EVM network. */
export const withAssets =
  (networks: NetworkLookup, deadline: number, run: Task.OfEffect) =>
  (network: AnyNetwork, nodes: Rpc): Rpc => {
    if (network.facts.family !== "evm") return nodes
    const isOwn = (call: RpcCall) => call.method === method
    const read = (call: RpcCall) => replyOf(assetsOf(networks, network, call, deadline))
    return {
      ...nodes,
      call: (call) => (isOwn(call) ? run(read(call)) : nodes.call(call)),
      batch: (calls) => {
        if (!calls.some(isOwn)) return nodes.batch(calls)
        const others = calls.filter((call) => !isOwn(call))
        return run(
          Effect.gen(function* () {
            const passed = others.length === 0 ? Effect.succeed([]) : Task.toEffect(nodes.batch(others))
            const [own, replies] = yield* Effect.all([each(calls.filter(isOwn), read), passed], { concurrency: 2 })
            const [fromService, fromNodes] = [own.map((reply) => Either.right(reply)).values(), replies.values()]
            return calls.flatMap((call) => (isOwn(call) ? fromService : fromNodes).next().value ?? [])
          })
        )
      }
    }
  }
