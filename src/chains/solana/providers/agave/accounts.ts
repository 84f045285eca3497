import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { solana } from "../../../../catalogue/solana.ts"
import { height, numberOf, seconds } from "../../../../domain/units.ts"
import {
  answersOf,
  type BoundCall,
  bound,
  type CallAnswer,
  isRefused,
  type ResultOf,
  readAs,
  resultsOf
} from "../../../../jsonrpc/boundCalls.ts"
import { notUnderstood } from "../../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../../upstream/Upstream.ts"
import { requireCurrent } from "../../../kit/status/currentHead.ts"
import { noToken, type OwnedRows, type SolanaProvider, type TokenRow } from "../../Provider.ts"
import { commitment, token, token2022 } from "../../programs.ts"
import * as calls from "./calls.ts"

const exact = { exact: true }

export const clockAt = (commitment: string) => bound(calls.clock, { commitment })

/** The slot and the time in a response to {@link clockAt}. */
const headIn = (node: Endpoint, clock: CallAnswer<ResultOf<typeof calls.clock>>) =>
  Either.mapBoth(clock, {
    onLeft: node.fault,
    onRight: ({ context, value: { data } }) => ({
      height: height(numberOf(context.slot)),
      time: data.parsed.info.unixTimestamp
    })
  })

export const headOf: SolanaProvider["head"] = (node) => Effect.map(withHead(node, commitment, []), ([head]) => head)

/** The newest slot of a commitment, and the answers to these calls. */
export const withHead = <A>(node: Endpoint, commitment: string, others: ReadonlyArray<BoundCall<A>>) =>
  Effect.gen(function* () {
    const [clock, ...answers] = yield* answersOf(node, [clockAt(commitment), ...others])
    return [yield* headIn(node, clock), answers] as const
  })

const accountsOf = (addresses: ReadonlyArray<string>) => bound(calls.accounts, { addresses })

/** Requests the clock alone. */
export const clockAlone = accountsOf([])

const clockIn = Schema.decodeUnknownOption(calls.ClockAccount)

/** The accounts in a response. Fails if the clock that follows them does not fit ours. */
const currentAccounts = (node: Endpoint, value: ReadonlyArray<unknown>, count: number) =>
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

/** Checks the clock in a response to {@link clockAlone}, if the node returns it. */
export const requireFresh = (node: Endpoint, clock: CallAnswer<ResultOf<typeof calls.accounts>> | undefined) =>
  clock === undefined || Either.isLeft(clock) ? Effect.void : currentAccounts(node, clock.right.value, 0)

/** The result of a call at a node whose clock fits ours. */
const current = <A>(node: Endpoint, call: BoundCall<A>) =>
  Effect.gen(function* () {
    const [answer, clock] = yield* answersOf(node, [call, clockAlone], exact)
    yield* requireFresh(node, clock)
    return yield* Either.mapLeft(answer, node.fault)
  })

/** The accounts of at most 99 addresses in an answer; each can be read or not. */
const accountsIn = (node: Endpoint, answer: CallAnswer<ResultOf<typeof calls.accounts>>, count: number) =>
  Effect.flatMap(Either.mapLeft(answer, node.fault), ({ value }) => currentAccounts(node, value, count))

type ListedAccount = ResultOf<typeof calls.tokenBalances>["value"][number]

const decodeAmount = Schema.decodeUnknownOption(calls.TokenAmount)

const tokenRow = ({ account: { data }, pubkey }: ListedAccount): TokenRow => {
  if (!("parsed" in data)) {
    const [bytes] = data
    return { pubkey, mint: base58.encode(bytes.subarray(0, 32)), amount: Buffer.from(bytes).readBigUInt64LE(64) }
  }
  const { mint, tokenAmount } = data.parsed.info
  return {
    pubkey,
    mint,
    amount: Option.getOrUndefined(Option.map(decodeAmount(tokenAmount), ({ amount }) => BigInt(amount)))
  }
}

/** The rows of several lists: a list of one token program only would look complete. */
export const rowsIn = (lists: ReadonlyArray<CallAnswer<{ readonly value: ReadonlyArray<ListedAccount> }>>) =>
  Either.map(Either.all(lists), (all) => all.flatMap(({ value }) => value.map(tokenRow)))

const decodeAccount = Schema.decodeUnknownEither(calls.Account)
const decodeSized = Schema.decodeUnknownEither(calls.SizedAccount)

/** Invalid parameters: after our validation, this means that the account is not a mint, or does not exist. */
const ofMint = (owner: string, mint: string) =>
  readAs(bound(calls.parsedBalances, { owner, filter: { mint } }), (answer, outcome) =>
    isRefused(outcome, -32602) ? Either.left(noToken) : answer
  )

/** The reads of accounts. */
export const accountReads = {
  balances: (node, owners, withTokens) =>
    Effect.gen(function* () {
      const lists = owners.flatMap((owner) => [
        bound(calls.tokenBalances, { owner, programId: token }),
        bound(calls.parsedBalances, { owner, filter: { programId: token2022 } })
      ])
      const [first, ...more] = yield* answersOf(node, [accountsOf(owners), ...(withTokens ? lists : [])], {
        ...exact,
        perCall: true
      })
      const programs = withTokens ? 2 : 0
      return (yield* accountsIn(node, first, owners.length)).map(
        (account, index): OwnedRows => ({
          lamports: Either.mapBoth(decodeAccount(account), {
            onLeft: () => notUnderstood,
            onRight: (own) => BigInt(own?.lamports ?? 0)
          }),
          tokens: rowsIn(more.slice(index * programs, (index + 1) * programs))
        })
      )
    }),
  balance: (node, owner) => Effect.map(current(node, bound(calls.balance, { owner })), ({ value }) => BigInt(value)),
  balanceOf: (node, owner, mint, withMint) =>
    Effect.gen(function* () {
      const [list, clock, account] = yield* answersOf(
        node,
        [ofMint(owner, mint), clockAlone, ...(withMint ? [bound(calls.mint, { mint })] : [])],
        exact
      )
      if (Either.isLeft(list) && list.left === noToken) return yield* node.fault(noToken)
      yield* requireFresh(node, clock)
      return { rows: yield* Either.mapLeft(rowsIn([list]), node.fault), account }
    }),
  /** Several mints are one account each in one call, with the clock. */
  mints: (node, all) =>
    Effect.gen(function* () {
      const [only = "", ...more] = all
      if (more.length > 0) {
        const [{ value }] = yield* resultsOf(node, [bound(calls.mints, { mints: all })], exact)
        return yield* currentAccounts(node, value, all.length)
      }
      return [(yield* current(node, bound(calls.mint, { mint: only }))).value]
    }),
  accounts: (node, addresses) =>
    Effect.gen(function* () {
      const [answer, least] = yield* answersOf(node, [accountsOf(addresses), bound(calls.rent, { bytes: 0 })], exact)
      const found = yield* accountsIn(node, answer, addresses.length)
      return {
        accounts: found.map((account) => Either.mapLeft(decodeSized(account), () => notUnderstood)),
        minimum: BigInt(yield* Either.mapLeft(least, node.fault))
      }
    }),
  owned: (node, owner) =>
    Effect.map(
      resultsOf(
        node,
        [
          bound(calls.balance, { owner }),
          bound(calls.tokenAccounts, { owner, programId: token }),
          bound(calls.tokenAccounts, { owner, programId: token2022 })
        ],
        exact
      ),
      ([{ value }, ...lists]) => ({ lamports: BigInt(value), accounts: lists.flatMap((list) => list.value) })
    ),
  stakes: (node, owners) =>
    answersOf(
      node,
      owners.map((owner) => bound(calls.stakes, { owner })),
      { ...exact, perCall: true }
    )
} satisfies Partial<SolanaProvider>
