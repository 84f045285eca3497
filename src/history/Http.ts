import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Api } from "../api/Api.ts"
import type { History as Answer, HistoryMeta, HistoryWithMeta } from "../api/HistoryApi.ts"
import { UpstreamFailed } from "../api/Problem.ts"
import { tooManyAddresses } from "../api/tooManyAddresses.ts"
import { appendHeader } from "../effect/partialFailures.ts"
import { formOf, streamed } from "../effect/streamed.ts"
import { maxAddresses } from "../settings/MaxAddresses.ts"
import { toEntry } from "./entries.ts"
import { History, type Told } from "./History.ts"

export const layer = HttpApiBuilder.group(Api, "history", (handlers) =>
  Effect.gen(function* () {
    const history = yield* History
    const most = yield* maxAddresses
    return handlers.handle("transactions", ({ payload: { limit, meta, networks }, request }) =>
      Effect.gen(function* () {
        const refused = tooManyAddresses(networks, most)
        if (refused !== undefined) return yield* refused
        const answer: (told: ReadonlyArray<Told>) => Answer | HistoryWithMeta = meta ? withMeta : withoutMeta
        const form = formOf(request.headers.accept)
        if (form !== undefined) return streamed(form, Stream.map(history.stream(networks, limit), answer))
        const told = yield* history.transactions(networks, limit)
        const wellFormed = told.filter(({ failure }) => failure?.reason !== "invalid_address")
        if (wellFormed.length > 0 && told.every(isLost))
          return yield* new UpstreamFailed({ detail: `No history could be had: ${wellFormed[0]?.failure?.message}.` })
        yield* appendHeader(told.flatMap(toFailure), (count) => ({
          network: "*",
          address: "*",
          message: `and ${count} more`
        }))
        return answer(told)
      })
    )
  })
)

const isLost = ({ failure, transactions }: Told) => failure !== undefined && transactions.length === 0

/** Many addresses are named with a word for the reason. */
const toFailure = ({ failure, name, text }: Told) => {
  if (failure === undefined) return []
  const of = { network: name, address: text }
  return [{ full: { ...of, message: failure.message }, short: { ...of, message: failure.reason } }]
}

/** Under the keys of the request. */
const keyed = <A>(told: ReadonlyArray<Told>, value: (one: Told) => A): Record<string, Record<string, A>> => {
  const byName = Map.groupBy(told, ({ name }) => name)
  return Object.fromEntries(
    [...byName].map(([name, all]) => [name, Object.fromEntries(all.map((one) => [one.text, value(one)]))])
  )
}

const withoutMeta = (told: ReadonlyArray<Told>): Answer =>
  keyed(told, ({ surroundings, transactions }) =>
    transactions.map(([transaction, labels]) => toEntry(transaction, labels, surroundings))
  )

const withMeta = (told: ReadonlyArray<Told>): HistoryWithMeta => ({
  data: withoutMeta(told),
  meta: keyed(
    told,
    ({ missing, sources, transactions }): HistoryMeta => ({
      complete: missing.length === 0,
      oldest: transactions.at(-1)?.[0].timestamp ?? null,
      sources,
      missing
    })
  )
})
