import * as Schema from "effect/Schema"
import { Height } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { undecoded } from "../../../../upstream/response/rows.ts"

// Price API v3 of Jupiter.

/** The address of the documentation. @public */
export const documentation = "https://developers.jup.ag/docs/price"

/** The maximum that the API accepts. */
export const mintsPerCall = 50

export const Row = Schema.Struct({
  usdPrice: Schema.Positive,
  /** The slot of the price. */
  blockId: Height,
  /** Percent. */
  priceChange24h: Schema.optional(Schema.NullOr(Schema.Finite)),
  scaledUiConfig: Schema.Struct({ usdPricePrescaled: Schema.Positive })
})

export const prices = Call.get("/price/v3", {
  note: "`usdPrice` is the price of the displayed unit; with scaled amounts, `usdPricePrescaled` is that of the stored one.",
  query: ({ mints }: { readonly mints: ReadonlyArray<string> }) => ({ ids: mints.join(",") }),
  response: Schema.Record({ key: Schema.String, value: undecoded(Row) })
})
