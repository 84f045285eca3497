import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Gap, gap } from "../../../domain/history/Gap.ts"
import type { HistoryQuery } from "../../../domain/Transaction.ts"
import { distance, type Seconds, type Slot, slot } from "../../../domain/units.ts"
import type * as Client from "../../../jsonrpc/Client.ts"
import { callAll } from "../../../jsonrpc/callAll.ts"
import { each } from "../../../kernel/each.ts"
import { timeoutFail } from "../../../kernel/timeout.ts"
import type { TokenList } from "../../../providers/TokenRegistry.ts"
import * as ResponseSize from "../../../upstream/response/ResponseSize.ts"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import { orderOf } from "../../kit/history/orderOf.ts"
import { byKey } from "../../kit/holdings/amounts.ts"
import { accountsOf, decoded, fromBytes, headsOf, notUnderstood, requireFresh } from "../accounts.ts"
import { addTransactions, type FoundTransactions, transactionOf } from "../foundTransactions.ts"
import { commitment, token, token2022 } from "../programs.ts"
import * as TransactionWire from "../TransactionWire.ts"
import type { SlotTransaction } from "../toTransaction.ts"
import { firstBlock, hasBlocksSince, missingBlocks } from "./firstBlock.ts"

// The signatures of an address: getSignaturesForAddress for it and its token accounts (solana.com/docs/rpc).

/** The signatures of an address and of its token accounts, newest first, without duplicates. */
export interface SignatureList {
  readonly signatures: ReadonlyArray<TransactionWire.Signature>
  /** The sort key of each signature. */
  readonly orders: ReadonlyArray<number>
  readonly gaps: ReadonlyArray<Gap>
  /** The token accounts that are included. */
  readonly accounts: ReadonlySet<string>
}

interface SignatureOptions {
  /** The time limit for the whole history, ms. */
  readonly maxWait: number
  /** The maximum of token accounts to read. */
  readonly maxAccounts: number
  /** The token list; its tokens take precedence if there are more accounts. */
  readonly tokens: Effect.Effect<Option.Option<TokenList>>
}

export interface HistoryOptions extends SignatureOptions {
  /** Transactions per request. */
  readonly transactionsPerRequest: number
}

/** The share of `maxWait` for reads that only complement a list: token accounts, and a node that may have more. */
const complement = 1 / 3

/** The maximum per call. */
const pageSize = 1_000

/** JSON values of a row in a list of signatures. */
const valuesPerRow = 8

const signaturesOf = (
  account: string,
  { count, from, until }: Pick<SignatureRange, "count" | "from" | "until">
): Client.ClientCall => ({
  method: "getSignaturesForAddress",
  params: [
    account,
    {
      commitment,
      limit: Math.min(count, pageSize),
      ...(from === undefined ? {} : { before: from }),
      ...(until === undefined ? {} : { until })
    }
  ]
})

/**
 * The requested part of a list: `count` signatures in slots up to `newest`, older than the signature `from` and newer
 * than `until`.
 */
interface SignatureRange {
  readonly count: number
  readonly newest: Slot
  readonly from: string | undefined
  readonly until: string | undefined
}

/** One more than requested, to know whether there are more. */
const rangeOf = ({ after, before, limit }: HistoryQuery<Slot>): SignatureRange => ({
  count: limit + 1,
  newest: before?.height ?? slot(Number.POSITIVE_INFINITY),
  // Nodes accept any signature of the chain as a position, even one of another account.
  from: before?.above,
  // Ignored by a node that does not have it.
  until: after
})

/**
 * One more than requested of each account, to know whether there are more. An incoming token transfer touches only the
 * token account, so current token accounts are read too; closed ones are found in the transactions that closed them.
 * The request for their signatures also reads the first transactions of the address itself, into `found`.
 */
export const listSignatures = (
  nodes: Upstream,
  { maxAccounts, maxWait, tokens, transactionsPerRequest }: HistoryOptions,
  query: HistoryQuery<Slot>,
  found: FoundTransactions
) => {
  const { address } = query
  const wanted = rangeOf(query)
  // A node that stands still would return a first page without the newest transactions.
  const newestHead = query.before === undefined ? [accountsOf([])] : []
  const soon = (node: Endpoint) =>
    timeoutFail({ duration: complement * maxWait, onTimeout: () => node.fault(timedOut) })
  let partial: SignatureList | undefined
  /**
   * Fails if a row of the list cannot be read, or if it may be short because the node may lack older blocks; saves it in
   * case no other node has more.
   */
  const upToStart = (node: Endpoint, list: SignatureList, start: Client.Outcome | undefined) =>
    Effect.gen(function* () {
      if (list.gaps.some(({ what }) => what === "transactions")) {
        if (list.signatures.length > 0) partial = longer(partial, list)
        return yield* node.fault(notUnderstood)
      }
      const older = missingBlocks(node, start)
      if (older === undefined || list.signatures.length >= wanted.count || isSince(list, query)) return list
      if (query.since !== undefined && (yield* hasBlocksSince(node, older.start, query.since))) return list
      partial = longer(partial, { ...list, gaps: [...list.gaps, older.gap] })
      return yield* older.error
    })
  const alone = (node: Endpoint, why: string) =>
    Effect.gen(function* () {
      const [start, first, ...head] = yield* callAll(node, [firstBlock, signaturesOf(address, wanted), ...newestHead])
      yield* requireFresh(node, head[0])
      const own = yield* page(node, address, wanted, first)
      return yield* upToStart(node, listed([own], [gap("transfers", `incoming token transfers: ${why}`)]), start)
    })
  const withTokenAccounts = (node: Endpoint) =>
    Effect.gen(function* () {
      const [start, newest, old, extended, ...head] = yield* callAll(node, [
        firstBlock,
        signaturesOf(address, wanted),
        headsOf(address, token),
        headsOf(address, token2022),
        ...newestHead
      ])
      yield* requireFresh(node, head[0])
      const own = yield* page(node, address, wanted, newest)
      const accounts = Either.mapLeft(
        Either.all([old, extended].map((outcome) => decoded(TransactionWire.TokenAccounts, outcome))),
        node.fault
      )
      const first = placesOf(listed([own], []), query).places.slice(0, transactionsPerRequest)
      const other = yield* Effect.flatMap(
        Either.map(accounts, (answers) => answers.flatMap(({ value }) => value)),
        (all) =>
          Effect.flatMap(ranked(all, maxAccounts, tokens), (chosen) =>
            Effect.map(ofAccounts(node, chosen, wanted, first.map(hashOf), found), (lists) => ({
              chosen,
              lists,
              left: all.length - chosen.length
            }))
          )
      ).pipe(soon(node), Effect.either)
      const list = withOthers(own, other)
      return yield* upToStart(node, list, start)
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
  readonly lists: ReadonlyArray<ReadonlyArray<TransactionWire.Signature>>
  readonly left: number
}

/** The list of an address with those of its token accounts, or with the reason why they are missing. */
const withOthers = (
  own: ReadonlyArray<TransactionWire.Signature>,
  other: Either.Either<AccountLists, UpstreamError>
): SignatureList =>
  Either.match(other, {
    onLeft: (error) => listed([own], [gap("transfers", `incoming token transfers: ${error.message}`)]),
    onRight: ({ chosen, left, lists }) =>
      listed(
        [own, ...lists],
        left === 0
          ? []
          : [gap("transfers", `incoming transfers to ${left} further token accounts: there are too many of them`)],
        chosen
      )
  })

const longer = (list: SignatureList | undefined, other: SignatureList): SignatureList =>
  list !== undefined && list.signatures.length >= other.signatures.length ? list : other

/** Whether the list goes back to the requested time. */
const isSince = ({ signatures }: SignatureList, { since }: HistoryQuery<Slot>) => {
  const oldest = signatures.at(-1)?.blockTime
  return since !== undefined && oldest != null && oldest <= since
}

/** Accounts with registered tokens first, then others that are not empty. */
const ranked = (
  accounts: ReadonlyArray<TransactionWire.SolanaTokenAccount>,
  max: number,
  tokens: SignatureOptions["tokens"]
) =>
  Effect.gen(function* () {
    const tokenList = accounts.length > max ? Option.getOrUndefined(yield* tokens) : undefined
    return accounts
      .map(({ account, pubkey }) => {
        const { amount, mint } = fromBytes(account.data[0])
        return { pubkey, rank: (tokenList?.byAddress.has(mint) === true ? 0 : 2) + (amount === 0n ? 1 : 0) }
      })
      .sort((a, b) => a.rank - b.rank)
      .slice(0, max)
      .map(({ pubkey }) => pubkey)
  })

const ofAccounts = (
  node: Endpoint,
  accounts: ReadonlyArray<string>,
  wanted: SignatureRange,
  ahead: ReadonlyArray<string> = [],
  found: FoundTransactions = new Map()
) =>
  Effect.gen(function* () {
    if (accounts.length === 0) return []
    const signatures = accounts.map((account) => signaturesOf(account, wanted))
    const others = ahead.map(transactionOf)
    const size = Math.max(1, Math.floor(ResponseSize.rows.values / (valuesPerRow * Math.min(wanted.count, pageSize))))
    const batches = accounts.length <= size ? [[...signatures, ...others]] : [...Arr.chunksOf(signatures, size), others]
    const read = (batch: ReadonlyArray<Client.ClientCall>) => callAll(node, batch, { exact: true })
    const answers = (yield* each(batches, read, 4)).flat()
    addTransactions(found, ahead, answers.slice(accounts.length))
    return yield* each(accounts, (account, index) => page(node, account, wanted, answers[index]))
  })

/** A page and, while more signatures are needed, the following ones. */
const page = (
  node: Endpoint,
  account: string,
  wanted: SignatureRange,
  answer: Client.Outcome | undefined,
  requested = wanted.count
): Effect.Effect<ReadonlyArray<TransactionWire.Signature>, UpstreamError> =>
  Effect.gen(function* () {
    const rows = yield* Either.mapLeft(decoded(TransactionWire.Signatures, answer), node.fault)
    const read = rows.map(TransactionWire.signatureIn)
    const last = read.findLast(TransactionWire.isSignature)
    const found = read.filter(({ slot }) => slot <= wanted.newest)
    const count = wanted.count - found.filter(TransactionWire.isSignature).length
    if (last === undefined || count <= 0 || read.length < Math.min(requested, pageSize)) return found
    // Any number of signatures may be above the range: full pages get past them sooner.
    const size = found.length < read.length ? pageSize : count
    const [next] = yield* callAll(node, [signaturesOf(account, { ...wanted, count: size, from: last.signature })])
    return [...found, ...(yield* page(node, account, { ...wanted, count }, next, size))]
  })

/** Adds the signatures of closed token accounts; cannot fail. */
export const withClosed = (
  nodes: Upstream,
  before: SignatureList,
  closed: ReadonlyArray<string>,
  { maxAccounts }: SignatureOptions,
  query: HistoryQuery<Slot>,
  duration: number
): Effect.Effect<SignatureList> =>
  nodes
    .over((node) => ofAccounts(node, closed.slice(0, maxAccounts), rangeOf(query)))
    .pipe(
      timeoutFail({ duration, onTimeout: () => nodes.fault(timedOut) }),
      Effect.map((lists) => ({ lists, left: closed.length - Math.min(closed.length, maxAccounts) })),
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
            left === 0
              ? before.gaps
              : [
                  ...before.gaps,
                  gap("transfers", `incoming transfers to ${left} closed token accounts: there are too many of them`)
                ],
            // The cursor of the next page may not have room for all of them, and each page lists the open ones.
            [...closed, ...before.accounts]
          )
        })
      })
    )

const listed = (
  lists: ReadonlyArray<ReadonlyArray<TransactionWire.Signature>>,
  gaps: ReadonlyArray<Gap>,
  accounts: Iterable<string> = []
): SignatureList => {
  const unique = new Map(lists.flat().map((row) => [row.signature, row]))
  const slots = byKey(lists.flat().map((row) => [row.signature, row.slot]))
  const signatures = [...unique.values()]
    .filter((row) => TransactionWire.isSignature(row) && slots.get(row.signature) !== undefined)
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
