import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Chains } from "../../chains/Chains.ts"
import { Api } from "../../contract/Api.ts"
import type { History as Answer, HistoryMeta, HistoryRequest, HistoryWithMeta } from "../../contract/HistoryApi.ts"
import { UpstreamFailed } from "../../contract/Problem.ts"
import { invalid, tooManyAddresses } from "../../contract/problem/issues.ts"
import type { Failure } from "../../contract/streaming.ts"
import { isOfAmounts, textsOf } from "../../domain/history/Gap.ts"
import { numberOrNull } from "../../domain/units.ts"
import { appendFailures } from "../../http/response/partialFailures.ts"
import { formOf, type StreamedPart, streamed, streamedEvents } from "../../http/response/streamed.ts"
import { maxAddresses } from "../../settings/variables.ts"
import { unknownNetworks } from "../reading.ts"
import { toEntry } from "./entries.ts"
import { exportedAs } from "./export/exportedAs.ts"
import { History, type OfNetwork } from "./History.ts"
import type { NetworkHistory } from "./NetworkHistory.ts"
import type { Cursors, RefusedCursor } from "./pages/cursorsOf.ts"

export const layer = HttpApiBuilder.group(Api, "history", (handlers) =>
  Effect.gen(function* () {
    const history = yield* History
    const unknown = unknownNetworks((yield* Chains).facts)
    const max = yield* maxAddresses
    const cursorsOf = ({ cursors = {}, networks }: Pick<HistoryRequest, "cursors" | "networks">) =>
      Effect.mapError(history.cursors(networks, cursors), (refused) => invalid(refused.map(inIssue)))
    const streamedParts = (networks: HistoryRequest["networks"], limit: number, meta: boolean, cursors: Cursors) => {
      const skipped = unknown(Object.keys(networks))
      const toPart = (all: ReadonlyArray<OfNetwork>, failures: ReadonlyArray<Failure>): StreamedPart => {
        const reported = failures.length === 0 ? {} : { failures }
        const body = bodyOf(meta, all, all.length === 0 ? skipped : [], networks)
        return { elements: [{ ...body, ...reported }], failures: failures.length }
      }
      return Stream.concat(
        Stream.fromIterable(skipped.length === 0 ? [] : [toPart([], skipped)]),
        Stream.map(history.stream(networks, limit, cursors), (read) =>
          toPart([read], read.histories.flatMap(toFailure))
        )
      )
    }
    return handlers
      .handle("history", ({ payload, payload: { limit = defaultLimit, meta = false, networks }, request }) =>
        Effect.gen(function* () {
          yield* tooManyAddresses(networks, max)
          const cursors = yield* cursorsOf(payload)
          const form = formOf(request.headers.accept)
          if (form !== undefined) return streamed(form, streamedParts(networks, limit, meta, cursors))
          const all = yield* history.transactions(networks, limit, cursors)
          const histories = all.flatMap((ofNetwork) => ofNetwork.histories)
          const wellFormed = histories.filter(({ failure }) => failure?.reason !== "invalid_address")
          if (wellFormed.length > 0 && histories.every(hasFailed))
            return yield* new UpstreamFailed({
              detail: `No history could be fetched: ${wellFormed[0]?.failure?.message}.`
            })
          const skipped = unknown(Object.keys(networks))
          yield* appendFailures([...skipped, ...histories.flatMap(toFailure)])
          // Does not encode with the schema: that loses a key named __proto__, and the client chooses the keys.
          return HttpServerResponse.unsafeJson(bodyOf(meta, all, skipped, networks))
        })
      )
      .handle("export", ({ urlParams: { addresses, end, format = "ndjson" } }) =>
        Effect.gen(function* () {
          yield* tooManyAddresses(addresses, max)
          return exportedAs(format, history.whole(addresses), end)
        })
      )
      .handle("stream", ({ request, urlParams: { addresses, cursors = {}, limit = defaultLimit, meta = false } }) =>
        Effect.gen(function* () {
          yield* tooManyAddresses(addresses, max)
          const parts = streamedParts(addresses, limit, meta, yield* cursorsOf({ networks: addresses, cursors }))
          return streamedEvents(request.headers["last-event-id"], parts, () => "history")
        })
      )
  })
)

const inIssue = ({ address, message, network }: RefusedCursor) => ({
  path: `cursors.${network}.${address}`,
  message
})

const defaultLimit = 50

const hasFailed = ({ failure, transactions }: NetworkHistory) => failure !== undefined && transactions.length === 0

const toFailure = ({ failure, name, text }: NetworkHistory): ReadonlyArray<Failure> =>
  failure === undefined ? [] : [{ network: name, address: text, message: failure.message, errorCode: failure.reason }]

/** Values by network and address, under the keys of the request. */
const keyed = <A>(
  all: ReadonlyArray<OfNetwork>,
  value: (networkHistory: NetworkHistory) => A
): Record<string, Record<string, A>> =>
  Object.fromEntries(
    all.map(({ histories, name }) => [
      name,
      Object.fromEntries(histories.map((history) => [history.text, value(history)]))
    ])
  )

const withoutMeta = (all: ReadonlyArray<OfNetwork>): Answer =>
  keyed(all, ({ surroundings, transactions }) =>
    transactions.map(([transaction, labels]) => toEntry(transaction, labels, surroundings))
  )

const metaOf = ({ displayGaps, gaps, next, sources, transactions }: NetworkHistory): HistoryMeta => {
  const all = [...gaps, ...displayGaps]
  const unlisted = textsOf(all.filter(({ what }) => what === "not_listed"))
  return {
    complete: !all.some(isOfAmounts),
    oldest: numberOrNull(transactions.at(-1)?.[0].timestamp),
    next,
    sources,
    missing: textsOf(all),
    ...(unlisted.length === 0 ? {} : { unlisted })
  }
}

/** The metadata of the addresses of unknown networks. */
const unknownMeta = (skipped: ReadonlyArray<Failure>, networks: HistoryRequest["networks"]) =>
  Object.fromEntries(
    skipped.map(({ message, network }) => {
      const meta: HistoryMeta = { complete: false, oldest: null, next: null, sources: [], missing: [message] }
      return [network, Object.fromEntries((networks[network] ?? []).map((address) => [address, meta]))]
    })
  )

/** The body of a response about these networks; with metadata also about those that are skipped. */
const bodyOf = (
  meta: boolean,
  all: ReadonlyArray<OfNetwork>,
  skipped: ReadonlyArray<Failure>,
  networks: HistoryRequest["networks"]
): Answer | HistoryWithMeta =>
  meta
    ? { data: withoutMeta(all), meta: { ...keyed(all, metaOf), ...unknownMeta(skipped, networks) } }
    : withoutMeta(all)
