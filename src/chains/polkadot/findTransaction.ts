import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { gap } from "../../domain/history/Gap.ts"
import { span } from "../../kernel/span.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { confirming, unread } from "../kit/holdings/tokenList.ts"
import type { PolkadotAssets } from "./assets.ts"
import * as PolkadotAddress from "./PolkadotAddress.ts"
import { Extrinsic, isWellFormed, rowIn, Transfers, toTransaction, unknownAmounts } from "./rows.ts"
import { noIndexer, post, type SubscanClient } from "./Subscan.ts"

/** `/api/scan/extrinsic` of Subscan: an extrinsic as in a list, or one in the pool. */
const Found = Schema.Struct({
  data: Schema.Union(Schema.Struct({ pending: Schema.Literal(true) }), Extrinsic)
})

const decode = Schema.decodeUnknownEither(Schema.parseJson(Found))

/** The largest page. */
const pageSize = 100

const unreadable: ReadFailure = { reason: "bad_answer", message: "subscan: returned an extrinsic that cannot be read" }

const absent: FoundTransaction = { transaction: undefined, sources: [], gaps: [] }

/** The transfers of an extrinsic, and whether more may exist. */
const transfersOf = (subscan: Upstream, index: string) =>
  Effect.map(
    subscan.read(post("/api/v2/scan/transfers", { extrinsic_index: index, row: pageSize, page: 0 }), Transfers),
    ({ data }) => {
      const rows = data?.transfers ?? []
      const read = rows
        .map((row) => Option.filter(rowIn.transfers(row), isWellFormed))
        .flatMap(Option.toArray)
        .filter(({ extrinsic_index }) => extrinsic_index === index)
      return { transfers: read, isWhole: read.length === rows.length && rows.length < pageSize }
    }
  )

/** Looks up extrinsics with their transfers, as their signers see them. */
export const findTransaction = (indexer: SubscanClient | undefined, { confirmListed, list }: PolkadotAssets) =>
  confirming(found(indexer), list, confirmListed)

const found = (indexer: SubscanClient | undefined) => {
  const read = Effect.fnUntraced(function* ({ chains, find }: SubscanClient, hash: string) {
    const { chain, response } = yield* Effect.mapError(find(hash), unread)
    if (response.verdict === "unknown") return absent
    const { data } = yield* Either.mapLeft(decode(response.body), () => unreadable)
    // No list has an extrinsic that is in no block.
    if ("pending" in data) return absent
    const signer = data.account_id || data.account_display?.address || ""
    const holder = yield* Either.mapLeft(PolkadotAddress.parse(signer), () => unreadable)
    if (!isWellFormed(data)) return yield* Effect.fail(unreadable)
    const { isWhole, transfers } = yield* Effect.mapError(transfersOf(chains[chain], data.extrinsic_index), unread)
    const group = { chain, row: data, extrinsic: data, transfers }
    return {
      transaction: toTransaction(holder, group),
      sources: [chains[chain].name],
      gaps: [
        ...(isWhole ? [] : [gap("transfers", "some transfers could not be read")]),
        ...(unknownAmounts(group) === 0 ? [] : [gap("amounts", "amounts that the indexer does not return")])
      ]
    } satisfies FoundTransaction as FoundTransaction
  })
  return (hash: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    (indexer === undefined ? Effect.fail(noIndexer) : read(indexer, hash)).pipe(span("Polkadot.transaction"))
}
