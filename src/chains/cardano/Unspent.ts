import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CardanoOutput } from "../../domain/transactionContext/CardanoContext.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { pagesDiffer } from "./Source.ts"

/** Unspent outputs, and whether the source has more than it returned. */
export interface CardanoUnspent {
  readonly outputs: ReadonlyArray<CardanoOutput>
  readonly more: boolean
}

/** Maximum outputs read per address, of which the largest are returned. */
const maxOutputs = 2_000

/** The index of an output in its transaction. */
export const Index = Schema.Int.pipe(Schema.between(0, 65_535))

/** Reads outputs page by page. Fails if an output is on two pages, because others may be missing then. */
export const readPages = <Row>(
  { fault }: Pick<Upstream, "fault">,
  pageSize: number,
  read: (page: number) => Effect.Effect<ReadonlyArray<Row>, UpstreamError>,
  toOutputs: (rows: ReadonlyArray<Row>) => ReadonlyArray<CardanoOutput>
): Effect.Effect<CardanoUnspent, UpstreamError> =>
  Effect.gen(function* () {
    const outputs: Array<CardanoOutput> = []
    for (let page = 0; page < maxOutputs / pageSize; page++) {
      const rows = yield* read(page)
      outputs.push(...toOutputs(rows))
      if (new Set(outputs.map(({ index, txHash }) => `${txHash}#${index}`)).size < outputs.length)
        return yield* fault(pagesDiffer)
      if (rows.length < pageSize) return { outputs, more: false }
    }
    return { outputs, more: true }
  })
