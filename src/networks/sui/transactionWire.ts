import * as Schema from "effect/Schema"

/** A number as the service writes it, and one that is too large for a number as text. */
const Count = Schema.Union(Schema.NonNegativeInt, Schema.String.pipe(Schema.pattern(/^\d{1,20}$/)))

const Party = Schema.Struct({ address: Schema.NonEmptyString })

/** Older versions of the schema write the type as text. */
const CoinType = Schema.Union(Schema.NonEmptyString, Schema.Struct({ repr: Schema.NonEmptyString }))

export const Changes = Schema.Struct({
  nodes: Schema.Array(
    Schema.Struct({
      owner: Schema.NullOr(Party),
      coinType: CoinType,
      amount: Schema.String.pipe(Schema.pattern(/^-?\d{1,40}$/))
    })
  ),
  pageInfo: Schema.Struct({
    hasNextPage: Schema.Boolean,
    endCursor: Schema.optional(Schema.NullOr(Schema.String))
  })
})
export type Changes = typeof Changes.Type

export const Told = Schema.Struct({
  digest: Schema.NonEmptyString,
  /** Null, or the zero address, where the system itself sent it. */
  sender: Schema.NullOr(Party),
  gasInput: Schema.NullOr(Schema.Struct({ gasSponsor: Schema.NullOr(Party) })),
  kind: Schema.NullOr(Schema.Struct({ __typename: Schema.NonEmptyString })),
  effects: Schema.Struct({
    status: Schema.NullOr(Schema.Literal("SUCCESS", "FAILURE")),
    timestamp: Schema.String.pipe(Schema.filter((text) => !Number.isNaN(Date.parse(text)))),
    checkpoint: Schema.Struct({ sequenceNumber: Schema.NonNegativeInt }),
    gasEffects: Schema.NullOr(
      Schema.Struct({
        gasSummary: Schema.NullOr(Schema.Struct({ computationCost: Count, storageCost: Count, storageRebate: Count }))
      })
    ),
    balanceChanges: Changes
  })
})
export type Told = typeof Told.Type

/** A page of the newest; within it the oldest comes first. */
export const Page = Schema.Struct({
  nodes: Schema.Array(Told),
  pageInfo: Schema.Struct({
    hasPreviousPage: Schema.Boolean,
    startCursor: Schema.optional(Schema.NullOr(Schema.String))
  })
})
export type Page = typeof Page.Type

/** Since when a host keeps what is filtered by address. */
export const Range = Schema.Struct({
  first: Schema.NullOr(
    Schema.Struct({ sequenceNumber: Schema.NonNegativeInt, timestamp: Schema.NullOr(Schema.String) })
  )
})
