import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { gap } from "../../domain/history/Gap.ts"
import { span } from "../../kernel/span.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { confirming, unread } from "../kit/holdings/tokenList.ts"
import type { PolkadotAssets } from "./assets.ts"
import * as PolkadotAddress from "./PolkadotAddress.ts"
import { noIndexer, type PolkadotIndexer, type SubscanChain } from "./Provider.ts"
import { pageSize, wholeExtrinsic } from "./providers/subscan/calls.ts"
import { isWellFormed, toTransaction, unknownAmounts } from "./rows.ts"

const decode = Schema.decodeUnknownEither(Schema.parseJson(wholeExtrinsic.response))

const unreadable: ReadFailure = { reason: "bad_answer", message: "subscan: returned an extrinsic that cannot be read" }

const absent: FoundTransaction = { transaction: undefined, sources: [], gaps: [] }

/** The transfers of an extrinsic, and whether more may exist. */
const transfersOf = (subscan: PolkadotIndexer, chain: SubscanChain, index: string) =>
  Effect.map(subscan.transfersOf(chain, index), (rows) => {
    const read = rows
      .flatMap(({ row }) => Option.toArray(Option.filter(row, isWellFormed)))
      .filter(({ extrinsic_index }) => extrinsic_index === index)
    return { transfers: read, isWhole: read.length === rows.length && rows.length < pageSize }
  })

/** Looks up extrinsics with their transfers, as their signers see them. */
export const findTransaction = (indexer: PolkadotIndexer | undefined, { confirmListed, list }: PolkadotAssets) =>
  confirming(found(indexer), list, confirmListed)

const found = (indexer: PolkadotIndexer | undefined) => {
  const read = Effect.fnUntraced(function* (subscan: PolkadotIndexer, hash: string) {
    const { chain, response } = yield* Effect.mapError(subscan.find(hash), unread)
    if (response.verdict === "unknown") return absent
    const { data } = yield* Either.mapLeft(decode(response.body), () => unreadable)
    // No list has an extrinsic that is in no block.
    if ("pending" in data) return absent
    const signer = data.account_id || data.account_display?.address || ""
    const holder = yield* Either.mapLeft(PolkadotAddress.parse(signer), () => unreadable)
    if (!isWellFormed(data)) return yield* Effect.fail(unreadable)
    const { isWhole, transfers } = yield* Effect.mapError(transfersOf(subscan, chain, data.extrinsic_index), unread)
    const group = { chain, row: data, extrinsic: data, transfers }
    return {
      transaction: toTransaction(holder, group),
      sources: [subscan.chains[chain].name],
      gaps: [
        ...(isWhole ? [] : [gap("transfers", "some transfers could not be read")]),
        ...(unknownAmounts(group) === 0 ? [] : [gap("amounts", "amounts that the indexer does not return")])
      ]
    } satisfies FoundTransaction as FoundTransaction
  })
  return (hash: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    (indexer === undefined ? Effect.fail(noIndexer) : read(indexer, hash)).pipe(span("Polkadot.transaction"))
}
