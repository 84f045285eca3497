import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Address } from "viem"
import { type EvmFacts, evmSupply } from "../../catalogue/evm/EvmFacts.ts"
import { variablePrefix } from "../../domain/NetworkId.ts"
import type { Token } from "../../domain/Token.ts"
import { span } from "../../kernel/span.ts"
import { type RegisteredToken, type TokenList, TokenRegistry } from "../../providers/TokenRegistry.ts"
import * as declare from "../../settings/declare.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { impossible } from "../amounts.ts"
import { fullySpendable } from "../Breakdown.ts"
import { type AbilitySources, Chain, type Holding, type HoldingsResult, type ReadFailure } from "../Chain.ts"
import * as Contexts from "../Contexts.ts"
import { newestBlock } from "../currentHead.ts"
import { byBlock, positioned } from "../heights.ts"
import { type Scalings, scaled } from "../scaled.ts"
import { confirming, invalidToken, missingTokens, notLoaded, unread, unregistered, withDecimals } from "../tokenList.ts"
import * as Balances from "./Balances.ts"
import * as Decimals from "./Decimals.ts"
import { decimalsSelector, declaredIn } from "./Decimals.ts"
import * as Estimate from "./Estimate.ts"
import * as EvmAddress from "./EvmAddress.ts"
import { tokensOf } from "./EvmAddress.ts"
import * as FirstTransaction from "./FirstTransaction.ts"
import * as EvmFees from "./fees/EvmFees.ts"
import { Explorers } from "./history/Explorers.ts"
import type { Token as TokenRow } from "./history/ExplorerWire.ts"
import * as History from "./history/History.ts"
import type { NativeTokens } from "./history/ListedTransaction.ts"
import * as NodeTransaction from "./history/NodeTransaction.ts"
import { heightOf } from "./history/transaction.ts"
import * as Multipliers from "./Multipliers.ts"
import { currentBlock, headOf, newestBlockCalls, wrongChain } from "./newestBlock.ts"
import * as Recipient from "./Recipient.ts"
import * as Replacement from "./Replacement.ts"
import * as Clients from "./rpc/Clients.ts"
import * as Coalescer from "./scanner/Coalescer.ts"
import { maxTokensPerCall, packAddresses } from "./scanner/Codec.ts"
import type { BalanceQuery, BalanceReading } from "./strategies/BalanceStrategy.ts"
import { balanceOf, callAll, quantity, word } from "./strategies/calls.ts"
import * as TransactionContext from "./TransactionContext.ts"
import * as TransactionStatus from "./TransactionStatus.ts"

/** Fails if a node is not on the expected chain. */
export const onChain = (chainId: number) => (node: Endpoint) =>
  Effect.flatMap(callAll(node, [{ method: "eth_chainId", params: [] }]), ([answer]) =>
    Option.getOrUndefined(quantity(answer)) === BigInt(chainId) ? Effect.void : Effect.fail(node.fault(wrongChain))
  )

/** The native balance of one address. */
export const nativeBalance = (
  nodes: Upstream.Upstream,
  facts: EvmFacts,
  holder: Address
): Effect.Effect<Holding, UpstreamError> =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const outcomes = yield* callAll(node, [
        ...newestBlockCalls,
        { method: "eth_getBalance", params: [holder, "latest"] }
      ])
      yield* currentBlock(node, facts, outcomes)
      const amount = quantity(outcomes[2])
      if (Option.isNone(amount))
        return yield* node.fault({ reason: "bad_answer", detail: "the node returned no balance" })
      if (amount.value > evmSupply) return yield* node.fault(impossible)
      return { asset: "native" as const, amount: Either.right(amount.value) }
    })
  )

/**
 * The balance of one token. The decimals that it declares are read in the same request; if it declares none, those of
 * the registry are used. A token without either fails, because its balance cannot be formatted.
 */
export const tokenBalance = (
  nodes: Upstream.Upstream,
  facts: EvmFacts,
  holder: Address,
  contract: Address,
  registered: Option.Option<Token>,
  multipliers: Multipliers.Multipliers
): Effect.Effect<Holding, UpstreamError> =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const isPlain = multipliers.isPlain(contract)
      const outcomes = yield* callAll(node, [
        ...newestBlockCalls,
        balanceOf(holder, contract),
        { method: "eth_call", params: [{ to: contract, data: decimalsSelector }, "latest"] },
        ...(isPlain ? [] : Multipliers.multiplierCalls(contract))
      ])
      yield* currentBlock(node, facts, outcomes)
      const [, , balance, decimals, ...multiplier] = outcomes
      const asset = Option.flatMap(declaredIn(decimals), (own) =>
        own === undefined
          ? registered
          : Option.some({ ...Option.getOrElse(registered, () => unregistered(contract)(own)), decimals: own })
      )
      const amount = word(balance)
      if (Option.isNone(asset) || Option.isNone(amount))
        return yield* node.fault({
          reason: "bad_answer",
          detail: "no token at this address returns a balance and its decimals",
          final: true
        })
      const scaling = isPlain ? undefined : yield* multipliers.read(contract, multiplier)
      return scaled(asset.value, Either.right(amount.value), scaling)
    })
  )

/** Packs the `wanted` tokens of a list for the scanner, once per list: the list of the registry rarely changes. */
export const tokenPacks = (wanted: (token: RegisteredToken) => boolean) => {
  let last: { readonly of: ReadonlyArray<RegisteredToken>; readonly packed: Packed } | undefined
  return (tokens: ReadonlyArray<RegisteredToken>): Packed => {
    if (last?.of === tokens) return last.packed
    const addresses = tokens.filter(wanted).map((token) => token.address as Address)
    const packed = Arr.chunksOf(addresses, maxTokensPerCall).map((chunk) => ({
      tokens: chunk,
      hex: packAddresses(chunk)
    }))
    last = { of: tokens, packed: { tokens: addresses, packed } }
    return last.packed
  }
}

type Packed = Pick<BalanceQuery, "tokens" | "packed">

// Ethereum JSON-RPC (ethereum.github.io/execution-apis); EIP-55 addresses, ERC-20 tokens.

/** The adapter of an EVM network; its nodes are set by `<NETWORK>_RPC_URLS`. */
export const layer = (info: EvmFacts) => Layer.provide(Layer.scoped(Chain, make(info)), Explorers.layer)

/** Addresses per call for balances. */
const addressesPerCall = 50

/** If this many calls for balances are in flight, the addresses of further requests are batched. */
const busyCalls = 4

/** Maximum time that a request waits for others to share its batch. */
const maxWait = "25 millis"

const make = (info: EvmFacts) =>
  Effect.gen(function* () {
    const urls = yield* declare.urls({
      name: `${variablePrefix(info.id)}_RPC_URLS`,
      default: info.nodes,
      meaning: `JSON-RPC nodes of ${info.name}`
    })
    const nodes = yield* Upstream.make({ name: `${info.id}-rpc`, urls, canary: onChain(info.chainId) })
    const registry = yield* TokenRegistry
    const { confirm, list, multipliers, unitsOf } = yield* checked(info, nodes)
    const read = Balances.make(info, nodes)
    const pack = tokenPacks((token) => !isMirror(info, token))
    const explorers = yield* (yield* Explorers).of(info)
    const tokens = { native: nativeTokens(info, list), confirmDecimals: confirmingDecimals(info, list, registry) }
    const { history, served: historyServed } = yield* History.make(info, nodes, explorers, tokens)
    const { served: firstServed, ...others } = FirstTransaction.make(info, nodes, explorers)
    const off = urls.length > 0 ? undefined : info.sunset === undefined ? notConfigured(info) : shutDown(info)
    const clients = yield* Clients.make(info, nodes, off)
    const served: AbilitySources = off === undefined ? Either.right([nodes.name]) : Either.left(off.message)

    const readHoldings = (addresses: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        if (off !== undefined) return unreadAll(addresses, off)
        const known = yield* list
        const tokens = Option.match(known, { onNone: () => [], onSome: (tokenList) => tokenList.tokens })
        const holders = addresses as ReadonlyArray<`0x${string}`>
        const { holders: readings } = yield* read({ chainId: info.chainId, holders, ...pack(tokens) })
        const units = yield* unitsOf(readings.flatMap(({ balances }) => [...balances.keys()]))
        return {
          addresses: readings.map((reading) => Either.right(toHoldings(reading, known, units))),
          missing: info.platform === undefined ? undefined : missingTokens(known)
        }
      }).pipe(
        Effect.catchTag("UpstreamError", (error) => Effect.succeed(unreadAll(addresses, unread(error)))),
        span("Evm.holdings", { attributes: { network: info.id, addresses: addresses.length } })
      )

    const holding: Chain["Type"]["holding"] = (address, text) =>
      Effect.gen(function* () {
        const token = yield* tokenAddress(text)
        if (off !== undefined) return yield* Effect.fail(off)
        const holder = address as `0x${string}`
        if (token === undefined) return yield* nativeBalance(nodes, info, holder)
        const registered = Option.flatMapNullable(yield* list, (known) => known.byAddress.get(token))
        return yield* tokenBalance(nodes, info, holder, token, registered, multipliers)
      }).pipe(Effect.mapError(unread))

    return {
      facts: info,
      address: (text) => EvmAddress.parse(text, info),
      addressForm: EvmAddress.formOf,
      meansNative: EvmAddress.isZero,
      batchSize: addressesPerCall,
      holdings: yield* batched(readHoldings),
      holding,
      scalings: off === undefined ? multipliers.likelyScalings : () => Effect.succeed(new Map()),
      breakdown: fullySpendable,
      ...positioned(byBlock(info, heightOf), withDecimals(history, list, confirm)),
      transactionContexts:
        off === undefined
          ? Contexts.ofNode(nodes, (node, addresses) => TransactionContext.read(node, info, addresses))
          : Contexts.perAddress(() => Effect.fail(off)),
      newestBlock:
        off === undefined ? newestBlock(info, nodes.addresses, (node) => headOf(node, info)) : Effect.fail(off),
      statuses: yield* TransactionStatus.make(info, nodes, off),
      transaction: confirming(NodeTransaction.make(info, nodes, explorers, tokens.native, off), list, confirm),
      ...beforeSending(info, nodes, off),
      ...others,
      ...clients,
      fees: EvmFees.make(info, nodes, off),
      abilities: Effect.map(tokensServed(registry, info, served), (tokens) => ({
        balance: served,
        tokens,
        history: historyServed,
        firstTransaction: firstServed,
        fees: served,
        transactionContext: served
      }))
    } satisfies Chain["Type"]
  })

/** Reads for a transaction before it is signed. */
const beforeSending = (...sources: Parameters<typeof Replacement.make>) => ({
  replacement: Replacement.make(...sources),
  estimate: Estimate.make(...sources),
  recipient: Recipient.make(...sources)
})

/** Combines concurrent requests into a batch; each request gets the results of its addresses. */
const batched = (readHoldings: Chain["Type"]["holdings"]) =>
  Effect.map(
    Coalescer.make(
      (addresses: ReadonlyArray<string>) =>
        Effect.map(readHoldings(addresses), ({ addresses: all, missing }) =>
          all.map((answer) => ({ answer, missing }))
        ),
      { busy: busyCalls, maxBatchSize: addressesPerCall, maxWait }
    ),
    (read): Chain["Type"]["holdings"] =>
      (addresses) =>
        Effect.map(read(addresses), (all) => ({
          addresses: all.map(({ answer }) => answer),
          missing: all[0]?.missing
        }))
  )

/** Tokens are served once their list is loaded. */
const tokensServed = (
  registry: TokenRegistry["Type"],
  { platform }: EvmFacts,
  served: AbilitySources
): Effect.Effect<AbilitySources> => {
  if (Either.isLeft(served)) return Effect.succeed(served)
  if (platform === undefined)
    return Effect.succeed(Either.left("its tokens are not listed by the market data provider"))
  return Effect.map(registry.has(platform), (listed) => (listed ? served : Either.left(notLoaded)))
}

/** Parses the address of a token; undefined for the native coin. */
const tokenAddress = Option.match({
  onNone: () => Either.right(undefined),
  onSome: (text: string) => Either.mapLeft(EvmAddress.parse(text), invalidToken)
})

/** The newest token list of the platform, corrected by the decimals that contracts declare, once those are read. */
const checked = (facts: EvmFacts, nodes: Upstream.Upstream) =>
  Effect.gen(function* () {
    const multipliers = yield* Multipliers.make(nodes, facts)
    const registry = yield* TokenRegistry
    const { platform } = facts
    const list = platform === undefined ? Effect.succeedNone : yield* registry.follow(tokensOf(platform))
    const decimals = yield* Decimals.checked(platform, list, Decimals.ofNodes(nodes, facts, multipliers))
    return {
      ...decimals,
      multipliers,
      /** The second read needs no call if the first one learns that no token has a multiplier. */
      unitsOf: Effect.fnUntraced(function* (owned: ReadonlyArray<Address>) {
        const decimalsOf = yield* decimals.confirm(owned)
        return { decimalsOf, scalings: yield* multipliers.scalings(owned) }
      })
    }
  })

/** Every address fails with this reason. */
const unreadAll = (addresses: ReadonlyArray<string>, reason: ReadFailure): HoldingsResult => ({
  addresses: addresses.map(() => Either.left(reason)),
  missing: undefined
})

/** The base token of ZKsync's networks, which logs each transfer of the native coin; no other network has it. */
const baseToken = "0x000000000000000000000000000000000000800a"

/**
 * Confirms the decimals that a token list claims, if an explorer has read the same ones from the contract: a history is
 * then formatted also while no node answers. What contracts declare to nodes takes precedence.
 */
const confirmingDecimals =
  ({ platform }: EvmFacts, list: Effect.Effect<Option.Option<TokenList>>, registry: TokenRegistry["Type"]) =>
  (rows: ReadonlyArray<TokenRow>): Effect.Effect<void> =>
    Effect.flatMap(list, (known) => {
      const equal = rows.flatMap(({ contractAddress, tokenDecimal }) => {
        const token = Option.getOrUndefined(known)?.byAddress.get(contractAddress.toLowerCase())
        return token !== undefined && tokenDecimal === String(token.decimals)
          ? [[token.address, token.decimals] as const]
          : []
      })
      return platform === undefined || equal.length === 0 ? Effect.void : registry.setDecimals(platform, new Map(equal))
    })

/** The contracts that represent the native coin, by the facts and by the token list. */
const nativeTokens = (info: EvmFacts, list: Effect.Effect<Option.Option<TokenList>>) =>
  Effect.map(list, (known): NativeTokens => {
    const repeats = (contract: string) => info.nativeTokens?.includes(contract) === true
    const listed = (contract: string) => Option.getOrUndefined(known)?.byAddress.get(contract)?.coinId
    return {
      repeats,
      moves: (contract) => contract === baseToken || listed(contract) === info.native.coinId
    }
  })

/** Whether a contract represents the native coin, which as a token would be counted twice. */
const isMirror = ({ nativeTokens, native }: EvmFacts, { address, coinId }: RegisteredToken) =>
  coinId === native.coinId || nativeTokens?.includes(address) === true

const toHoldings = (
  reading: BalanceReading,
  known: Option.Option<TokenList>,
  { decimalsOf, scalings }: { readonly decimalsOf: Decimals.DecimalsOf; readonly scalings: Scalings }
): ReadonlyArray<Holding> => [
  { asset: "native" as const, amount: Either.fromNullable(reading.native, () => noCoins) },
  ...Option.match(known, {
    onNone: () => [],
    onSome: ({ byAddress }) =>
      [...reading.balances.keys(), ...reading.unread].flatMap((address) => {
        const asset = byAddress.get(address)
        const balance = reading.balances.get(address)
        const amount = Either.fromNullable(balance, () => brokenToken)
        if (asset === undefined) return []
        const holding = Decimals.confirmedHolding(asset, amount, decimalsOf(address))
        return [scaled(holding.asset, holding.amount, scalings.get(address))]
      })
  })
]

const noCoins: ReadFailure = { reason: "bad_answer", message: "the node returned no balance that can exist" }
const brokenToken: ReadFailure = { reason: "bad_answer", message: "the token's contract returned no balance" }

const shutDown = ({ name, sunset }: EvmFacts): ReadFailure => ({
  reason: "sunset",
  message: `${name} was shut down on ${sunset}`
})

const notConfigured = ({ id, name }: EvmFacts): ReadFailure => ({
  reason: "not_configured",
  message: `${name} has no node: set ${variablePrefix(id)}_RPC_URLS`
})
