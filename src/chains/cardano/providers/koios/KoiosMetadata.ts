import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Call from "../../../../upstream/Call.ts"
import type { Upstream } from "../../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { supplyIn } from "../../formats.ts"
import { type CardanoProvider, type Metadata, notUnderstood } from "../../Provider.ts"
import * as calls from "./calls.ts"
import { keyOf } from "./KoiosAsset.ts"

// Metadata in a datum of the asset (CIP-68): a map whose keys and texts are bytes in hexadecimal digits.

const Entry = Schema.Struct({ k: Schema.Struct({ bytes: Schema.String }), v: Schema.Struct({ int: Schema.Int }) })

const Datum = Schema.optional(Schema.Struct({ fields: Schema.NonEmptyArray(Schema.Unknown) }))

/** By label: 333 for fungible tokens, 444 for rich fungible tokens. */
const Datums = Schema.Struct({ "333": Datum, "444": Datum })
const fields = Schema.decodeUnknownOption(Datums)
const entries = Schema.decodeUnknownOption(Schema.Struct({ map: Schema.Array(Schema.Unknown) }))
const entry = Schema.decodeUnknownOption(Entry)

/** `decimals` */
const key = "646563696d616c73"

/** The decimals that a fungible token declares; undefined if it declares none. */
export const cip68Decimals = (metadata: unknown): number | undefined =>
  Option.getOrUndefined(
    Option.flatMap(fields(metadata), (byLabel) =>
      Option.flatMap(entries((byLabel["333"] ?? byLabel["444"])?.fields[0]), ({ map }) =>
        Option.fromNullable(
          map
            .flatMap((each) => Option.toArray(entry(each)))
            .find(({ k, v }) => k.bytes === key && v.int >= 0 && v.int <= 255)?.v.int
        )
      )
    )
  )

type AssetRows = typeof calls.assetInfo.response.Type

/** Assets per call: as many as fit into a body with the longest names. */
const assetsPerCall = Math.floor((calls.bodyBytes - JSON.stringify({ _asset_list: [] }).length + 1) / 127)

/** Batches concurrent look-ups into one call, which continues if one of its callers is interrupted. */
export const metadataFrom = (upstream: Upstream): CardanoProvider["metadata"] => {
  interface Batch {
    readonly units: Array<string>
    readonly rows: Deferred.Deferred<AssetRows, UpstreamError>
  }
  let pending: Batch | undefined

  const sent = (batch: Batch) =>
    Effect.suspend(() => {
      if (pending === batch) pending = undefined
      return Deferred.complete(batch.rows, Call.reading(upstream, { exact: true })(calls.assetInfo, batch))
    })

  return (unit) =>
    Effect.suspend(() => {
      const batch = pending ?? { units: [], rows: Deferred.unsafeMake(FiberId.none) }
      batch.units.push(unit)
      const isFirst = batch !== pending
      pending = batch.units.length < assetsPerCall ? batch : undefined
      const send = isFirst ? Effect.forkDaemon(Effect.zipRight(Effect.yieldNow(), sent(batch))) : Effect.void
      return Effect.uninterruptible(send).pipe(
        Effect.zipRight(Deferred.await(batch.rows)),
        Effect.flatMap((rows) => metadataIn(upstream, rows, unit))
      )
    })
}

/** From the token registry first, then from the ledger (CIP-68). An unreadable row affects only its asset. */
const metadataIn = (
  { fault }: Upstream,
  rows: AssetRows,
  unit: string
): Either.Either<Metadata | undefined, UpstreamError> => {
  const found = rows.find(({ raw }) => Option.contains(keyOf(raw), unit))
  if (found === undefined) return Either.right(undefined)
  return Option.match(found.row, {
    onNone: () => Either.left(fault(notUnderstood)),
    onSome: ({ cip68_metadata, token_registry_metadata: registered, total_supply }) =>
      Either.right({
        decimals: registered?.decimals ?? cip68Decimals(cip68_metadata),
        name: registered?.name ?? "",
        symbol: registered?.ticker ?? "",
        ...supplyIn(total_supply)
      })
  })
}
