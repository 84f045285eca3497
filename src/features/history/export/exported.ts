import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { type Gap, textsOf, union } from "../../../domain/history/Gap.ts"
import type { Reason } from "../../../domain/Reason.ts"
import * as declare from "../../../settings/declare.ts"
import type { RequestedNetworks } from "../../reading.ts"
import type { History } from "../History.ts"
import type { NetworkHistory } from "../NetworkHistory.ts"
import type { Cursors } from "../pages/cursorsOf.ts"

type PagedHistories = Pick<History["Type"], "cursors" | "transactions">

/** An export takes longer than a request; each of its pages has the deadline of a request. */
export const exportDeadline = declare.integer({
  name: "EXPORT_DEADLINE_MS",
  default: 300_000,
  min: 1_000,
  max: 86_400_000,
  meaning:
    "Time limit of an export of whole histories in milliseconds; transactions not read by then are reported as missing"
})

/** A part missing from the history of an address. */
export interface ExportFailure {
  /** As written in the request. */
  readonly network: string
  readonly address: string
  /** For people. */
  readonly message: string
  readonly errorCode: Reason
}

/** A part of an export: some transactions of one address, newest first, or why the rest is missing. */
export type ExportPart =
  | { readonly page: NetworkHistory; readonly failure?: never }
  | { readonly page?: never; readonly failure: ExportFailure }

/** Transactions per page, and per page that is re-read because it was incomplete. */
const [pageSize, smallPage] = [500, 50]

/** A page that could not be read is retried twice. */
const again = Schedule.intersect(Schedule.exponential("1 second", 4), Schedule.recurs(2))

interface ExportState {
  readonly cursor: string | undefined
  /** Missing parts of the pages so far. */
  readonly gaps: ReadonlyArray<Gap>
}

interface ExportedAddress {
  readonly network: string
  readonly address: string
}

/**
 * The whole histories of addresses, one after the other, read page by page on demand, so that only one page is in
 * memory. After the pages of an incomplete history comes a failure. Pages are read for `within` ms.
 */
export const exported = (
  histories: PagedHistories,
  wanted: RequestedNetworks,
  within: number
): Stream.Stream<ExportPart> => {
  const owners = Object.entries(wanted).flatMap(([network, addresses]) =>
    [...new Set(addresses)].map((address) => ({ network, address }))
  )
  const pages = (until: number) =>
    Stream.flatMap(Stream.fromIterable(owners), (owner) =>
      Stream.paginateChunkEffect({ cursor: undefined, gaps: [] } as ExportState, (state) =>
        pageAfter(histories, owner, state, until)
      )
    )
  return Stream.unwrap(Effect.map(Clock.currentTimeMillis, (now) => pages(now + within)))
}

/** One address without the others. */
const only = ({ address, network }: ExportedAddress): RequestedNetworks => ({ [network]: [address] })

/** One page; undefined if the network is not supported. */
const read = (histories: PagedHistories, owner: ExportedAddress, cursors: Cursors, limit: number) =>
  Effect.map(histories.transactions(only(owner), limit, cursors), ([first]) => first?.histories[0])

const mayRecover = (page: NetworkHistory | undefined) =>
  page?.transactions.length === 0 &&
  (page.failure === undefined ? page.next !== null : !lasting.includes(page.failure.reason))

/** Reasons that a retry does not change. */
const lasting: ReadonlyArray<Reason> = ["invalid_address", "not_configured", "sunset"]

/** Retries a page that could not be read, and re-reads a smaller page if a new part is missing from it. */
const readAgain = (histories: PagedHistories, owner: ExportedAddress, cursors: Cursors, known: ExportState["gaps"]) =>
  Effect.gen(function* () {
    const page = yield* Effect.flatMap(read(histories, owner, cursors, pageSize), (found) =>
      mayRecover(found) ? Effect.fail(found) : Effect.succeed(found)
    ).pipe(Effect.retry(again), Effect.merge)
    const isNew = ({ isFinal, what }: Gap) => isFinal !== true && !known.some((before) => before.what === what)
    if (page === undefined || page.failure !== undefined || !page.gaps.some(isNew)) return page
    const smaller = yield* read(histories, owner, cursors, smallPage)
    if (smaller === undefined || smaller.failure !== undefined) return page
    return smaller.gaps.filter(isNew).length < page.gaps.filter(isNew).length ? smaller : page
  })

/** Prefix of the message about a missing part of a page. */
const older = ({ cursor }: ExportState) => (cursor === undefined ? "" : "older transactions: ")

const pageAfter = (
  histories: PagedHistories,
  owner: ExportedAddress,
  state: ExportState,
  until: number
): Effect.Effect<readonly [Chunk.Chunk<ExportPart>, Option.Option<ExportState>]> =>
  Effect.gen(function* () {
    const ended = (parts: ReadonlyArray<ExportPart>) => [Chunk.fromIterable(parts), Option.none<ExportState>()] as const
    const failed = (message: string, errorCode: Reason): ExportPart => ({
      failure: { ...owner, message, errorCode }
    })
    if ((yield* Clock.currentTimeMillis) >= until)
      return ended([failed(`${older(state)}the time limit of an export is over (EXPORT_DEADLINE_MS)`, "timeout")])
    const texts = state.cursor === undefined ? {} : { [owner.network]: { [owner.address]: state.cursor } }
    const cursors = yield* Effect.either(histories.cursors(only(owner), texts))
    if (Either.isLeft(cursors))
      return ended([failed(`${older(state)}the cursor of the next page is refused`, "bad_answer")])
    const page = yield* readAgain(histories, owner, cursors.right, state.gaps)
    if (page === undefined) return ended([])
    const { failure, next, transactions } = page
    const gaps = union(state.gaps, page.gaps, page.displayGaps)
    const found: ReadonlyArray<ExportPart> = transactions.length > 0 ? [{ page }] : []
    if (next !== null && transactions.length > 0)
      return [Chunk.fromIterable(found), Option.some({ cursor: next, gaps })]
    const missing = failure === undefined ? gaps : state.gaps
    const [unlisted, others] = Arr.partition(missing, ({ what }) => what !== "not_listed")
    const why = [...textsOf(others), ...(failure === undefined ? [] : [`${older(state)}${failure.message}`])]
    return ended([
      ...found,
      ...(unlisted.length === 0 ? [] : [failed(textsOf(unlisted).join("; "), "not_listed")]),
      ...(why.length === 0 ? [] : [failed(why.join("; "), failure?.reason ?? "upstream_error")])
    ])
  })
