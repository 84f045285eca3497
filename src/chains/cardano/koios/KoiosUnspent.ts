import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import type { CardanoOutput } from "../../../domain/transactionContext/CardanoContext.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { isStake } from "../CardanoAddress.ts"
import { type CardanoSource, pagesDiffer } from "../Source.ts"
import * as Unspent from "../Unspent.ts"
import { type AddressKind, accounts, payments } from "./kinds.ts"

/** Rows per page. */
const pageSize = 1000

const page = (kind: AddressKind, requested: string, offset: number) =>
  HttpClientRequest.post(kind.unspent).pipe(
    HttpClientRequest.setUrlParams({ order: "tx_hash,tx_index", limit: String(pageSize), offset: String(offset) }),
    HttpClientRequest.bodyUnsafeJson({ [kind.list]: [requested], _extended: true })
  )

/** Reads the outputs page by page; `proven` fails if an empty list may be a wrong response. */
export const make =
  (
    upstream: Upstream,
    confirmUse: (address: string) => Effect.Effect<unknown, UpstreamError>
  ): CardanoSource["unspent"] =>
  (requested) =>
    Effect.gen(function* () {
      const kind = isStake(requested) ? accounts : payments
      const pages: Array<ReadonlyArray<CardanoOutput>> = []
      for (let offset = 0; offset < Unspent.maxOutputs; offset += pageSize) {
        const rows = yield* upstream.read(page(kind, requested, offset), Unspent.KoiosOutputs)
        pages.push(Unspent.fromKoios(rows))
        const outputs = Unspent.joined(pages)
        if (outputs === undefined) return yield* upstream.fault(pagesDiffer)
        if (rows.length < pageSize) {
          if (outputs.length === 0) yield* confirmUse(requested)
          return { outputs, more: false }
        }
      }
      return { outputs: pages.flat(), more: true }
    })
