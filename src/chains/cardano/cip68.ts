import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

// Metadata in a datum of the asset (CIP-68): a map whose keys and texts are bytes in hexadecimal digits.

const Entry = Schema.Struct({ k: Schema.Struct({ bytes: Schema.String }), v: Schema.Struct({ int: Schema.Int }) })

const Datum = Schema.optional(Schema.Struct({ fields: Schema.NonEmptyArray(Schema.Unknown) }))

/** By label: 333 for fungible tokens, 444 for rich fungible tokens. */
const Metadata = Schema.Struct({ "333": Datum, "444": Datum })
const fields = Schema.decodeUnknownOption(Metadata)
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
