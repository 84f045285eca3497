import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Gap, gap } from "../../../domain/history/Gap.ts"
import type { HistoryQuery } from "../../../domain/Transaction.ts"
import { distance, type Seconds, type Slot, slot } from "../../../domain/units.ts"
import type { CallAnswer } from "../../../jsonrpc/boundCalls.ts"
import { each } from "../../../kernel/each.ts"
import { timeoutFail } from "../../../kernel/timeout.ts"
import type { TokenList } from "../../../providers/TokenRegistry.ts"
import { notUnderstood } from "../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import { orderOf } from "../../kit/history/orderOf.ts"
import { byKey } from "../../kit/holdings/amounts.ts"
import type { ReadTransaction, Signature, SignaturePage, SolanaProvider, TokenRow } from "../Provider.ts"
import { type SolanaTransaction, signaturesPerPage } from "../providers/agave/transactionCalls.ts"
import type { SlotTransaction } from "../toTransaction.ts"
import { hasBlocksSince, missingBlocks } from "./firstBlock.ts"

// The signatures of an address: those of itself and of its token accounts.

/** The signatures of an address and of its token accounts, newest first, without duplicates. */
export interface SignatureList {
  readonly signatures: ReadonlyArray<Signature>
  /** The sort key of each signature. */
  readonly orders: ReadonlyArray<number>
  readonly gaps: ReadonlyArray<Gap>
  /** The token accounts that are included. */
  readonly accounts: ReadonlySet<string>
}

export interface HistoryOptions {
  /** The time limit for the whole history, ms. */
  readonly maxWait: number
  /** The token list; its tokens take precedence if there are more accounts. */
  readonly tokens: Effect.Effect<Option.Option<TokenList>>
}

/** The transactions that were read, by signature. */
export type FoundTransactions = Map<string, SolanaTransaction>

/** Adds the transactions that a node returned for these signatures. */
export const addTransactions = (
  found: FoundTransactions,
  signatures: ReadonlyArray<string>,
  read: ReadonlyArray<ReadTransaction>
) => {
  for (const [index, signature] of signatures.entries()) {
    const transaction = read[index]
    if (transaction !== undefined && Either.isRight(transaction) && transaction.right != null)
      found.set(signature, transaction.right)
  }
}

/** The share of `maxWait` for reads that only complement a list: token accounts, and a node that may have more. */
const complement = 1 / 3

/** A part of a list, in slots up to `newest`. */
interface SignatureRange extends SignaturePage {
  readonly newest: Slot
}

/** One more than requested, to know whether there are more. */
const rangeOf = ({ after, before, limit }: HistoryQuery<Slot>): SignatureRange => ({
  limit: limit + 1,
  newest: before?.height ?? slot(Number.POSITIVE_INFINITY),
  // Nodes accept any signature of the chain as a position, even one of another account.
  before: before?.above,
  // Ignored by a node that does not have it.
  until: after
})

/**
 * One more than requested of each account, to know whether there are more. An incoming token transfer touches only the
 * token account, so current token accounts are read too; closed ones are found in the transactions that closed them.
 * The request for their signatures also reads the first transactions of the address itself, into `found`.
 */
export const listSignatures = (
  agave: SolanaProvider,
  { maxWait, tokens }: HistoryOptions,
  query: HistoryQuery<Slot>,
  found: FoundTransactions
) => {
  const { address } = query
  const { limits, nodes } = agave
  const wanted = rangeOf(query)
  // A node that stands still would return a first page without the newest transactions.
  const isNewest = query.before === undefined
  const soon = (node: Endpoint) =>
    timeoutFail({ duration: complement * maxWait, onTimeout: () => node.fault(timedOut) })
  let partial: SignatureList | undefined
  /**
   * Fails if a row of the list cannot be read, or if it may be short because the node may lack older blocks; saves it in
   * case no other node has more.
   */
  const upToStart = (node: Endpoint, list: SignatureList, first: CallAnswer<Slot>) =>
    Effect.gen(function* () {
      if (list.gaps.some(({ what }) => what === "transactions")) {
        if (list.signatures.length > 0) partial = longer(partial, list)
        return yield* node.fault(notUnderstood)
      }
      const older = missingBlocks(node, first)
      if (older === undefined || list.signatures.length >= wanted.limit || isSince(list, query)) return list
      if (query.since !== undefined && (yield* hasBlocksSince(agave, node, older.start, query.since))) return list
      partial = longer(partial, { ...list, gaps: [...list.gaps, older.gap] })
      return yield* older.error
    })
  const start = (node: Endpoint, accounts: boolean) =>
    Effect.bind(agave.firstSignatures(node, address, wanted, { accounts, isNewest }), "own", (read) =>
      page(agave, node, address, wanted, read.signatures)
    )
  const alone = (node: Endpoint, why: string) =>
    Effect.flatMap(start(node, false), ({ first, own }) =>
      upToStart(node, listed([own], [gap("transfers", `incoming token transfers: ${why}`)]), first)
    )
  const withTokenAccounts = (node: Endpoint) =>
    Effect.gen(function* () {
      const { accounts, first, own } = yield* start(node, true)
      const ahead = placesOf(listed([own], []), query).places.slice(0, limits.transactionsPerRequest)
      const other = yield* Effect.flatMap(Either.mapLeft(accounts, node.fault), (all) =>
        Effect.flatMap(ranked(all, limits.maxAccounts, tokens), (chosen) =>
          Effect.map(ofAccounts(agave, node, chosen, wanted, ahead.map(hashOf), found), (lists) => ({
            chosen,
            lists,
            left: all.length - chosen.length
          }))
        )
      ).pipe(soon(node), Effect.either)
      return yield* upToStart(node, withOthers(own, other), first)
    })
  const orPartial = Effect.catchAll((error: UpstreamError) =>
    partial === undefined ? Effect.fail(error) : Effect.succeed(partial)
  )
  const best = (node: Endpoint) =>
    Effect.suspend(() => (partial === undefined ? withTokenAccounts(node) : soon(node)(withTokenAccounts(node))))
  return nodes.over(best).pipe(
    timeoutFail({ duration: maxWait, onTimeout: () => nodes.fault(timedOut) }),
    orPartial,
    Effect.catchIf(
      ({ reason }) => reason === "rate_limited",
      ({ message }) => orPartial(nodes.over((node) => alone(node, message)))
    )
  )
}

/** The signatures of the token accounts that were read, and how many accounts were not. */
interface AccountLists {
  readonly chosen: ReadonlyArray<string>
  readonly lists: ReadonlyArray<ReadonlyArray<Signature>>
  readonly left: number
}

/** The list of an address with those of its token accounts, or with the reason why they are missing. */
const withOthers = (own: ReadonlyArray<Signature>, other: Either.Either<AccountLists, UpstreamError>): SignatureList =>
  Either.match(other, {
    onLeft: (error) => listed([own], [gap("transfers", `incoming token transfers: ${error.message}`)]),
    onRight: ({ chosen, left, lists }) => listed([own, ...lists], tooMany(left, "further"), chosen)
  })

/** The gap of accounts that were not read, by their number. */
const tooMany = (left: number, which: "further" | "closed"): ReadonlyArray<Gap> =>
  left === 0
    ? []
    : [gap("transfers", `incoming transfers to ${left} ${which} token accounts: there are too many of them`)]

const longer = (list: SignatureList | undefined, other: SignatureList): SignatureList =>
  list !== undefined && list.signatures.length >= other.signatures.length ? list : other

/** Whether the list goes back to the requested time. */
const isSince = ({ signatures }: SignatureList, { since }: HistoryQuery<Slot>) => {
  const oldest = signatures.at(-1)?.blockTime
  return since !== undefined && oldest != null && oldest <= since
}

/** Accounts with registered tokens first, then others that are not empty. */
const ranked = (accounts: ReadonlyArray<TokenRow>, max: number, tokens: HistoryOptions["tokens"]) =>
  Effect.gen(function* () {
    const tokenList = accounts.length > max ? Option.getOrUndefined(yield* tokens) : undefined
    return accounts
      .map(({ amount, mint, pubkey }) => ({
        pubkey,
        rank: (tokenList?.byAddress.has(mint) === true ? 0 : 2) + (amount === 0n ? 1 : 0)
      }))
      .sort((a, b) => a.rank - b.rank)
      .slice(0, max)
      .map(({ pubkey }) => pubkey)
  })

const ofAccounts = (
  agave: SolanaProvider,
  node: Endpoint,
  accounts: ReadonlyArray<string>,
  wanted: SignatureRange,
  ahead: ReadonlyArray<string> = [],
  found: FoundTransactions = new Map()
) =>
  Effect.gen(function* () {
    if (accounts.length === 0) return []
    const { pages, transactions } = yield* agave.signaturesOf(node, accounts, wanted, ahead)
    addTransactions(found, ahead, transactions)
    return yield* each(accounts, (account, index) =>
      page(agave, node, account, wanted, pages[index] ?? Either.left(notUnderstood))
    )
  })

/** A page and, while more signatures are needed, the following ones. */
const page = (
  agave: SolanaProvider,
  node: Endpoint,
  account: string,
  wanted: SignatureRange,
  answer: CallAnswer<ReadonlyArray<Signature>>,
  requested = wanted.limit
): Effect.Effect<ReadonlyArray<Signature>, UpstreamError> =>
  Effect.gen(function* () {
    const read = yield* Either.mapLeft(answer, node.fault)
    const last = read.findLast(isSignature)
    const found = read.filter(({ slot }) => slot <= wanted.newest)
    const count = wanted.limit - found.filter(isSignature).length
    if (last === undefined || count <= 0 || read.length < Math.min(requested, signaturesPerPage)) return found
    // Any number of signatures may be above the range: full pages get past them sooner.
    const limit = found.length < read.length ? signaturesPerPage : count
    const next = yield* agave.signatures(node, account, { ...wanted, limit, before: last.signature })
    return [...found, ...(yield* page(agave, node, account, { ...wanted, limit: count }, next, limit))]
  })

/** Adds the signatures of closed token accounts; cannot fail. */
export const withClosed = (
  agave: SolanaProvider,
  before: SignatureList,
  closed: ReadonlyArray<string>,
  query: HistoryQuery<Slot>,
  duration: number
): Effect.Effect<SignatureList> => {
  const { limits, nodes } = agave
  return nodes
    .over((node) => ofAccounts(agave, node, closed.slice(0, limits.maxAccounts), rangeOf(query)))
    .pipe(
      timeoutFail({ duration, onTimeout: () => nodes.fault(timedOut) }),
      Effect.map((lists) => ({ lists, left: closed.length - Math.min(closed.length, limits.maxAccounts) })),
      Effect.match({
        onFailure: ({ message }) => ({
          ...before,
          gaps: [
            ...before.gaps,
            gap("transfers", `incoming transfers to ${closed.length} closed token accounts: ${message}`)
          ]
        }),
        onSuccess: ({ left, lists }) => ({
          ...before,
          ...listed(
            [before.signatures, ...lists],
            [...before.gaps, ...tooMany(left, "closed")],
            // The cursor of the next page may not have room for all of them, and each page lists the open ones.
            [...closed, ...before.accounts]
          )
        })
      })
    )
}

/** Whether it may be a signature (64 bytes in base58): only letters and digits. */
const isSignature = ({ signature }: Signature): boolean => /^[0-9A-Za-z]{1,88}$/.test(signature)

const listed = (
  lists: ReadonlyArray<ReadonlyArray<Signature>>,
  gaps: ReadonlyArray<Gap>,
  accounts: Iterable<string> = []
): SignatureList => {
  const unique = new Map(lists.flat().map((row) => [row.signature, row]))
  const slots = byKey(lists.flat().map((row) => [row.signature, row.slot]))
  const signatures = [...unique.values()]
    .filter((row) => isSignature(row) && slots.get(row.signature) !== undefined)
    .sort((a, b) => distance(a.slot, b.slot))
  const unreadable = unique.size - signatures.length
  return {
    signatures,
    orders: orderOf(signatures, ({ slot }) => slot),
    gaps:
      unreadable === 0
        ? gaps
        : [
            ...gaps,
            gap("transactions", `${unreadable} transactions: with a signature in an unexpected format, or in two slots`)
          ],
    accounts: new Set(accounts)
  }
}

export const hashOf = ({ hash }: SlotTransaction) => hash

/** A missing block time is replaced by that of the previous one in the list, which is in chronological order. */
export const placesOf = ({ signatures, orders }: SignatureList, { limit, since }: HistoryQuery<Slot>) => {
  let time: Seconds | undefined = signatures.find(({ blockTime }) => blockTime != null)?.blockTime ?? undefined
  const wanted = signatures
    .map(({ blockTime, signature }, index): SlotTransaction => {
      time = blockTime ?? time
      return { hash: signature, order: orders[index] ?? 0, timestamp: time }
    })
    .filter(({ timestamp }) => since === undefined || timestamp === undefined || timestamp >= since)
  return { places: wanted.slice(0, limit), more: wanted.length > limit }
}

export const timedOut: Fault = { reason: "timeout", detail: "timed out before the full history was read" }
