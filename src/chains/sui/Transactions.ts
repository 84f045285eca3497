import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { HistoryPart, HistoryQuery, Transaction } from "../../domain/Transaction.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { orderOf } from "../netChanges.ts"
import { ofMainnet } from "./Client.ts"
import * as GraphQl from "./GraphQl.ts"
import { toTransaction } from "./history.ts"
import * as TransactionWire from "./TransactionWire.ts"

/** The most transactions in a page, and changes of balances in a transaction. */
const pageSize = 50

/** Whose changes fit into one query of 5,000 bytes, and how often as many more are asked for. */
const perQuery = 10
const mostRounds = 4

const changes = "nodes { owner { address } coinType { repr } amount } pageInfo { hasNextPage endCursor }"

const rows = `transactions(last: $last, before: $before, filter: $filter) { nodes { digest sender { address } gasInput { gasSponsor { address } } kind { __typename } effects { status timestamp checkpoint { sequenceNumber } gasEffects { gasSummary { computationCost storageCost storageRebate } } balanceChanges(first: ${pageSize}) { ${changes} } } } pageInfo { hasPreviousPage startCursor } }`

const firstPage = `query ($last: Int!, $before: String, $filter: TransactionFilter!, $filters: [String!]) { chainIdentifier serviceConfig { availableRange(type: "Query", field: "transactions", filters: $filters) { first { sequenceNumber timestamp } } } ${rows} }`

const furtherPage = `query ($last: Int!, $before: String, $filter: TransactionFilter!) { ${rows} }`

const moreChanges = (count: number) => {
  const each = (text: (index: number) => string) => Arr.makeBy(count, text).join(" ")
  return `query (${each((index) => `$digest${index}: String!, $after${index}: String!`)}) { ${each(
    (index) =>
      `t${index}: transactionEffects(digest: $digest${index}) { balanceChanges(first: ${pageSize}, after: $after${index}) { ${changes} } }`
  )} }`
}

/** What one host has told so far. */
interface HistoryReading {
  /** The newest first. */
  readonly told: ReadonlyArray<TransactionWire.SuiTransaction>
  /** Whether the host has older ones. */
  readonly older: boolean
  /** Before when it keeps nothing. */
  readonly keptSince: Option.Option<string>
  /** So many rows were not understood. */
  readonly odd: number
}

/**
 * The newest transactions of an address, all from one host: a mark of where a page ended means nothing to another one. What
 * one host breaks off, the next is asked from the start; where none tells all in time, the longest is told.
 */
export const history = (
  hosts: Upstream,
  patience: number,
  question: HistoryQuery
): Effect.Effect<HistoryPart, UpstreamError> =>
  Effect.gen(function* () {
    let best: HistoryReading | undefined
    const keep = (reading: HistoryReading) =>
      Effect.sync(() => {
        if (best === undefined || reading.told.length >= best.told.length) best = reading
      })
    const asked = hosts.over((host) => pages(host, question, keep))
    const ended = yield* Effect.either(timeoutFail(asked, { duration: patience, onTimeout: () => hosts.fault(late) }))
    // A host that has told all it has is believed, even if another one began to tell more.
    if (Either.isRight(ended)) return toPart(hosts.name, question, ended.right, undefined)
    const reading = best as HistoryReading | undefined
    return reading === undefined ? yield* ended.left : toPart(hosts.name, question, reading, ended.left)
  })

const toPart = (
  name: string,
  { address, limit, since = 0 }: HistoryQuery,
  { keptSince, odd, older, told }: HistoryReading,
  fault: UpstreamError | undefined
): HistoryPart => {
  const orders = orderOf(told, ({ effects }) => effects.checkpoint.sequenceNumber)
  const wanted = told
    .map((item, index): Transaction => toTransaction(address, orders[index] ?? 0, item))
    .filter(({ timestamp }) => timestamp >= since)
  const passed = wanted.length < told.length
  const shown = wanted.slice(0, limit)
  const cut = told.slice(0, shown.length).filter(({ effects }) => effects.balanceChanges.pageInfo.hasNextPage).length
  const lost = Option.filter(keptSince, (time) => !older && wanted.length <= limit && Date.parse(time) / 1000 > since)
  return {
    transactions: shown,
    more: wanted.length > limit || (older && !passed),
    sources: [name],
    missing: [
      ...(fault === undefined ? [] : [`older transactions: ${fault.message}`]),
      ...(odd === 0 ? [] : [`${odd} transactions: ${name} returned them in an unexpected format`]),
      ...(cut === 0 ? [] : [`some transfers of ${cut} transactions: there are too many of them`]),
      ...Option.toArray(Option.map(lost, (time) => `transactions before ${time}: ${name} does not have them`))
    ]
  }
}

const pages = (
  host: Endpoint,
  { address, limit, since = 0 }: HistoryQuery,
  keep: (reading: HistoryReading) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    let before: string | null = null
    let reading: HistoryReading = { told: [], older: true, keptSince: Option.none(), odd: 0 }
    while (reading.older && reading.told.length < limit && secondsOf(reading) >= since) {
      const left = limit - reading.told.length
      const variables = { last: Math.min(left, pageSize), before, filter: { affectedAddress: address } }
      const first = before === null
      const reply: GraphQl.GraphQlResponse = yield* first
        ? Effect.flatMap(
            GraphQl.ask(host, firstPage, { ...variables, filters: ["affectedAddress"] }),
            (graphQlResponse) => ofMainnet(host, graphQlResponse)
          )
        : GraphQl.ask(host, furtherPage, variables)
      const { nodes, pageInfo } = yield* Either.mapLeft(
        reply.at(["transactions"], TransactionWire.TransactionPage),
        host.fault
      )
      before = pageInfo.startCursor ?? null
      if (pageInfo.hasPreviousPage && (before === null || nodes.length === 0)) return yield* host.fault(endless)
      const understood = Arr.getSomes(nodes.map((row) => TransactionWire.told(row)))
      if (nodes.length > 0 && understood.length === 0) return yield* host.fault(notUnderstood)
      const known = new Set(reading.told.map(({ digest }) => digest))
      const fresh = new Map(
        understood.flatMap((item) => (known.has(item.digest) ? [] : [[item.digest, item] as const]))
      )
      const whole = yield* complete(host, [...fresh.values()].reverse())
      reading = {
        told: [...reading.told, ...whole],
        older: pageInfo.hasPreviousPage,
        keptSince: first ? keptSince(reply) : reading.keptSince,
        odd: reading.odd + nodes.length - understood.length
      }
      yield* keep(reading)
    }
    return reading
  })

const secondsOf = ({ told }: HistoryReading): number => {
  const last = told.at(-1)
  return last === undefined ? Number.POSITIVE_INFINITY : Date.parse(last.effects.timestamp) / 1000
}

/** None where the host keeps all, or does not say since when. */
const keptSince = (reply: GraphQl.GraphQlResponse): Option.Option<string> =>
  Option.flatMap(Either.getRight(reply.at(["serviceConfig", "availableRange"], TransactionWire.Range)), ({ first }) =>
    first === null || first.sequenceNumber === 0 ? Option.none() : Option.fromNullable(first.timestamp)
  )

/** With all changes of balances, or as many as can be had: what is left says so by its `hasNextPage`. */
const complete = (
  host: Endpoint,
  told: ReadonlyArray<TransactionWire.SuiTransaction>,
  round = 0
): Effect.Effect<ReadonlyArray<TransactionWire.SuiTransaction>> =>
  Effect.gen(function* () {
    const pending = told.filter(({ effects }) => effects.balanceChanges.pageInfo.hasNextPage)
    if (pending.length === 0 || round === mostRounds) return told
    const parts = yield* Effect.forEach(Arr.chunksOf(pending, perQuery), (chunk) => further(host, chunk), {
      concurrency: 4
    })
    const added = new Map(parts.flat())
    if (added.size === 0) return told
    return yield* complete(
      host,
      told.map((item) => {
        const more = added.get(item.digest)
        if (more === undefined) return item
        const { nodes } = item.effects.balanceChanges
        return { ...item, effects: { ...item.effects, balanceChanges: { ...more, nodes: [...nodes, ...more.nodes] } } }
      }),
      round + 1
    )
  })

const further = (host: Endpoint, chunk: ReadonlyArray<TransactionWire.SuiTransaction>) =>
  Effect.match(
    GraphQl.ask(
      host,
      moreChanges(chunk.length),
      Object.fromEntries(
        chunk.flatMap(({ digest, effects }, index) => [
          [`digest${index}`, digest],
          [`after${index}`, effects.balanceChanges.pageInfo.endCursor ?? ""]
        ])
      )
    ),
    {
      onFailure: () => [],
      onSuccess: (reply) =>
        chunk.flatMap(({ digest }, index) =>
          Option.toArray(
            Option.map(
              Either.getRight(reply.at([`t${index}`, "balanceChanges"], TransactionWire.Changes)),
              (more) => [digest, more] as const
            )
          )
        )
    }
  )

const late: Fault = { reason: "timeout", detail: "timed out before the full history was read" }
const notUnderstood: Fault = { reason: "bad_answer", detail: "returned transactions in an unexpected format" }
const endless: Fault = { reason: "bad_answer", detail: "returned pages without an end" }
