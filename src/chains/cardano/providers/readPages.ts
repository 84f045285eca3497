import * as Effect from "effect/Effect"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"

/** The list changed between two pages, or all pages are equal: rows may be missing. */
export const pagesDiffer: Fault = { reason: "bad_answer", detail: "returned the same row on two pages" }

/** Maximum outputs read per address, of which the largest are returned. */
export const maxOutputs = 2_000

/**
 * Reads rows page by page, up to `maxRows`; a page that is not full is the last one. Fails if a row is on two pages,
 * because others may be missing then.
 */
export const readPages = <Row>(
  { fault }: Pick<Upstream, "fault">,
  pageSize: number,
  read: (page: number) => Effect.Effect<ReadonlyArray<Row>, UpstreamError>,
  keyOf: (row: Row) => string,
  maxRows = Number.POSITIVE_INFINITY
) =>
  Effect.gen(function* () {
    const all = new Map<string, Row>()
    for (let page = 0; page < maxRows / pageSize; page++) {
      const rows = yield* read(page)
      for (const row of rows) {
        if (all.has(keyOf(row))) return yield* fault(pagesDiffer)
        all.set(keyOf(row), row)
      }
      if (rows.length < pageSize) return { rows: [...all.values()], more: false }
    }
    return { rows: [...all.values()], more: true }
  })
