import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { ListedRow } from "../../../upstream/response/rows.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import { byKey, contradictory } from "../../kit/holdings/amounts.ts"
import * as TonAddress from "../TonAddress.ts"

/** The largest jetton amount that a message can contain (TEP-74): fifteen bytes. */
export const maxJettons = 2n ** 120n - 1n

/** The rows of a response about several addresses. */
export interface ByAddress<A> {
  /** By canonical address; left if the row of an address cannot be read, or if its rows differ. */
  readonly found: ReadonlyMap<string, Either.Either<A, Fault>>
  /** Whether each row is that of a requested address: otherwise, an address without a row may have one. */
  readonly isWhole: boolean
}

/** Reads each row alone, so that it affects only its own address. */
export const byAddress = <A, B>(
  rows: ReadonlyArray<ListedRow<A>>,
  requested: ReadonlySet<string>,
  addressOf: (listed: ListedRow<A>) => Option.Option<string>,
  read: (row: A) => Either.Either<B, unknown>
): ByAddress<B> => {
  const own = rows.flatMap((listed) =>
    Option.toArray(
      Option.map(
        Option.filter(Option.flatMap(addressOf(listed), canonical), (address) => requested.has(address)),
        (address) => {
          const found = Either.flatMap(
            Either.fromOption(listed.row, () => unreadableRow),
            read
          )
          return [address, Either.mapLeft(found, () => unreadableRow)] as const
        }
      )
    )
  )
  return {
    found: new Map([...byKey(own)].map(([address, row]) => [address, row ?? Either.left(contradictory)])),
    isWhole: own.length === rows.length
  }
}

/** What a response says about an address. */
export type AddressLookup<A> = (address: string) => Either.Either<A, Fault>

/** Looks up addresses. Those without a row are `absent`, if no row is of another address. */
export const lookup =
  <A>({ found, isWhole }: ByAddress<A>, absent: Either.Either<A, Fault>): AddressLookup<A> =>
  (address) =>
    found.get(address) ?? (isWhole ? absent : Either.left(notRequested))

/** The address of a row that states it as `address`. */
export const stated = ({ raw: { address } }: ListedRow<unknown>): Option.Option<string> =>
  typeof address === "string" ? Option.some(address) : Option.none()

/** The canonical form of an address in a response. */
export const canonical = (text: string): Option.Option<string> => Either.getRight(TonAddress.parse(text))

/** Whether a text is an address in a workchain that does not exist: contracts may return one. */
export const isElsewhere = (text: string): boolean =>
  /^-?\d{1,10}:[0-9a-f]{64}$/i.test(text) && Option.isNone(canonical(text))

const unreadableRow: Fault = { reason: "bad_answer", detail: "returned data of an address in an unexpected format" }

/** The fault about an address that has no row, while a row is of no requested address. */
export const notRequested: Fault = { reason: "bad_answer", detail: "returned addresses that were not requested" }
