import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CardanoOutput } from "../../../domain/transactionContext/CardanoContext.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { isStake } from "../CardanoAddress.ts"
import { type CardanoSource, pagesDiffer } from "../Source.ts"
import * as Unspent from "../Unspent.ts"

/** Rows per page of Blockfrost's lists. */
const pageSize = 100

/** Reads the outputs page by page; an address that was never used has none. */
export const make =
  (
    upstream: Pick<Upstream, "fault">,
    read: (
      path: string,
      page: number
    ) => Effect.Effect<Option.Option<typeof Unspent.BlockfrostOutputs.Type>, UpstreamError>
  ): CardanoSource["unspent"] =>
  (requested) =>
    Effect.gen(function* () {
      const path = `/${isStake(requested) ? "accounts" : "addresses"}/${requested}/utxos`
      const pages: Array<ReadonlyArray<CardanoOutput>> = []
      for (let page = 1; page <= Unspent.maxOutputs / pageSize; page++) {
        const rows = Unspent.fromBlockfrost(Option.getOrElse(yield* read(path, page), () => []))
        pages.push(rows)
        const outputs = Unspent.joined(pages)
        if (outputs === undefined) return yield* upstream.fault(pagesDiffer)
        if (rows.length < pageSize) return { outputs, more: false }
      }
      return { outputs: pages.flat(), more: true }
    })
