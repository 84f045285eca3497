import * as Record from "effect/Record"
import * as Schema from "effect/Schema"

/** An object whose members all have this schema; omits those that do not match, so that they cost no other member. */
export const validMembers = <A, I>(member: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownOption(member)
  return Schema.transform(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    Schema.Record({ key: Schema.String, value: Schema.typeSchema(member) }),
    { strict: true, decode: Record.filterMap((value) => decode(value)), encode: (members) => members }
  )
}
