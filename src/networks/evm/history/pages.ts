import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { UpstreamError } from "../../../upstreams/UpstreamError.ts"
import type { Explorer } from "./Explorers.ts"
import * as Listing from "./listing.ts"
import * as Wire from "./wire.ts"

/** A page, who told it, and what it lacks. */
export interface Told<K extends Wire.Kind> extends Listing.Page<K> {
  readonly source: string
  readonly lacks: ReadonlyArray<string>
}

/** Who does not serve a network, or refuses the key, is not asked about it again for so long, ms. */
const remembered = 30 * 60 * 1000

/** Explorers tell no more of one range than this. */
const window = 10_000

const names: Readonly<Record<Wire.Kind, string>> = {
  txlist: "transactions",
  txlistinternal: "internal transfers",
  tokentx: "token transfers"
}

export const nameOf = (kind: Wire.Kind) => names[kind]

/** Asks the explorers of one network for pages, the next one where one fails. */
export const make = (explorers: ReadonlyArray<Explorer>) => {
  const refusedUntil = new Map<string, number>()

  const from = <K extends Wire.Kind>(
    explorer: Explorer,
    kind: K,
    address: string,
    size: number,
    next: Listing.Cursor
  ) =>
    Effect.gen(function* () {
      const { upstream } = explorer
      if (next.page * size > window)
        return yield* upstream.fault({ reason: "bad_answer", detail: "has more in one block than can be asked for" })
      const query = {
        module: "account",
        action: kind,
        address,
        page: String(next.page),
        offset: String(size),
        sort: "desc",
        ...(next.end === undefined ? {} : { startblock: "0", endblock: String(next.end) })
      }
      const { result, status } = yield* upstream.read(explorer.request(query), Wire.Envelope)
      const all = result ?? []
      const rows = Arr.filterMap(all, Wire.readers[kind])
      const odd = all.length - rows.length
      if ((odd > 0 && rows.length === 0) || !Listing.isInOrder(rows, next))
        return yield* upstream.fault({ reason: "bad_answer", detail: "answered in a form that is not understood" })
      const lacks = [
        ...(odd > 0 ? [`${names[kind]}: ${explorer.name}: ${odd} that are not understood`] : []),
        ...(status === "2" ? [`${names[kind]}: ${explorer.name}: not all of them are processed yet`] : [])
      ]
      return { rows, full: all.length >= size, source: explorer.name, lacks } satisfies Told<K> as Told<K>
    }).pipe(
      Effect.tapError((error) =>
        isRefusal(error)
          ? Effect.map(Clock.currentTimeMillis, (now) => refusedUntil.set(explorer.name, now + remembered))
          : Effect.void
      )
    )

  return <K extends Wire.Kind>(kind: K, address: string, size: number, next: Listing.Cursor) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const willing = explorers.filter(({ name }) => (refusedUntil.get(name) ?? 0) <= now)
      const [first, ...others] = willing.length === 0 ? explorers : willing
      if (first === undefined) return yield* Effect.dieMessage("a network without explorers is not asked")
      const ask = (explorer: Explorer) => from(explorer, kind, address, size, next)
      return yield* others.reduce(
        (asked, other) =>
          Effect.catchAll(asked, (error) =>
            Effect.mapError(ask(other), (second) => (isRefusal(second) ? error : second))
          ),
        ask(first)
      )
    })
}

const isRefusal = ({ detail, status }: UpstreamError) =>
  detail === Wire.notServed.detail || status === 401 || status === 402 || status === 403
