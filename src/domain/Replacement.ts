import * as Schema from "effect/Schema"
import { number, numberOrNull, optional, text, textOrNull } from "./fields.ts"

/** Minimum of a transaction that replaces an EVM transaction; a field is null if that type of transaction has none. */
export const EvmMinimum = Schema.Struct({
  nonce: number("The nonce of the pending transaction, which a replacement must have too.", 9),
  maxFeePerGasWei: textOrNull("EIP-1559: minimum of the maximum price per unit of gas, wei.", "2310000000"),
  maxPriorityFeePerGasWei: textOrNull("EIP-1559: minimum of the priority fee per unit of gas, wei.", "110000000"),
  gasPriceWei: textOrNull("Minimum gas price of a legacy transaction (type 0 or 1), wei.", null),
  maxFeePerBlobGasWei: textOrNull("EIP-4844: minimum of the maximum price per unit of blob gas, wei.", null)
}).annotations({
  identifier: "EvmReplacementMinimum",
  description:
    "EVM: the values of the pending transaction plus 10 %, rounded up; plus 100 % if it has blobs. A transaction of another type must have a gas price, a maximum fee and a priority fee that are at least as high."
})

/** Minimum of a transaction that replaces a transaction of the Bitcoin family, or spends one of its outputs. */
export const UtxoMinimum = Schema.Struct({
  satPerVbyte: text(
    "The least fee rate, base units (satoshi, litoshi …) per virtual byte, rounded up to three decimals.",
    "10.093"
  ),
  feeBaseUnits: text("The least fee for `vbytes`, base units.", "1413"),
  vbytes: number(
    "replace: the size of the pending transaction; child: that of the example transfer of GET /utils/fees. In virtual bytes.",
    140
  ),
  replacedFeeBaseUnits: textOrNull(
    "replace: the fees of the pending transaction and of its descendants, base units. A replacement of another size pays this plus its size times `incrementalSatPerVbyte`, at a higher rate than the pending transaction. Null for a child.",
    "1273"
  ),
  incrementalSatPerVbyte: textOrNull(
    "replace: the increment by default, base units per virtual byte. Null for a child.",
    "1"
  )
}).annotations({
  identifier: "UtxoReplacementMinimum",
  description:
    "Bitcoin family: by the rules of BIP-125 for a replacement; for a child, the fee with which it, the pending transaction and all its ancestors without confirmation together pay the standard rate of GET /utils/fees, but at least what nodes relay."
})

/** Cost of a transaction that replaces another one and only returns the coins to their owner. */
const CancellingTransfer = Schema.Struct({
  gas: textOrNull("EVM: the gas of a transfer of nothing to oneself, as a node estimates it; else null.", "21000"),
  vbytes: numberOrNull(
    "Bitcoin family: the size with the same inputs and one output to the address of the first input, virtual bytes; else null.",
    null
  ),
  feeBaseUnits: textOrNull(
    "Its fee at the minimum, base units: on EVM networks the highest, at the whole maximum price, with the present fee for data of an OP-stack network.",
    "48510000000000"
  ),
  fee: textOrNull("The same, an exact decimal in the native coin.", "0.00004851")
}).annotations({
  identifier: "CancellingTransfer",
  description: "A transaction to oneself that takes the place of the pending transaction, so that this has no effect."
})

const minimum: typeof EvmMinimum.Type = {
  nonce: 9,
  maxFeePerGasWei: "2310000000",
  maxPriorityFeePerGasWei: "110000000",
  gasPriceWei: null,
  maxFeePerBlobGasWei: null
}

const kinds = ["replace", "child"] as const

/** What a transaction must pay to speed up or to cancel a pending transaction. */
export const Replacement = Schema.Struct({
  kind: Schema.NullOr(Schema.Literal(...kinds)).annotations({
    description:
      "replace: another transaction may take its place; child: it cannot be replaced, but a transaction that spends one of its outputs can pay for both. Null if neither is possible, or unknown.",
    examples: ["replace"]
  }),
  minimum: Schema.NullOr(Schema.Union(EvmMinimum, UtxoMinimum)).annotations({
    description: "Nodes refuse a replacement that pays less. Null if it is unknown.",
    examples: [minimum]
  }),
  transfer: Schema.NullOr(CancellingTransfer).annotations({
    description: "Cost of cancelling. Null if the transaction cannot be cancelled by a transfer, or if it is unknown.",
    examples: [{ gas: "21000", vbytes: null, feeBaseUnits: "48510000000000", fee: "0.00004851" }]
  }),
  reason: optional(text("Why a value is null, for people.", "it is in a block already"))
})
export type Replacement = typeof Replacement.Type
