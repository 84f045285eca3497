import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import { notUnderstood } from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Chain, Holding, ReadFailure } from "../Chain.ts"
import { byKey, uint64 } from "../kit/holdings/amounts.ts"
import { scaled } from "../kit/holdings/scaled.ts"
import { invalidToken, missingTokens, unread, unreadTokensOf, unregistered } from "../kit/holdings/tokenList.ts"
import { notIn, readUnlisted, type Unlisted } from "../kit/holdings/unlisted.ts"
import { type MintReadings, type Mints, noMint } from "./Mints.ts"
import { noToken, type OwnedRows, type SolanaProvider, type TokenRow } from "./Provider.ts"
import { accountsPerCall } from "./providers/agave/calls.ts"
import * as SolanaAddress from "./SolanaAddress.ts"

/** Reads the coins and the listed tokens of addresses. */
export const holdings =
  (agave: SolanaProvider, mints: Mints): Chain["Type"]["holdings"] =>
  (addresses, { unlisted = false, until } = {}) =>
    Effect.gen(function* () {
      const tokenList = yield* mints.list
      const read = yield* balancesOf(agave, addresses, Option.isSome(tokenList))
      const [facts, others] = yield* Effect.zip(
        mints.facts(mintsToRead(read, tokenList)),
        readUnlisted(
          unlisted ? read.map((balances) => unlistedIn(balances, tokenList)) : undefined,
          mints.facts,
          until
        ),
        { concurrent: unlisted }
      )
      return {
        ...others,
        addresses: read.map(
          Either.mapBoth({ onLeft: unread, onRight: (balances) => toHoldings(balances, tokenList, facts) })
        ),
        missing: missingTokens(tokenList),
        unreadTokens: unreadTokensOf(read, ({ tokens }) => Option.getOrUndefined(Either.getLeft(tokens)))
      }
    }).pipe(span("Solana.holdings", { attributes: { addresses: addresses.length } }))

/** Reads the coins or one token of an address. */
export const holding =
  (agave: SolanaProvider, mints: Mints): Chain["Type"]["holding"] =>
  (address, text) =>
    Effect.gen(function* () {
      if (Option.isNone(text))
        return {
          asset: "native" as const,
          amount: Either.right(yield* agave.nodes.over((node) => agave.balance(node, address)))
        }
      const mint = yield* Either.mapLeft(SolanaAddress.parse(text.value), invalidToken)
      const registered = Option.flatMapNullable(yield* mints.list, (tokenList) => tokenList.byAddress.get(mint))
      const { amount, decimals, scaling } = yield* balanceOfMint(agave, mints, address, mint)
      const asset = Option.getOrElse(registered, () => unregistered(mint)(decimals))
      return scaled({ ...asset, decimals }, amount, scaling)
    }).pipe(Effect.mapError(unread))

/**
 * The balance of each mint over all of its accounts; empty accounts are skipped. None if the amount of an account cannot
 * be read, if an account is listed with different values, or if no account could hold the sum.
 */
const amounts = (listed: ReadonlyArray<TokenRow>): ReadonlyMap<string, Option.Option<bigint>> => {
  const sums = new Map<string, Option.Option<bigint>>()
  // An account may be listed twice.
  const accounts = byKey(listed.map((row) => [row.pubkey, row]))
  const known = [...accounts.values()].flatMap((row) =>
    row === undefined ? [] : [{ mint: row.mint, amount: Option.fromNullable(row.amount) }]
  )
  const unknown = listed.filter(({ pubkey }) => accounts.get(pubkey) === undefined)
  for (const { amount, mint } of [...known, ...unknown.map(({ mint }) => ({ mint, amount: Option.none() }))]) {
    if (Option.contains(amount, 0n)) continue
    const before = sums.get(mint) ?? Option.some(0n)
    sums.set(mint, Option.zipWith(before, amount, (a, b) => a + b).pipe(Option.filter((sum) => sum <= uint64)))
  }
  return sums
}

/** Wrapped SOL is a token in addition to the native coin, not the same amount counted twice. */
const toHoldings = (
  { native, tokens }: SolanaBalances,
  tokenList: Option.Option<TokenList>,
  facts: MintReadings
): ReadonlyArray<Holding> => [
  { asset: "native", amount: Either.mapLeft(native, unread) },
  ...Array.from(Either.getOrElse(tokens, () => [])).flatMap(([mint, amount]): ReadonlyArray<Holding> => {
    const asset = Option.getOrUndefined(tokenList)?.byAddress.get(mint)
    if (asset === undefined) return []
    return [
      Either.match(facts.get(mint) ?? Either.left(noMint), {
        onLeft: (unread): Holding => ({ asset, amount: Either.left(unread) }),
        onRight: ({ decimals, scaling }) =>
          scaled(
            { ...asset, decimals },
            Either.fromOption(amount, () => noNumber),
            scaling
          )
      })
    ]
  })
]

/** The mints of an owner that are not listed. */
const unlistedIn = (read: Either.Either<SolanaBalances, UpstreamError>, known: Option.Option<TokenList>): Unlisted =>
  Either.flatMap(read, ({ tokens }) => tokens).pipe(
    Either.mapBoth({
      onLeft: unread,
      onRight: (amounts) => ({
        owned: notIn(
          known,
          Array.from(amounts, ([address, amount]) => ({ address, amount: Option.getOrUndefined(amount) }))
        ),
        unread: missingTokens(known)
      })
    })
  )

const noNumber: ReadFailure = {
  reason: "bad_answer",
  message: "the node returned no usable balance of this token"
}
/** The mints of the listed tokens in the balances. */
const mintsToRead = (
  balances: ReadonlyArray<Either.Either<SolanaBalances, unknown>>,
  tokenList: Option.Option<TokenList>
): ReadonlyArray<string> => {
  const { byAddress } = Option.getOrElse(tokenList, () => ({ byAddress: new Map() }))
  const mints = Arr.getRights(balances).flatMap(({ tokens }) => [...Either.getOrElse(tokens, () => new Map()).keys()])
  return mints.filter((mint) => byAddress.has(mint))
}

/** The balances of an address: lamports, and tokens by mint; left if they were not read. */
interface SolanaBalances {
  readonly native: Either.Either<bigint, UpstreamError>
  readonly tokens: Either.Either<ReadonlyMap<string, Option.Option<bigint>>, UpstreamError>
}

const isWhole = ({ tokens }: Pick<SolanaBalances, "tokens">): boolean =>
  Either.isRight(tokens) && [...tokens.right.values()].every(Option.isSome)

/** Completes the parts that a further node returned by those of earlier nodes. */
const completed = (read: SolanaBalances, before: SolanaBalances): SolanaBalances => ({
  native: Either.orElse(read.native, () => before.native),
  tokens: isWhole(read) || Either.isLeft(before.tokens) ? read.tokens : before.tokens
})

/** Left if not even a part was read. */
const orFailure = (read: SolanaBalances): Either.Either<SolanaBalances, UpstreamError> =>
  Either.isLeft(read.native) && Either.isLeft(read.tokens) ? Either.left(read.native.left) : Either.right(read)

/** Each owner costs two calls of one method; public nodes allow 40 in ten seconds. */
const ownersPerBatch = 10

/**
 * Reads all balances of each address. A batch that fails at one node goes to the next, and so do the addresses of which
 * a part could not be read there.
 */
const balancesOf = (agave: SolanaProvider, owners: ReadonlyArray<string>, withTokens: boolean) =>
  Effect.map(
    each(Arr.chunksOf(owners, withTokens ? ownersPerBatch : accountsPerCall), (chunk) =>
      Effect.suspend(() => {
        const found = new Map<string, SolanaBalances>()
        const faultOf = (read: SolanaBalances, node: Endpoint) => {
          if (Either.isLeft(read.native)) return read.native.left
          if (Either.isLeft(read.tokens)) return read.tokens.left
          return isWhole(read) ? undefined : node.fault(notUnderstood)
        }
        let open: ReadonlyArray<string> = chunk
        const read = agave.nodes.over((node) =>
          Effect.gen(function* () {
            const faults = new Map<string, UpstreamError>()
            const rows = yield* agave.balances(node, open, withTokens)
            for (const [index, balances] of rows.map(toBalances(node)).entries()) {
              const owner = open[index] ?? ""
              const before = found.get(owner)
              const all = before === undefined ? balances : completed(balances, before)
              const fault = faultOf(all, node)
              found.set(owner, all)
              if (fault !== undefined) faults.set(owner, fault)
            }
            open = [...faults.keys()]
            const [fault] = faults.values()
            if (fault !== undefined) return yield* fault
          })
        )
        return Effect.map(Effect.either(read), (outcome) =>
          chunk.map((owner) =>
            Either.flatMap(
              Either.fromNullable(found.get(owner), () => (Either.isLeft(outcome) ? outcome.left : unanswered)),
              orFailure
            )
          )
        )
      })
    ),
    (chunks) => chunks.flat()
  )

const toBalances =
  (node: Endpoint) =>
  ({ lamports, tokens }: OwnedRows): SolanaBalances => ({
    native: Either.mapLeft(lamports, node.fault),
    tokens: Either.mapBoth(tokens, { onLeft: node.fault, onRight: amounts })
  })

/** The balance of an address in one mint, and the declarations of the mint. */
const balanceOfMint = (agave: SolanaProvider, mints: Mints, owner: string, mint: string) =>
  agave.nodes.over((node) =>
    Effect.gen(function* () {
      const known = yield* mints.plainFacts(mint)
      const { account = noAccount, rows } = yield* agave.balanceOf(node, owner, mint, known === undefined)
      const declared = known ?? Option.getOrUndefined(yield* Effect.mapError(mints.factsOf(mint, account), node.fault))
      if (declared === undefined) return yield* node.fault(noToken)
      const holding = amounts(rows).get(mint) ?? Option.some(0n)
      return { amount: Either.fromOption(holding, () => noNumber), ...declared }
    })
  )

const noAccount = Either.left(notUnderstood)

const unanswered = new UpstreamError({ upstream: "solana-rpc", reason: "timeout", detail: "timed out" })
