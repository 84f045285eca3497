import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import { byKey, contradictory } from "../kit/holdings/amounts.ts"
import * as TonAddress from "./TonAddress.ts"

/** The largest jetton amount that a message can contain (TEP-74): fifteen bytes. */
export const maxJettons = 2n ** 120n - 1n

/** Decodes a response and converts its body. */
export const interpreting =
  (options: ResponseDecoder.DecodeOptions) =>
  <A, I, B>(schema: Schema.Schema<A, I>, find: (body: A) => Either.Either<B, Fault>): ResponseDecoder.Decoder<B> =>
  (answer) =>
    Either.flatMap(ResponseDecoder.fitting(schema, options)(answer), find)

/** The rows of a response about several addresses. */
export interface ByAddress<A> {
  /** By canonical address; left if the row of an address cannot be read, or if its rows differ. */
  readonly found: ReadonlyMap<string, Either.Either<A, Fault>>
  /** Whether each row is that of a requested address: otherwise, an address without a row may have one. */
  readonly isWhole: boolean
}

/** Reads each row alone, so that it affects only its own address. */
export const byAddress = <A>(
  rows: ReadonlyArray<unknown>,
  requested: ReadonlySet<string>,
  addressOf: (row: unknown) => Option.Option<string>,
  read: (row: unknown) => Either.Either<A, unknown>
): ByAddress<A> => {
  const own = rows.flatMap((row) =>
    Option.toArray(
      Option.map(
        Option.filter(Option.flatMap(addressOf(row), canonical), (address) => requested.has(address)),
        (address) => [address, Either.mapLeft(read(row), () => unreadableRow)] as const
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
export const stated = (row: unknown): Option.Option<string> => Option.map(addressed(row), ({ address }) => address)

const addressed = Schema.decodeUnknownOption(Schema.Struct({ address: Schema.String }))

/** The canonical form of an address in a response. */
export const canonical = (text: string): Option.Option<string> => Either.getRight(TonAddress.parse(text))

/** Whether a text is an address in a workchain that does not exist: contracts may return one. */
export const isElsewhere = (text: string): boolean =>
  /^-?\d{1,10}:[0-9a-f]{64}$/i.test(text) && Option.isNone(canonical(text))

const unreadableRow: Fault = { reason: "bad_answer", detail: "returned data of an address in an unexpected format" }

/** The fault about an address that has no row, while a row is of no requested address. */
export const notRequested: Fault = { reason: "bad_answer", detail: "returned addresses that were not requested" }
