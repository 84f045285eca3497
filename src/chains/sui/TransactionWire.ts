import * as Schema from "effect/Schema"
import { uint64 } from "../amounts.ts"

/** A number, or a string if it is too large for a number. */
const Count = Schema.Union(Schema.NonNegativeInt, Schema.String.pipe(Schema.pattern(/^\d{1,20}$/))).pipe(
  Schema.filter((value) => BigInt(value) <= uint64)
)

/** The change of a coin balance; a coin's supply fits into a u64. */
const Difference = Schema.String.pipe(
  Schema.pattern(/^-?\d{1,20}$/),
  Schema.filter((text) => BigInt(text.replace("-", "")) <= uint64)
)

const Party = Schema.Struct({ address: Schema.NonEmptyString })

/** Older versions of the schema return the type as a string. */
const CoinType = Schema.Union(Schema.NonEmptyString, Schema.Struct({ repr: Schema.NonEmptyString }))

export const SuiBalanceChanges = Schema.Struct({
  nodes: Schema.Array(
    Schema.Struct({
      owner: Schema.NullOr(Party),
      coinType: CoinType,
      amount: Difference
    })
  ),
  pageInfo: Schema.Struct({
    hasNextPage: Schema.Boolean,
    endCursor: Schema.optional(Schema.NullOr(Schema.String))
  })
})
export type SuiBalanceChanges = typeof SuiBalanceChanges.Type

export const SuiTransaction = Schema.Struct({
  /** 32 bytes in base58: letters and digits only. */
  digest: Schema.String.pipe(Schema.pattern(/^[0-9A-Za-z]{1,44}$/)),
  /** Null, or the zero address, for system transactions. */
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
    balanceChanges: SuiBalanceChanges
  })
})
export type SuiTransaction = typeof SuiTransaction.Type

/** None for a row that cannot be decoded. */
export const decodeTransaction = Schema.decodeUnknownOption(SuiTransaction)

/** A page of the newest transactions, with the oldest of them first. */
export const TransactionPage = Schema.Struct({
  nodes: Schema.Array(Schema.Unknown),
  pageInfo: Schema.Struct({
    hasPreviousPage: Schema.Boolean,
    startCursor: Schema.optional(Schema.NullOr(Schema.String))
  })
})
export type TransactionPage = typeof TransactionPage.Type

/** The oldest checkpoint at which a host can filter by address. */
export const Range = Schema.Struct({
  first: Schema.NullOr(
    Schema.Struct({ sequenceNumber: Schema.NonNegativeInt, timestamp: Schema.NullOr(Schema.String) })
  )
})
