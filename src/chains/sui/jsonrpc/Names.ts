import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { queryFirst, queryText, type SuiMethod } from "./Method.ts"
import * as Params from "./Params.ts"

/** The address of a SuiNS name; null if the name is not registered. */
export const resolveNameServiceAddress: SuiMethod = (hosts, [given]) =>
  Effect.gen(function* () {
    const { address } = yield* queryFirst(
      hosts,
      queryText("$name: String!", "address(name: $name) { address }"),
      { name: yield* Params.text(given, "name") },
      Schema.Struct({ address: Schema.NullOr(Schema.Struct({ address: Schema.NonEmptyString })) })
    )
    return address?.address ?? null
  })

/** The default name of an address; there is at most one. */
export const resolveNameServiceNames: SuiMethod = (hosts, [given]) =>
  Effect.gen(function* () {
    const { address } = yield* queryFirst(
      hosts,
      queryText("$address: SuiAddress!", "address(address: $address) { defaultNameRecord { domain } }"),
      { address: yield* Params.address(given, "address") },
      Schema.Struct({
        address: Schema.NullOr(
          Schema.Struct({ defaultNameRecord: Schema.NullOr(Schema.Struct({ domain: Schema.NonEmptyString })) })
        )
      })
    )
    const domain = address?.defaultNameRecord?.domain
    return { data: domain === undefined ? [] : [domain], nextCursor: null, hasNextPage: false }
  })
