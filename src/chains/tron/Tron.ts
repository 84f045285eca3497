import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { tron } from "../../catalogue/tron.ts"
import { gap } from "../../domain/history/Gap.ts"
import type { Token } from "../../domain/Token.ts"
import { type HistoryQuery, isRequested, newestFirst, requestedFrom } from "../../domain/Transaction.ts"
import { type Millis, millis, toMillis, toSeconds } from "../../domain/units.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import { isWithin } from "../amounts.ts"
import { Chain, type Heights, type Holding } from "../Chain.ts"
import * as Contexts from "../Contexts.ts"
import { isNotCurrent, maxTimeOf } from "../currentHead.ts"
import * as Decimals from "../evm/Decimals.ts"
import { positioned } from "../heights.ts"
import { join } from "../mergePaged.ts"
import { heightOf } from "../orderOf.ts"
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
import * as Client from "./Client.ts"
import * as Fees from "./Fees.ts"
import * as FindTransaction from "./FindTransaction.ts"
import * as Holdings from "./Holdings.ts"
import { isContradictory, isTrade, toTransaction, tradeProceeds } from "./history.ts"
import * as RawTransactions from "./RawTransactions.ts"
import * as TransactionContext from "./TransactionContext.ts"
import * as TransactionStatus from "./TransactionStatus.ts"
import * as TronAddress from "./TronAddress.ts"
import { tokens as platformTokens } from "./TronAddress.ts"

// TRX and TRC-20 tokens through TronGrid; Client.ts names the documents. Staked TRX is not part of a balance.

/** Separates pages by block times. */
const heights: Heights<Millis> = {
  of: heightOf(millis),
  max: (clock) => toMillis(maxTimeOf(tron, clock))
}

/** Balances per call; a larger call may exceed a node's execution time limit. */
const balancesPerCall = 500

const make = Effect.gen(function* () {
  const client = yield* Client.make
  const historyTime = Deadline.make(yield* requestDeadline).share("read")
  const registry = yield* connected(client)
  /** Transactions and transfers of TRC-20 tokens are two lists that complement each other. */
  const history = (query: HistoryQuery<Millis>) => {
    const { address, before, limit, since } = query
    return Effect.zipRight(
      before === undefined ? client.isCurrent : Effect.void,
      join(client.lists(address, { since: requestedFrom(query), until: before?.height }), {
        limit,
        since,
        within: historyTime
      })
    ).pipe(
      Effect.map(({ gaps, groups, more }) => {
        const requested = groups.filter(({ at, key }) => isRequested(query)(key, at))
        const clear = requested.filter((group) => !isContradictory(group))
        const transactions = clear.map((group) => toTransaction(address, group)).sort(newestFirst)
        const unclear = requested.length - clear.length
        const differing = `${unclear} transactions: ${client.name} returned them twice, with different values`
        return {
          transactions,
          more,
          sources: [client.name],
          gaps: [
            ...gaps,
            ...(unclear === 0 ? [] : [gap("transactions", differing)]),
            ...(transactions.some(isTrade) ? [tradeProceeds] : [])
          ]
        }
      }),
      Effect.mapError(unread),
      span("Tron.history")
    )
  }

  return {
    facts: tron,
    address: TronAddress.parse,
    addressForm: TronAddress.formOf,
    meansNative: TronAddress.isZero,
    batchSize: 25,
    holdings: holdingsOf(client, registry),
    holding: holdingOf(client, registry),
    breakdown: Breakdown.make(client),
    ...positioned(heights, withDecimals(history, registry.list, registry.confirm)),
    ...RawTransactions.make(client.upstream),
    transactionContexts: Contexts.withShared(
      () => TransactionContext.newestBlock(client.upstream),
      (address, block) =>
        TransactionContext.read(
          client.upstream,
          (unused) => Effect.map(trx(client, unused), (balance) => balance === 0n),
          address,
          block
        )
    ),
    newestBlock: Effect.mapBoth(TransactionContext.newestBlock(client.upstream), {
      onFailure: unread,
      onSuccess: ({ number, timestamp }) => ({ height: number, at: toSeconds(timestamp) })
    }),
    statuses: yield* TransactionStatus.make(client.upstream),
    transaction: confirming(FindTransaction.make(client.upstream), registry.list, registry.confirm),
    fees: Fees.make(client.upstream),
    abilities: Effect.map(registry.abilities, (served) => ({
      ...served,
      history: Either.right([client.name]),
      rawTransactions: Either.right([client.name]),
      fees: Either.right([client.name]),
      transactionContext: Either.right([client.name])
    }))
  } satisfies Chain["Type"]
})

type TronClient = Effect.Effect.Success<typeof Client.make>

/** The token list, whose decimals are those of the contracts once they are read. */
const connected = (client: TronClient) =>
  Effect.gen(function* () {
    const { abilities, list } = yield* follow(platformTokens, [client.name])
    return { abilities, ...(yield* Decimals.checked(tron.platform, list, decimalsFrom(client))) }
  })

type Registry = Effect.Effect.Success<ReturnType<typeof connected>>

/** Maximum tokens per reading whose decimals are read alone. */
const maxSingleCalls = 20

const decimalsFrom = (client: TronClient) => (tokens: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const chunks = yield* each(Arr.chunksOf(tokens, balancesPerCall), (chunk) =>
      Effect.catchIf(client.allDecimals(chunk), isVerdict, () => Effect.succeed(chunk.map(() => Option.none<number>())))
    )
    const declared = chunks.flat()
    return yield* Decimals.repeatingFailed(
      tokens.map((token, index) => [token, declared[index] ?? Option.none()] as const),
      (failed) => each(failed.slice(0, maxSingleCalls), (token) => Effect.option(client.decimals(token)))
    )
  })

/** The balances of an account; the tokens are left if they could not be read. */
interface TronAccount {
  readonly sun: bigint
  readonly tokens: Either.Either<ReadonlyArray<Holdings.TokenAmount>, UpstreamError>
  /** Why it may have further tokens. */
  readonly unread?: UpstreamError
}

/** Reads the balances of several addresses, many per call: first the TRX of all, then the tokens. */
const holdingsOf = (client: TronClient, registry: Registry): Chain["Type"]["holdings"] => {
  const targetsOf = targetsOnce()
  return (addresses) =>
    Effect.gen(function* () {
      const tokenList = yield* registry.list
      const tokens = Option.match(tokenList, { onNone: () => [], onSome: targetsOf })
      const calls = [
        ...addresses.map(Holdings.nativeCall),
        ...addresses.flatMap((address) => Holdings.tokenCalls(address, tokens))
      ]
      const chunks = yield* each(Arr.chunksOf(calls, balancesPerCall), (chunk) =>
        Effect.map(Effect.either(client.balances(chunk)), (result) =>
          chunk.map((_, index) => Either.map(result, (amounts) => amounts[index] ?? Option.none()))
        )
      )
      const [natives, rest] = Arr.splitAt(chunks.flat(), addresses.length)
      const accounts = yield* Effect.forEach(
        addresses,
        (address, index) => {
          const own = Either.all(rest.slice(index * tokens.length, (index + 1) * tokens.length))
          return Effect.either(accountOf(client, address, tokens, natives[index] ?? Either.left(noBalance), own))
        },
        { concurrency: 8 }
      )
      const decimalsOf = yield* registry.confirm(accounts.flatMap(tokensRead))
      return {
        addresses: accounts.map(
          Either.mapBoth({
            onLeft: unread,
            onRight: ({ sun, tokens: read }) => [
              native(sun),
              ...Either.getOrElse(read, () => []).map(({ amount, asset }) =>
                Decimals.confirmedHolding(asset, amount, decimalsOf(asset.address))
              )
            ]
          })
        ),
        missing: missingTokens(tokenList),
        unreadTokens: unreadTokensOf(
          accounts,
          ({ tokens, unread }) => unread ?? Option.getOrUndefined(Either.getLeft(tokens))
        )
      }
    }).pipe(span("Tron.holdings", { attributes: { addresses: addresses.length } }))
}

/** The addresses of the tokens whose amounts were read. */
const tokensRead = (account: Either.Either<TronAccount, unknown>): ReadonlyArray<string> =>
  Either.getOrElse(
    Either.flatMap(account, ({ tokens }) => tokens),
    () => []
  ).flatMap(({ amount, asset }) => (Either.isRight(amount) ? [asset.address] : []))

/** Completes the results of Multicall3 from the index where the call could not be executed: one call per address. */
const accountOf = (
  client: TronClient,
  address: string,
  targets: ReadonlyArray<Holdings.Target>,
  native: Either.Either<Option.Option<bigint>, UpstreamError>,
  amounts: Either.Either<ReadonlyArray<Option.Option<bigint>>, UpstreamError>
): Effect.Effect<TronAccount, UpstreamError> =>
  Effect.gen(function* () {
    const read = Either.flatMap(native, (found) =>
      Either.fromOption(Option.filter(found, isWithin(tron.supply)), () => noBalance)
    )
    const tokens = Either.map(amounts, (all) => Holdings.fromResults(targets, all))
    if (Either.isRight(read) && (Either.isRight(tokens) || !isUnusable(tokens.left))) return { sun: read.right, tokens }
    if (Either.isLeft(read) && !isUnusable(read.left)) return yield* read.left
    const index = yield* Effect.either(Effect.zipRight(client.isCurrent, client.indexed(address)))
    // An account that the index does not have yet is no account without coins.
    const sun = Either.isRight(read) ? read.right : (yield* index).balance || (yield* client.trx(address))
    const indexed = Either.flatMap(index, (account) =>
      account.isKnown || sun === 0n ? Either.right(Holdings.fromIndex(account, targets)) : Either.left(notIndexed)
    )
    return {
      sun,
      tokens: Either.map(indexed, (found) => found.tokens),
      ...(Either.isRight(indexed) && indexed.right.nameless > 0 ? { unread: namelessTokens } : {})
    }
  })

/** The balance of one address in one coin or token. */
const holdingOf =
  (client: TronClient, registry: Registry): Chain["Type"]["holding"] =>
  (address, text) =>
    Effect.gen(function* () {
      if (Option.isNone(text)) return native(yield* trx(client, address))
      const token = yield* Either.mapLeft(TronAddress.parse(text.value), invalidToken)
      const registered = Option.flatMapNullable(yield* registry.list, (tokenList) => tokenList.byAddress.get(token))
      const none = { amount: Option.none<bigint>(), decimals: Option.none<number>() }
      const read = yield* Effect.catchIf(client.token(address, token), isUnusable, () =>
        Effect.as(client.isCurrent, none)
      )
      // A call that failed within Multicall3 is repeated alone.
      const [amount, decimals] = yield* Effect.all(
        [
          Effect.catchAll(read.amount, () => client.balanceOf(address, token)),
          Effect.catchAll(read.decimals, () => client.decimals(token))
        ],
        { concurrency: 2 }
      )
      const asset: Token | undefined = Option.getOrElse(registered, () =>
        decimals === undefined ? undefined : unregistered(token)(decimals)
      )
      if (asset === undefined) return yield* Effect.fail(noDecimals)
      return { asset: decimals === undefined ? asset : { ...asset, decimals }, amount: Either.right(amount) }
    }).pipe(Effect.mapError(unread))

/** The TRX of an address: from the account itself, if Multicall3 cannot be executed. */
const trx = (client: TronClient, address: string) =>
  client.balances([Holdings.nativeCall(address)]).pipe(
    Effect.flatMap(([found = Option.none()]) => Effect.mapError(found, () => noBalance)),
    Effect.catchIf(isUnusable, () => Effect.zipRight(client.isCurrent, confirmedTrx(client, address)))
  )

/**
 * The TRX of an account. A never-activated account is an empty object, and so may a wrong response be: zero is believed
 * only if the index has no coins either.
 */
const confirmedTrx = (client: TronClient, address: string) =>
  Effect.gen(function* () {
    const balance = yield* client.trx(address)
    if (balance > 0n) return balance
    return (yield* client.indexed(address)).balance === 0n ? 0n : yield* noBalance
  })

export const layer = Layer.scoped(Chain, make)

/** Decodes the addresses of a token list once. */
const targetsOnce = () => {
  let last: { readonly of: TokenList; readonly targets: ReadonlyArray<Holdings.Target> } | undefined
  return (of: TokenList) => {
    if (last?.of !== of) last = { of, targets: Holdings.targets(of, tron.native.coinId) }
    return last.targets
  }
}

/** Whether the call itself caused the failure, because it is too large or cannot be executed. */
const isVerdict = ({ final, kind }: UpstreamError) => final === true || kind === "not_executed"

/** Whether other calls may have a result: not of an unreachable or overloaded host, or of one that stands still. */
const isUnusable = (error: UpstreamError) => isVerdict(error) || (error.reason === "bad_answer" && !isNotCurrent(error))

const native = (sun: bigint): Holding => ({ asset: "native", amount: Either.right(sun) })

const noBalance = new UpstreamError({ upstream: "trongrid", reason: "bad_answer", detail: "returned no balance" })
const noDecimals = new UpstreamError({ upstream: "trongrid", reason: "bad_answer", detail: Client.noToken })
const namelessTokens = new UpstreamError({
  upstream: "trongrid",
  reason: "bad_answer",
  detail: "the index returned tokens without a contract"
})
const notIndexed = new UpstreamError({
  upstream: "trongrid",
  reason: "bad_answer",
  detail: "the index does not have the account"
})
