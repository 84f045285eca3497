import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import { type HistoryPart, type HistoryQuery, newestFirst } from "../../../domain/Transaction.ts"
import * as Deadline from "../../../kernel/Deadline.ts"
import { span } from "../../../kernel/span.ts"
import { requestDeadline } from "../../../settings/variables.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { AbilitySources, ReadFailure } from "../../Chain.ts"
import { type Explorer, unserved } from "./Explorers.ts"
import * as FinalReceipts from "./FinalReceipts.ts"
import type { ListedTransaction } from "./ListedTransaction.ts"
import * as ListReader from "./ListReader.ts"
import * as Pages from "./Pages.ts"
import { mayCarryBlobs, needsReceipt, toTransaction } from "./transaction.ts"

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
    const read = ListReader.make(explorers, facts.nativeTokenContracts)
    const lookUp = FinalReceipts.make(nodes, facts)
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
