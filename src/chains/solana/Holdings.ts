import { base58 } from "@scure/base"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { solana } from "../../catalogue/solana.ts"
import { seconds } from "../../domain/units.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import { callAll, tooLarge } from "../../jsonrpc/callAll.ts"
import { each } from "../../kernel/each.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import { type Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { byKey, uint64 } from "../amounts.ts"
import type { Holding, ReadFailure } from "../Chain.ts"
import { requireCurrent } from "../currentHead.ts"
import { type ScalingRead, scaled } from "../scaled.ts"
import { unread } from "../tokenList.ts"
import type { MintReadings, Mints } from "./Mints.ts"
import { commitment, token, token2022 } from "./programs.ts"

/** A u64 as a bare JSON number; beyond 2^53 it is decoded as a bigint. */
export const Lamports = Schema.Union(
  Schema.NonNegativeInt,
  Schema.NonNegativeBigIntFromSelf.pipe(Schema.lessThanOrEqualToBigInt(uint64))
)

/** `getMultipleAccounts`. Each account is decoded alone: one that cannot be read costs the others nothing. */
export const Accounts = Schema.Struct({ value: Schema.Array(Schema.Unknown) })

/** Null for an address that was never used. */
const decodeAccount = Schema.decodeUnknownEither(Schema.NullOr(Schema.Struct({ lamports: Lamports })))

/** `getBalance`. */
export const Balance = Schema.Struct({ value: Lamports })

/** A u64 in decimal digits. */
export const Units = Schema.String.pipe(
  Schema.pattern(/^\d{1,20}$/),
  Schema.filter((text) => BigInt(text) <= uint64)
)

export const TokenAmount = Schema.Struct({
  /** Base units. */
  amount: Units,
  decimals: Schema.Int.pipe(Schema.between(0, 255))
})

/** The bytes of mint, owner and amount, with which the accounts of both token programs start. */
const accountHead = 72

export const Bytes = Schema.Tuple(
  Schema.Uint8ArrayFromBase64.pipe(Schema.filter(({ length }) => length >= accountHead)),
  Schema.Literal("base64")
)

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

/** The mint and the amount of a token account. */
export const fromBytes = (data: Uint8Array) => ({
  mint: base58.encode(data.subarray(0, 32)),
  amount: Buffer.from(data).readBigUInt64LE(64)
})

const fromParsed = ({ mint, tokenAmount }: (typeof Parsed.Type)["parsed"]["info"]) => ({
  mint,
  amount: Option.getOrUndefined(Option.map(decodeTokenAmount(tokenAmount), ({ amount }) => BigInt(amount)))
})

/** Wrapped SOL is a token in addition to the native coin, not the same amount counted twice. */
export const toHoldings = (
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
/** Why the amounts of a token are unknown. */
export const noMint: ReadFailure = { reason: "bad_answer", message: "the node does not have the mint of this token" }

/** The mints of the listed tokens in the balances. */
export const mintsToRead = (
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

/** The clock of the chain: the time of a node's newest block is an i64 at byte 32. */
export const clock = "SysvarC1ock11111111111111111111111111111111"
const time = { offset: 32, length: 8 }

const ClockBytes = Schema.Tuple(
  Schema.Uint8ArrayFromBase64.pipe(Schema.filter(({ length }) => length === time.length)),
  Schema.Literal("base64")
)
const ParsedClock = Schema.Struct({
  parsed: Schema.Struct({ type: Schema.Literal("clock"), info: Schema.Struct({ unixTimestamp: Schema.Int }) })
})

const clockIn = Schema.decodeUnknownOption(Schema.Struct({ data: Schema.Union(ClockBytes, ParsedClock) }))

/** The maximum that `getMultipleAccounts` accepts, without the clock. */
const accountsPerCall = 99

/** Each owner costs two calls of one method; public nodes allow 40 in ten seconds. */
const ownersPerBatch = 10

/** The hash of the main network's genesis block. */
const genesis = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"

export const accountsOf = (owners: ReadonlyArray<string>): Client.ClientCall => ({
  method: "getMultipleAccounts",
  params: [[...owners, clock], { commitment, encoding: "base64", dataSlice: time }]
})

/** The accounts in a response to {@link accountsOf}. Fails if the clock that follows them does not fit ours. */
export const currentAccounts = <A>(node: Endpoint, value: ReadonlyArray<A>, count: number) =>
  Effect.gen(function* () {
    if (value.length < count || value.length > count + 1) return yield* node.fault(notUnderstood)
    const sysvar = clockIn(value[count])
    // Another account in the place of the clock: the order is not that of the request.
    if (count > 0 && Option.isNone(sysvar) && value[count] != null) return yield* node.fault(notUnderstood)
    if (Option.isSome(sysvar)) {
      const { data } = sysvar.value
      const at = "parsed" in data ? data.parsed.info.unixTimestamp : Buffer.from(data[0]).readBigInt64LE()
      yield* requireCurrent(node, solana, seconds(Number(at)))
    }
    return value.slice(0, count)
  })

/** Checks the clock in a response to {@link accountsOf} without owners, if the node returns it. */
export const requireFresh = (node: Endpoint, outcome: Client.Outcome | undefined) =>
  Either.match(decoded(Accounts, outcome), {
    onLeft: () => Effect.void,
    onRight: ({ value }) => currentAccounts(node, value, 0)
  })

const tokensOf = (owner: string): ReadonlyArray<Client.ClientCall> => [
  headsOf(owner, token),
  byOwner(owner, { programId: token2022 }, { encoding: "jsonParsed" })
]

export const parsedForm = { commitment, encoding: "jsonParsed" }

/** Requests what a mint declares. */
export const mintInfo = (mint: string): Client.ClientCall => ({ method: "getAccountInfo", params: [mint, parsedForm] })

/** Requests the first bytes of an owner's accounts of a token program. */
export const headsOf = (owner: string, programId: string) =>
  byOwner(owner, { programId }, { encoding: "base64", dataSlice: { offset: 0, length: accountHead } })

export const balanceOf = (owner: string): Client.ClientCall => ({
  method: "getBalance",
  params: [owner, { commitment }]
})

export const byOwner = (owner: string, filter: object, form: object): Client.ClientCall => ({
  method: "getTokenAccountsByOwner",
  params: [owner, filter, { commitment, ...form }]
})

/** Whether a node serves the main network. */
export const canary = (node: Endpoint) =>
  Effect.flatMap(callAll(node, [{ method: "getGenesisHash", params: [] }]), ([answer]) =>
    Either.getOrUndefined(decoded(Schema.String, answer)) === genesis
      ? Effect.void
      : Effect.fail(node.fault({ reason: "bad_answer", detail: "the node belongs to another network" }))
  )

const exact = { exact: true }

/**
 * Reads all balances of each address. A batch that fails at one node goes to the next, and so do the addresses of which
 * a part could not be read there.
 */
export const holdings = (
  nodes: Upstream,
  owners: ReadonlyArray<string>,
  withTokens: boolean
): Effect.Effect<BatchResult> =>
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
export const native = (nodes: Upstream, owner: string): Effect.Effect<bigint, UpstreamError> =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const [answer, sysvar] = yield* callAll(node, [balanceOf(owner), accountsOf([])], exact)
      yield* requireFresh(node, sysvar)
      const { value } = yield* Either.mapLeft(decoded(Balance, answer), node.fault)
      return BigInt(value)
    })
  )

/** The balance of an address in one mint, and the declarations of the mint. */
export const holding = (
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

/** The decoded result of a call, or why it cannot be used. */
export const decoded = <A, I>(
  schema: Schema.Schema<A, I>,
  outcome: Client.Outcome | undefined
): Either.Either<A, Fault> => {
  if (outcome === tooLarge) return Either.left(ResponseDecoder.tooLarge)
  if (outcome === undefined || Either.isLeft(outcome)) return Either.left(refused(outcome?.left))
  return Either.mapLeft(Schema.decodeUnknownEither(schema)(outcome.right), () => notUnderstood)
}

const unanswered = new UpstreamError({ upstream: "solana-rpc", reason: "timeout", detail: "timed out" })

/** A call without a usable response has no code. */
const refused = (error: Client.RpcError | undefined): Fault =>
  error === undefined || error.code === 0
    ? notUnderstood
    : { reason: "upstream_error", detail: `the node rejected the call (${error.code})` }

export const notUnderstood: Fault = { reason: "bad_answer", detail: "returned a response in an unexpected format" }
