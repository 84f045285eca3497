import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { each } from "../../../../kernel/each.ts"
import * as Call from "../../../../upstream/Call.ts"
import type { Upstream } from "../../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { byKey } from "../../../kit/holdings/amounts.ts"
import { type CardanoProvider, type LookedUp, notUnderstood } from "../../Provider.ts"
import * as calls from "./calls.ts"

/** Looks up transactions with `tx_info`: a row for each that is in a block. The mempool is not returned. */
export const lookUp =
  (upstream: Upstream): CardanoProvider["lookUp"] =>
  (ids) => {
    const read = (part: ReadonlyArray<string>) => {
      const all = Call.reading(upstream, { exact: true })(calls.txStatus, { hashes: part })
      return Effect.map(Effect.either(all), (rows) => {
        const states = Either.map(rows, (all) => statesIn(upstream, part, all))
        return (id: string) => Either.flatMap(states, (of) => of(id))
      })
    }
    const statesOf = (part: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const first = yield* read(part)
        const open = part.filter((id) => Either.isLeft(first(id)))
        // A row that cannot be read, or is there twice, may be that of any of them.
        const second = open.length === 0 || open.length === part.length ? first : yield* read(open)
        return part.map((id) => (open.includes(id) ? second(id) : first(id)))
      })
    return Effect.map(each(Arr.chunksOf(ids, calls.statusesPerCall), statesOf, 4), Arr.flatten)
  }

/** The states of transactions in a list, whose rows are decoded one by one. */
const statesIn = ({ fault }: Upstream, ids: ReadonlyArray<string>, rows: typeof calls.txStatus.response.Type) => {
  const all = rows.map(({ row }) => Option.filter(row, ({ tx_hash }) => ids.includes(tx_hash)))
  const found = byKey(Arr.getSomes(all).map((row) => [row.tx_hash, row]))
  const isClear = all.every(Option.isSome) && ![...found.values()].includes(undefined)
  return (id: string): Either.Either<LookedUp, UpstreamError> => {
    const row = found.get(id)
    if (row === undefined) return isClear ? Either.right(undefined) : Either.left(fault(notUnderstood))
    const { block_height: height, fee, tx_timestamp: timestamp } = row
    return Either.right({ height, timestamp, fee, valid: calls.isValid(row) })
  }
}
