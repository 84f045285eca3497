import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Client from "../../jsonrpc/Client.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import { type Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Chain, Holding, ReadFailure } from "../Chain.ts"
import { byKey, uint64 } from "../kit/holdings/amounts.ts"
import { type ScalingRead, scaled } from "../kit/holdings/scaled.ts"
import { invalidToken, missingTokens, unread, unreadTokensOf, unregistered } from "../kit/holdings/tokenList.ts"
import {
  Accounts,
  accountsOf,
  Balance,
  Bytes,
  balanceOf,
  byOwner,
  currentAccounts,
  decoded,
  fromBytes,
  headsOf,
  Lamports,
  mintInfo,
  notUnderstood,
  requireFresh,
  TokenAmount
} from "./accounts.ts"
import { type MintReadings, type Mints, noMint } from "./Mints.ts"
import { token, token2022 } from "./programs.ts"
import * as SolanaAddress from "./SolanaAddress.ts"

/** Reads the coins and the listed tokens of addresses. */
export const holdings =
  (nodes: Upstream, mints: Mints): Chain["Type"]["holdings"] =>
  (addresses) =>
    Effect.gen(function* () {
      const tokenList = yield* mints.list
      const read = yield* balancesOf(nodes, addresses, Option.isSome(tokenList))
      const facts = yield* mints.facts(mintsToRead(read, tokenList))
      return {
        addresses: read.map(
          Either.mapBoth({ onLeft: unread, onRight: (balances) => toHoldings(balances, tokenList, facts) })
        ),
        missing: missingTokens(tokenList),
        unreadTokens: unreadTokensOf(read, ({ tokens }) => Option.getOrUndefined(Either.getLeft(tokens)))
      }
    }).pipe(span("Solana.holdings", { attributes: { addresses: addresses.length } }))

/** Reads the coins or one token of an address. */
export const holding =
  (nodes: Upstream, mints: Mints): Chain["Type"]["holding"] =>
  (address, text) =>
    Effect.gen(function* () {
      if (Option.isNone(text))
        return { asset: "native" as const, amount: Either.right(yield* nativeOf(nodes, address)) }
      const mint = yield* Either.mapLeft(SolanaAddress.parse(text.value), invalidToken)
      const registered = Option.flatMapNullable(yield* mints.list, (tokenList) => tokenList.byAddress.get(mint))
      const { amount, decimals, scaling } = yield* balanceOfMint(nodes, mints, address, mint)
      const asset = Option.getOrElse(registered, () => unregistered(mint)(decimals))
      return scaled({ ...asset, decimals }, amount, scaling)
    }).pipe(Effect.mapError(unread))

/** Null for an address that was never used. */
const decodeAccount = Schema.decodeUnknownEither(Schema.NullOr(Schema.Struct({ lamports: Lamports })))

const Parsed = Schema.Struct({
  parsed: Schema.Struct({ info: Schema.Struct({ mint: Schema.NonEmptyString, tokenAmount: Schema.Unknown }) })
})
const decodeTokenAmount = Schema.decodeUnknownOption(TokenAmount)

/**
 * `getTokenAccountsByOwner` in either encoding: a node that cannot parse an account returns its bytes. An account of an
 * unknown mint makes the list unusable, because the balance of any token may lack it.
 */
const TokenAccounts = Schema.Struct({
  value: Schema.Array(
    Schema.Struct({ pubkey: Schema.NonEmptyString, account: Schema.Struct({ data: Schema.Union(Bytes, Parsed) }) })
  )
})

/**
 * The balance of each mint over all of its accounts; empty accounts are skipped. None if the amount of an account cannot
 * be read, if an account is listed with different values, or if no account could hold the sum.
 */
const amounts = (answers: ReadonlyArray<typeof TokenAccounts.Type>): ReadonlyMap<string, Option.Option<bigint>> => {
  const sums = new Map<string, Option.Option<bigint>>()
  const listed = answers
    .flatMap(({ value }) => value)
    .map(({ account: { data }, pubkey }) => ({
      pubkey,
      ...("parsed" in data ? fromParsed(data.parsed.info) : fromBytes(data[0]))
    }))
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

const fromParsed = ({ mint, tokenAmount }: (typeof Parsed.Type)["parsed"]["info"]) => ({
  mint,
  amount: Option.getOrUndefined(Option.map(decodeTokenAmount(tokenAmount), ({ amount }) => BigInt(amount)))
})

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
type BatchResult = ReadonlyArray<Either.Either<SolanaBalances, UpstreamError>>

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

/** The maximum that `getMultipleAccounts` accepts, without the clock. */
const accountsPerCall = 99

/** Each owner costs two calls of one method; public nodes allow 40 in ten seconds. */
const ownersPerBatch = 10

const tokensOf = (owner: string): ReadonlyArray<Client.ClientCall> => [
  headsOf(owner, token),
  byOwner(owner, { programId: token2022 }, { encoding: "jsonParsed" })
]

const exact = { exact: true }

/**
 * Reads all balances of each address. A batch that fails at one node goes to the next, and so do the addresses of which
 * a part could not be read there.
 */
const balancesOf = (nodes: Upstream, owners: ReadonlyArray<string>, withTokens: boolean): Effect.Effect<BatchResult> =>
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
        const read = nodes.over((node) =>
          Effect.gen(function* () {
            const faults = new Map<string, UpstreamError>()
            for (const [index, balances] of (yield* readBatch(node, open, withTokens)).entries()) {
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

/** A list of one token program only would look complete. */
const readBatch = (node: Endpoint, owners: ReadonlyArray<string>, withTokens: boolean) =>
  Effect.gen(function* () {
    const [first, ...more] = yield* callAll(
      node,
      [accountsOf(owners), ...(withTokens ? owners.flatMap(tokensOf) : [])],
      { ...exact, perCall: true }
    )
    const { value } = yield* Either.mapLeft(decoded(Accounts, first), node.fault)
    const accounts = yield* currentAccounts(node, value, owners.length)
    const programs = withTokens ? 2 : 0
    return accounts.map((account, index): SolanaBalances => {
      const answers = more.slice(index * programs, (index + 1) * programs)
      const lists = Either.all(answers.map((answer) => decoded(TokenAccounts, answer)))
      return {
        native: Either.mapBoth(decodeAccount(account), {
          onLeft: () => node.fault(notUnderstood),
          onRight: (own) => BigInt(own?.lamports ?? 0)
        }),
        tokens: Either.mapBoth(lists, { onLeft: node.fault, onRight: amounts })
      }
    })
  })

/** The native balance of one address. */
const nativeOf = (nodes: Upstream, owner: string): Effect.Effect<bigint, UpstreamError> =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const [answer, sysvar] = yield* callAll(node, [balanceOf(owner), accountsOf([])], exact)
      yield* requireFresh(node, sysvar)
      const { value } = yield* Either.mapLeft(decoded(Balance, answer), node.fault)
      return BigInt(value)
    })
  )

/** The balance of an address in one mint, and the declarations of the mint. */
const balanceOfMint = (
  nodes: Upstream,
  mints: Mints,
  owner: string,
  mint: string
): Effect.Effect<
  { readonly amount: Holding["amount"]; readonly decimals: number; readonly scaling: ScalingRead },
  UpstreamError
> =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const known = yield* mints.plainFacts(mint)
      const [accounts, sysvar, account] = yield* callAll(
        node,
        [byOwner(owner, { mint }, { encoding: "jsonParsed" }), accountsOf([]), ...(known ? [] : [mintInfo(mint)])],
        exact
      )
      if (accounts !== undefined && isNoMint(accounts)) return yield* node.fault(noToken)
      yield* requireFresh(node, sysvar)
      const amount = yield* Either.mapLeft(decoded(TokenAccounts, accounts), node.fault)
      const declared = known ?? Option.getOrUndefined(yield* Effect.mapError(mints.factsOf(mint, account), node.fault))
      if (declared === undefined) return yield* node.fault(noToken)
      const holding = amounts([amount]).get(mint) ?? Option.some(0n)
      return { amount: Either.fromOption(holding, () => noNumber), ...declared }
    })
  )

/** Invalid parameters: after our validation, this means that the account is not a mint, or does not exist. */
const isNoMint = (outcome: Client.Outcome) => Either.isLeft(outcome) && outcome.left.code === -32602

const noToken: Fault = { reason: "bad_answer", detail: "this address is not a token", final: true }

const unanswered = new UpstreamError({ upstream: "solana-rpc", reason: "timeout", detail: "timed out" })
