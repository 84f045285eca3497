import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { solana } from "../../catalogue/solana.ts"
import { gap } from "../../domain/history/Gap.ts"
import type { Heights } from "../../domain/history/Heights.ts"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import { numberOf, type Slot, slot } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import { timeoutOption } from "../../kernel/timeout.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { positioned } from "../kit/history/heights.ts"
import { unread, withDecimals } from "../kit/holdings/tokenList.ts"
import { maxHeightOf } from "../kit/status/currentHead.ts"
import {
  addTransactions,
  type FoundTransactions,
  type HistoryOptions,
  hashOf,
  listSignatures,
  placesOf,
  type SignatureList,
  timedOut,
  withClosed
} from "./history/signatures.ts"
import type { Mints } from "./Mints.ts"
import type { SolanaProvider } from "./Provider.ts"
import { closedBy, concerns, slotOf, toTransaction } from "./toTransaction.ts"

/** Reads histories, at most for `maxWait` (ms), and the heights that separate their pages. */
export const histories = (agave: SolanaProvider, mints: Mints, maxWait: number) => {
  const options = { maxWait, tokens: mints.list }
  const history = (query: HistoryQuery<Slot>) =>
    historyOf(agave, options, query).pipe(
      Effect.mapError(unread),
      span("Solana.history", { attributes: { limit: query.limit } })
    )
  const heights: Heights<Slot> = { of: slotOf, max: (clock) => slot(numberOf(maxHeightOf(solana, clock))) }
  return positioned(heights, withDecimals(history, mints.list, mints.facts))
}

/**
 * The newest transactions of an address and of its token accounts. Each is requested from every node until one has it;
 * those that were not found in time are counted in `gaps`.
 */
const historyOf = (agave: SolanaProvider, options: HistoryOptions, query: HistoryQuery<Slot>) =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + options.maxWait
    const left = Effect.map(Clock.currentTimeMillis, (now) => Math.max(end - now, 1))
    const found: FoundTransactions = new Map()
    const first = yield* listSignatures(agave, options, query, found)
    const read = (listed: SignatureList) =>
      Effect.flatMap(left, (duration) => {
        const open = placesOf(listed, query).places.filter(({ hash }) => !found.has(hash))
        return details(agave, open.map(hashOf), found, duration)
      })
    const faultsBefore = yield* read(first)
    const gone = [...found.values()].flatMap((transaction) => closedBy(query.address, transaction))
    // Some may have been closed since the previous page.
    const closed = [...new Set([...gone, ...(query.before?.accounts ?? [])])].filter(
      (account) => !first.accounts.has(account)
    )
    const listed = closed.length === 0 ? first : yield* withClosed(agave, first, closed, query, yield* left)
    const faults = listed === first ? faultsBefore : yield* read(listed)
    const { more, places } = placesOf(listed, query)
    const own = new Set([query.address, ...listed.accounts])
    const transactions = places.flatMap((place) => {
      const transaction = found.get(place.hash)
      return transaction === undefined || !concerns(own, transaction)
        ? []
        : Option.toArray(toTransaction(query.address, place, transaction))
    })
    const notFound = places.length - transactions.length
    const fault = notFound === 0 ? undefined : (faults[0] ?? agave.nodes.fault(withheld))
    if (fault !== undefined && transactions.length === 0) return yield* fault
    return {
      transactions,
      // Transactions that were not found are counted below; with a start time they are the only ones missing.
      more: more || (notFound > 0 && query.since === undefined),
      sources: [agave.name],
      ...(listed.accounts.size === 0 ? {} : { accounts: [...listed.accounts] }),
      gaps: [
        ...listed.gaps,
        ...(fault === undefined
          ? []
          : [gap("transactions", `${notFound} of ${places.length} transactions: ${fault.message}`)])
      ]
    }
  })

/** Cannot fail: adds what was read in time to `found`, and returns why the rest is missing. */
const details = (
  agave: SolanaProvider,
  signatures: ReadonlyArray<string>,
  found: FoundTransactions,
  duration: number
) =>
  Effect.gen(function* () {
    const faults: Array<UpstreamError> = []
    const ofChunk = (chunk: ReadonlyArray<string>) =>
      agave.nodes.over((node) =>
        Effect.gen(function* () {
          const rest = chunk.filter((signature) => !found.has(signature))
          addTransactions(found, rest, yield* agave.transactions(node, rest))
          if (chunk.some((signature) => !found.has(signature))) return yield* node.fault(withheld)
        })
      )
    const all = Effect.forEach(
      Arr.chunksOf(signatures, agave.limits.transactionsPerRequest),
      (chunk) => Effect.catchAll(ofChunk(chunk), (error) => Effect.sync(() => void faults.push(error))),
      { concurrency: 4, discard: true }
    )
    const inTime = yield* timeoutOption(all, duration)
    if (Option.isNone(inTime)) faults.push(agave.nodes.fault(timedOut))
    return faults
  })

const withheld: Fault = { reason: "bad_answer", detail: "did not return them, or in an unexpected format" }
