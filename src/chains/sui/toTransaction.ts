import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { sui } from "../../catalogue/sui.ts"
import { numbered, type Transaction } from "../../domain/Transaction.ts"
import { numberOf, secondsOf } from "../../domain/units.ts"
import { type Change, paidOf, partiesOfChanges, typeFor } from "../kit/history/parties.ts"
import { isPossible } from "../kit/holdings/amounts.ts"
import * as CoinType from "./CoinType.ts"
import { Checkpoint, Page, zero } from "./SuiWire.ts"

// Maps the effects of a transaction and its balance changes (docs.sui.io, TransactionEffects).

/** MIST as a number, or a string if it is too large for a number. */
const Count = Schema.Union(Schema.NonNegativeInt, Schema.String.pipe(Schema.pattern(/^\d{1,20}$/))).pipe(
  Schema.filter((value) => isPossible(sui)(BigInt(value)))
)

/** The change of a coin balance, an i128: anyone can make a coin with several supplies, each up to a u64. */
const Difference = Schema.String.pipe(Schema.pattern(/^-?\d{1,39}$/))

const Party = Schema.Struct({ address: Schema.NonEmptyString })

/** Older versions of the schema return the type as a string. */
const TypeName = Schema.Union(Schema.String, Schema.Struct({ repr: Schema.String }))

const canonical = (type: typeof TypeName.Type) => CoinType.canonical(typeof type === "string" ? type : type.repr)

const tokenOf = (type: typeof TypeName.Type) => Option.getOrElse(canonical(type), () => "Unknown")

/** One for each owner and coin. */
export const SuiBalanceChanges = Page(
  Schema.Struct({
    owner: Schema.NullOr(Party),
    coinType: TypeName.pipe(Schema.filter((type) => Option.isSome(canonical(type)))),
    amount: Difference
  }).pipe(
    Schema.filter(
      ({ amount, coinType }) => isPossible(sui)(BigInt(amount.replace("-", ""))) || tokenOf(coinType) !== CoinType.sui
    )
  )
).pipe(
  Schema.filter(
    ({ nodes }) => new Set(nodes.map(({ coinType, owner }) => JSON.stringify([owner, coinType]))).size === nodes.length
  )
)
type SuiBalanceChanges = typeof SuiBalanceChanges.Type

export const GasEffects = Schema.NullOr(
  Schema.Struct({
    gasSummary: Schema.NullOr(Schema.Struct({ computationCost: Count, storageCost: Count, storageRebate: Count }))
  })
)

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
    checkpoint: Schema.Struct({ sequenceNumber: Checkpoint }),
    gasEffects: GasEffects,
    balanceChanges: SuiBalanceChanges
  })
}).pipe(
  // Without the gas, the change of its payer includes the fee.
  Schema.filter((row) => (row.sender?.address ?? zero) === zero || costOf(row) !== null)
)
export type SuiTransaction = typeof SuiTransaction.Type

/** None for a row that cannot be decoded. */
export const decodeTransaction = Schema.decodeUnknownOption(SuiTransaction)

/** A transaction as the holder sees it. */
export const toTransaction = (holder: string, order: number, transaction: SuiTransaction): Transaction => {
  const { effects } = transaction
  const sender = transaction.sender?.address === zero ? undefined : transaction.sender?.address
  const cost = costOf(transaction)
  const failed = effects.status === "FAILURE"
  const payer = transaction.gasInput?.gasSponsor?.address ?? sender
  const parties = failed
    ? { from: sender === undefined ? [] : [{ address: sender, amount: 0n }], to: [] }
    : partiesOfChanges([...changes(effects.balanceChanges), ...feeOffset(payer, cost)])
  // If the storage rebate exceeds the cost, the fee is zero; the surplus is not a payment.
  const fee = cost === null ? null : cost < 0n ? 0n : cost
  return {
    hash: transaction.digest,
    // For an address that neither sends nor receives, the type is the network's type name.
    type: typeFor(holder, parties) ?? transaction.kind?.__typename ?? "Unknown",
    fee,
    ...paidOf(holder, { fee, from: parties.from }, payer === holder ? cost : 0n),
    status: failed ? "Failed" : effects.status === null ? "Unknown" : "Success",
    timestamp: secondsOf(effects.timestamp),
    ...numbered({ block: numberOf(effects.checkpoint.sequenceNumber) }),
    order,
    ...parties
  }
}

/** Cost of the gas minus the storage rebate; null if unknown. */
export const costOf = ({
  effects
}: {
  readonly effects: { readonly gasEffects: typeof GasEffects.Type }
}): bigint | null => {
  const gas = effects.gasEffects?.gasSummary ?? null
  return gas === null ? null : BigInt(gas.computationCost) + BigInt(gas.storageCost) - BigInt(gas.storageRebate)
}

/** Offsets the fee in the balance change of its payer (the sponsor, if there is one): it is not part of a payment. */
const feeOffset = (payer: string | undefined, cost: bigint | null): ReadonlyArray<Change> =>
  payer === undefined || cost === null ? [] : [{ address: payer, amount: cost }]

const changes = ({ nodes }: SuiBalanceChanges): ReadonlyArray<Change> =>
  nodes.flatMap(({ amount, coinType, owner }) => {
    const token = tokenOf(coinType)
    const change = { amount: BigInt(amount), address: owner?.address ?? "Unknown" }
    return token === CoinType.sui ? [change] : [{ ...change, token }]
  })
