import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { standardDecimals } from "../../TonAddress.ts"
import { canonical } from "../rows.ts"

/** Indexed metadata of a contract; its owner writes it, so it may contain anything. */
const Metadata = Schema.Struct({
  is_indexed: Schema.Boolean,
  token_info: Schema.Array(
    Schema.Struct({
      type: Schema.optional(Schema.String),
      valid: Schema.optional(Schema.Boolean),
      name: Schema.optional(Schema.Unknown),
      symbol: Schema.optional(Schema.Unknown),
      extra: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
    })
  )
})

/** The decimals that masters of jettons declare in the metadata beside the rows of a response, by canonical address. */
export const declaredIn = (metadata: unknown): ReadonlyMap<string, number | undefined> =>
  new Map(
    Object.entries(Predicate.isRecord(metadata) ? metadata : {}).flatMap(([address, described]) =>
      Option.toArray(Option.map(canonical(address), (key) => [key, decimalsIn(described)] as const))
    )
  )

/** Complete metadata without decimals means the standard value; with incomplete metadata, the decimals are unknown. */
const decimalsIn = (metadata: unknown): number | undefined => {
  const decoded = Option.getOrUndefined(decodeMetadata(metadata))
  const master = decoded?.token_info.find(({ type }) => type === "jetton_masters")
  const declared = master?.extra?.decimals
  const digits = typeof declared === "number" || typeof declared === "string" ? String(declared) : ""
  if (/^\d{1,3}$/.test(digits) && Number(digits) <= 255) return Number(digits)
  return decoded?.is_indexed === true && master?.valid === true && declared === undefined ? standardDecimals : undefined
}

/** At most 256 bytes of text are a name. */
const textOf = Schema.decodeUnknownOption(Schema.String.pipe(Schema.maxLength(256)))

/** The name and symbol that the master of a jetton declares in the metadata of a response. */
export const namesIn = (metadata: unknown, address: string) => {
  const described = Object.entries(Predicate.isRecord(metadata) ? metadata : {}).find(([key]) =>
    Option.contains(canonical(key), address)
  )
  const master = Option.getOrUndefined(decodeMetadata(described?.[1]))?.token_info.find(
    ({ type }) => type === "jetton_masters"
  )
  return {
    name: Option.getOrUndefined(textOf(master?.name)),
    symbol: Option.getOrUndefined(textOf(master?.symbol))
  }
}

const decodeMetadata = Schema.decodeUnknownOption(Metadata)
