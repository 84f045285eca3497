import type * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** A row of a list that is decoded alone: if it cannot be read, it costs only what it is about. */
export interface ListedRow<A> {
  readonly raw: Readonly<Record<string, unknown>>
  readonly row: Option.Option<A>
}

/** A list whose rows are decoded one by one. */
export const rowsOf = <A, I>(row: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownOption(row)
  const listed = Schema.transform(Schema.Array(Schema.Unknown), Schema.Array(Schema.Any), {
    decode: (rows) => rows.map((own): ListedRow<A> => ({ raw: Predicate.isRecord(own) ? own : {}, row: decode(own) })),
    encode: (rows) => rows.map(({ raw }) => raw)
  })
  return listed as unknown as Schema.Schema<ReadonlyArray<ListedRow<A>>, ReadonlyArray<I>>
}

/** A value that its reader decodes alone. Only its format in responses is that of the schema. */
export const undecoded = <A, I>(_schema: Schema.Schema<A, I>): Schema.Schema<unknown, I> =>
  Schema.Unknown as unknown as Schema.Schema<unknown, I>
