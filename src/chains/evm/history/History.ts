import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import { type HistoryPart, type HistoryQuery, newestFirst } from "../../../domain/Transaction.ts"
import * as BoundedMap from "../../../kernel/collections/BoundedMap.ts"
import * as Deadline from "../../../kernel/Deadline.ts"
import { span } from "../../../kernel/span.ts"
import { timeoutTo } from "../../../kernel/timeout.ts"
import { requestDeadline } from "../../../settings/variables.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { AbilitySources, ReadFailure } from "../../Chain.ts"
import { type Explorer, unserved } from "./Explorers.ts"
import type { ListedTransaction } from "./ListedTransaction.ts"
import * as ListReader from "./ListReader.ts"
import * as Pages from "./Pages.ts"
import { isDeposit, type KnownReceipts, type Receipts, receipts } from "./receipts.ts"
import { mayBeDeposit, mayCarryBlobs, needsReceipt, toTransaction } from "./transaction.ts"

/** Maximum cached receipts of final transactions. */
const capacity = 2_000

/** Reads receipts from nodes and caches those of final transactions. Cannot fail. `now` is in UNIX seconds. */
const finalReceipts = (nodes: Upstream, { dataFee, finality }: EvmFacts) => {
  const final = BoundedMap.sized<KnownReceipts>(capacity)

  return (
    unclear: ReadonlyArray<ListedTransaction>,
    holder: string,
    now: number,
    deadline: Deadline.Started
  ): Effect.Effect<Receipts> =>
    Effect.gen(function* () {
      const found = new Map<string, KnownReceipts>()
      for (const { hash } of unclear) {
        const known = final.get(hash)
        if (known !== undefined) found.set(hash, known)
      }
      const missing = unclear.filter(({ hash }) => !found.has(hash))
      const perhapsDeposits = missing.filter((transaction) => mayBeDeposit(transaction, { dataFee, holder }))
      const read = yield* receipts(nodes, missing.map(hashOf), perhapsDeposits.map(hashOf)).pipe(
        timeoutTo({
          duration: yield* deadline.remaining("collect"),
          onTimeout: (): Effect.Effect<Receipts> => Effect.succeed({ found: new Map(), failure: "timed out" })
        })
      )
      for (const { at = now, hash } of missing) {
        const known = read.found.get(hash)
        if (known === undefined) continue
        found.set(hash, known)
        if (at < now - finality && isWhole(known)) final.set(hash, known)
      }
      return { found, failure: read.failure }
    })
}

const hashOf = ({ hash }: ListedTransaction) => hash

/** A deposit is complete with its amount, which is looked up only for its sender. */
const isWhole = (known: KnownReceipts) => !isDeposit(known) || known.minted !== undefined

/**
 * Maximum transactions of a response (the newest) that are looked up at a node if the explorer's rows are incomplete.
 */
const maxReceipts = 500

/**
 * The history of a network's addresses. Explorers have separate lists of an address's own transactions, of value that
 * contracts moved, and of tokens, each cut off at another block. Blocks that are not on all lists are left out.
 */
export const make = (facts: EvmFacts, nodes: Upstream, explorers: ReadonlyArray<Explorer>) =>
  Effect.gen(function* () {
    const time = Deadline.make(yield* requestDeadline)
    const read = ListReader.make(explorers, facts.nativeTokens)
    const lookUp = finalReceipts(nodes, facts)
    const names = explorers.map(({ name }) => name)
    const off = unserved(facts, explorers)
    const { dataFee } = facts

    const history = (query: HistoryQuery): Effect.Effect<HistoryPart, ReadFailure> =>
      Effect.gen(function* () {
        if (off !== undefined) return yield* Effect.fail(off)
        const { address: holder, before, limit, since } = query
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const deadline = yield* time.start
        const { ended, found, lists } = yield* read(query, deadline)
        const failure = failureOf(lists)
        if (failure !== undefined) return yield* Effect.fail(failure)
        const recent = found.filter(
          ({ at, block }) =>
            (since === undefined || block === undefined || (at ?? now) >= since) &&
            (before === undefined || (block !== undefined && block <= before.height))
        )
        const wanted = recent.slice(0, limit)
        const blobs = mayCarryBlobs(found, facts.blobsSince)
        const unclear = wanted
          .filter((transaction) => needsReceipt(transaction, { blobs, dataFee, holder }))
          .slice(0, maxReceipts)
        const known = yield* lookUp(unclear, holder, now, deadline)
        const knowledge = { holder, blobs, dataFee, used: usedNonces(found, holder), now }
        return {
          transactions: wanted
            .map((transaction) => toTransaction(transaction, known.found.get(transaction.hash), knowledge))
            .sort(newestFirst),
          more: recent.length > limit || lists.some((list) => ListReader.isOpen(list, since)),
          ended,
          sources: names.filter((name) => lists.some(({ sources }) => sources.includes(name))),
          missing: unique([
            ...lists.flatMap(({ missing }) => missing),
            ...lists.flatMap(unreadPart),
            // Not `unavailable`: a node may have them later.
            ...(known.failure === undefined ? [] : [`fees and results of some transactions: ${known.failure}`])
          ]),
          unavailable: unique([
            ...(facts.withdrawals ? ["beacon chain withdrawals"] : []),
            ...lists.flatMap(({ unavailable }) => unavailable)
          ])
        }
      }).pipe(span("Evm.history", { attributes: { network: facts.id, limit: query.limit } }))

    const served: AbilitySources = off === undefined ? Either.right(names) : Either.left(off.message)
    return { history, served }
  })

/** Why no list could be read; undefined if any list was read. */
const failureOf = (lists: ReadonlyArray<ListReader.ListState>): ReadFailure | undefined =>
  lists.every(({ failure, sources }) => failure !== undefined && sources.length === 0) ? lists[0]?.failure : undefined

const usedNonces = (found: ReadonlyArray<ListedTransaction>, holder: string): ReadonlySet<string> =>
  new Set(
    found.flatMap(({ block, own }) =>
      own?.nonce && block !== undefined && own.from.toLowerCase() === holder ? [own.nonce] : []
    )
  )

/** The part of a list that was not read because of a failure, in words. */
const unreadPart = ({ failure, kind, sources }: ListReader.ListState): ReadonlyArray<string> =>
  failure === undefined ? [] : [`${sources.length === 0 ? "" : "older "}${Pages.nameOf(kind)}: ${failure.message}`]

const unique = (texts: ReadonlyArray<string>) => [...new Set(texts)]
