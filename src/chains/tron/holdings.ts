import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { tron } from "../../catalogue/tron.ts"
import type { Token } from "../../domain/Token.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Chain, Holding } from "../Chain.ts"
import * as Decimals from "../evm/tokens/Decimals.ts"
import { isWithin } from "../kit/holdings/amounts.ts"
import { invalidToken, missingTokens, unread, unreadTokensOf, unregistered } from "../kit/holdings/tokenList.ts"
import { isNotCurrent } from "../kit/status/currentHead.ts"
import { fromIndex, fromResults, nativeCall, type Target, type TokenAmount, targetsIn, tokenCalls } from "./balances.ts"
import { balancesPerCall, isVerdict, noToken, type TronProvider } from "./Provider.ts"
import * as TronAddress from "./TronAddress.ts"
import type { TronTokens } from "./tokens.ts"
import { unlistedOf } from "./unlisted.ts"

// Staked TRX is not part of a balance.

/** The balances of an account; the tokens are left if they could not be read. */
interface TronAccount {
  readonly sun: bigint
  readonly tokens: Either.Either<ReadonlyArray<TokenAmount>, UpstreamError>
  /** Why it may have further tokens. */
  readonly unread?: UpstreamError
}

/** Reads the balances of several addresses, many per call: first the TRX of all, then the tokens. */
export const holdings = (trongrid: TronProvider, registered: TronTokens, time: number): Chain["Type"]["holdings"] => {
  const targetsOf = targetsOnce()
  return (addresses, { unlisted = false } = {}) =>
    Effect.gen(function* () {
      const tokenList = yield* registered.list
      const tokens = Option.match(tokenList, { onNone: () => [], onSome: targetsOf })
      const others = yield* Effect.fork(
        unlisted ? unlistedOf(trongrid, addresses, tokenList, time) : Effect.succeed({})
      )
      const calls = [...addresses.map(nativeCall), ...addresses.flatMap((address) => tokenCalls(address, tokens))]
      const chunks = yield* each(Arr.chunksOf(calls, balancesPerCall), (chunk) =>
        Effect.map(Effect.either(trongrid.balances(chunk)), (result) =>
          chunk.map((_, index) => Either.map(result, (amounts) => amounts[index] ?? Option.none()))
        )
      )
      const [natives, rest] = Arr.splitAt(chunks.flat(), addresses.length)
      const accounts = yield* Effect.forEach(
        addresses,
        (address, index) => {
          const own = Either.all(rest.slice(index * tokens.length, (index + 1) * tokens.length))
          return Effect.either(accountOf(trongrid, address, tokens, natives[index] ?? Either.left(noBalance), own))
        },
        { concurrency: 8 }
      )
      const decimalsOf = yield* registered.confirm(accounts.flatMap(tokensRead))
      return {
        ...(yield* Fiber.join(others)),
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
  trongrid: TronProvider,
  address: string,
  targets: ReadonlyArray<Target>,
  native: Either.Either<Option.Option<bigint>, UpstreamError>,
  amounts: Either.Either<ReadonlyArray<Option.Option<bigint>>, UpstreamError>
): Effect.Effect<TronAccount, UpstreamError> =>
  Effect.gen(function* () {
    const read = Either.flatMap(native, (found) =>
      Either.fromOption(Option.filter(found, isWithin(tron.supply)), () => noBalance)
    )
    const tokens = Either.map(amounts, (all) => fromResults(targets, all))
    if (Either.isRight(read) && (Either.isRight(tokens) || !isUnusable(tokens.left))) return { sun: read.right, tokens }
    if (Either.isLeft(read) && !isUnusable(read.left)) return yield* read.left
    const index = yield* Effect.either(Effect.zipRight(trongrid.isCurrent, trongrid.indexed(address)))
    // An account that the index does not have yet is no account without coins.
    const sun = Either.isRight(read) ? read.right : (yield* index).balance || ((yield* trongrid.trx(address)) ?? 0n)
    const indexed = Either.flatMap(index, (account) =>
      account.isKnown || sun === 0n ? Either.right(fromIndex(account, targets)) : Either.left(notIndexed)
    )
    return {
      sun,
      tokens: Either.map(indexed, (found) => found.tokens),
      ...(Either.isRight(indexed) && indexed.right.nameless > 0 ? { unread: namelessTokens } : {})
    }
  })

/** The balance of one address in one coin or token. */
export const holding =
  (trongrid: TronProvider, registered: TronTokens): Chain["Type"]["holding"] =>
  (address, text) =>
    Effect.gen(function* () {
      if (Option.isNone(text)) return native(yield* trx(trongrid, address))
      const token = yield* Either.mapLeft(TronAddress.parse(text.value), invalidToken)
      const listed = Option.flatMapNullable(yield* registered.list, (tokenList) => tokenList.byAddress.get(token))
      const none = { amount: Option.none<bigint>(), decimals: Option.none<number>() }
      const read = yield* Effect.catchIf(trongrid.token(address, token), isUnusable, () =>
        Effect.as(trongrid.isCurrent, none)
      )
      // A call that failed within Multicall3 is repeated alone.
      const [amount, decimals] = yield* Effect.all(
        [
          Effect.catchAll(read.amount, () => trongrid.balanceOf(address, token)),
          Effect.catchAll(read.decimals, () => trongrid.decimals(token))
        ],
        { concurrency: 2 }
      )
      const asset: Token | undefined = Option.getOrElse(listed, () =>
        decimals === undefined ? undefined : unregistered(token)(decimals)
      )
      if (asset === undefined) return yield* Effect.fail(noDecimals)
      return { asset: decimals === undefined ? asset : { ...asset, decimals }, amount: Either.right(amount) }
    }).pipe(Effect.mapError(unread))

/** The TRX of an address: from the account itself, if Multicall3 cannot be executed. */
export const trx = (trongrid: TronProvider, address: string) =>
  trongrid.balances([nativeCall(address)]).pipe(
    Effect.flatMap(([found = Option.none()]) => Effect.mapError(found, () => noBalance)),
    Effect.catchIf(isUnusable, () => Effect.zipRight(trongrid.isCurrent, confirmedTrx(trongrid, address)))
  )

/**
 * The TRX of an account. A never-activated account is an empty object, and so may a wrong response be: zero is believed
 * only if the index has no coins either.
 */
const confirmedTrx = (trongrid: TronProvider, address: string) =>
  Effect.gen(function* () {
    const balance = (yield* trongrid.trx(address)) ?? 0n
    if (balance > 0n) return balance
    return (yield* trongrid.indexed(address)).balance === 0n ? 0n : yield* noBalance
  })

/** Decodes the addresses of a token list once. */
const targetsOnce = () => {
  let last: { readonly of: TokenList; readonly targets: ReadonlyArray<Target> } | undefined
  return (of: TokenList) => {
    if (last?.of !== of) last = { of, targets: targetsIn(of, tron.native.coinId) }
    return last.targets
  }
}

/** Whether other calls may have a result: not of an unreachable or overloaded host, or of one that stands still. */
const isUnusable = (error: UpstreamError) => isVerdict(error) || (error.reason === "bad_answer" && !isNotCurrent(error))

const native = (sun: bigint): Holding => ({ asset: "native", amount: Either.right(sun) })

const bad = (detail: string) => new UpstreamError({ upstream: "trongrid", reason: "bad_answer", detail })

const noBalance = bad("returned no balance")
const noDecimals = bad(noToken)
const namelessTokens = bad("the index returned tokens without a contract")
const notIndexed = bad("the index does not have the account")
