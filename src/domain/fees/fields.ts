import * as Schema from "effect/Schema"
import { errorCode, numberOrNull, optional, text, textOrNull } from "../fields.ts"

// Fee fields by family: the values that a wallet sets in a transaction at each level (`rates`), and the values common
// to all levels (`basis`). Amounts are decimal strings; their names end with the unit.

const reason = {
  error: optional(text("Why a number is null, for people.", "timed out")),
  errorCode: optional(errorCode)
}

/** Fee of a transaction on an OP-stack network for its data on the chain where the network settles. */
export const L1Fee = Schema.Struct({
  feeWei: textOrNull(
    "Fee of the transaction, of the example transfer in GET /utils/fees, for its data on the chain below, wei, in addition to its gas: `getL1Fee` of the predeploy GasPriceOracle. Null if it could not be read.",
    "84213544"
  ),
  operatorFeeWei: textOrNull(
    "Operator fee of the transaction, wei: `getOperatorFee`; zero if the network has no such fee. Null if it could not be read.",
    "0"
  ),
  transactionBytes: numberOrNull("Size of the unsigned transaction for which the fee was read, bytes.", 47),
  ...reason
}).annotations({
  identifier: "L1Fee",
  description:
    "Data fee of an OP-stack network, in addition to gas. A transaction cannot set it; it is deducted from the balance."
})
export type L1Fee = typeof L1Fee.Type

const evm = {
  rates: {
    maxFeePerGasWei: textOrNull(
      "EIP-1559: the maximum price per unit of gas, wei: the base fee with a margin for full blocks, plus the priority fee. Null on a network without EIP-1559.",
      "2100000000"
    ),
    maxPriorityFeePerGasWei: textOrNull(
      "EIP-1559: the priority fee per unit of gas, wei, most of which goes to the block producer. Null on a network without EIP-1559.",
      "100000000"
    ),
    gasPriceWei: textOrNull(
      "Price per unit of gas, wei: the gas price to set in a legacy transaction; with EIP-1559 approximately the current price, base fee plus priority fee.",
      "1100000000"
    )
  },
  basis: {
    eip1559: Schema.NullOr(Schema.Boolean).annotations({
      description: "Whether the newest block has a base fee. Null if no block could be read.",
      examples: [true]
    }),
    baseFeePerGasWei: textOrNull(
      "The base fee of the next block, wei; null on a network without EIP-1559.",
      "1000000000"
    ),
    transferGas: textOrNull("Gas of a plain transfer, as the node estimates it.", "21000"),
    l1Fee: optional(L1Fee)
  }
}

const utxo = {
  rates: {
    satPerVbyte: textOrNull("Base units (satoshi, litoshi …) per virtual byte; may have decimals.", "12.5")
  },
  basis: {
    transferVbytes: numberOrNull("The size of the example transfer, virtual bytes: one input, two outputs.", 141)
  }
}

const solana = {
  rates: {
    computeUnitPriceMicroLamports: textOrNull(
      "The priority fee: millionths of a lamport per requested compute unit (`SetComputeUnitPrice`).",
      "1000"
    )
  },
  basis: {
    baseFeeLamports: textOrNull("Fee of the example transfer without priority fee, lamports: one signature.", "5000"),
    transferComputeUnits: numberOrNull("Compute unit limit of the example transfer.", 450)
  }
}

const sui = {
  rates: {
    gasPriceMist: textOrNull("Price per computation unit, MIST: the reference gas price of the epoch.", "750")
  },
  basis: {
    transferComputationUnits: textOrNull("Computation units charged for the example transfer.", "1000"),
    transferStorageMist: textOrNull(
      "Storage cost of the example transfer, MIST: the storage fee of two coin objects, minus the refundable part for one of them.",
      "997880"
    )
  }
}

const cardano = {
  rates: {
    lovelacePerByte: textOrNull("`min_fee_a`: lovelace for each byte of the transaction.", "44"),
    lovelacePerTransaction: textOrNull("`min_fee_b`: lovelace for each transaction.", "155381")
  },
  basis: {
    transferBytes: numberOrNull("The size of the example transfer, bytes: one input, two outputs, one signature.", 304)
  }
}

const ripple = {
  rates: {
    feeDrops: textOrNull("`Fee` of a transaction with one signature, drops.", "10")
  },
  basis: {
    baseFeeDrops: textOrNull("The cost of a reference transaction on a ledger without load, drops.", "10"),
    queuedTransactions: textOrNull("Number of transactions in the node's queue for a later ledger.", "0")
  }
}

const tron = {
  rates: {
    energyPriceSun: textOrNull("Price per unit of energy that the account does not have, sun.", "100"),
    bandwidthPriceSun: textOrNull("Price per byte of bandwidth that the account does not have, sun.", "1000")
  },
  basis: {
    transferBandwidth: numberOrNull("Bandwidth of the example transfer, bytes.", 268),
    newAccountFeeSun: textOrNull("Additional fee of a transfer that creates the recipient's account, sun.", "1100000")
  }
}

const ton = {
  rates: {
    gasPriceNanoton: textOrNull("Price per unit of gas, nanoton; may have decimals.", "400")
  },
  basis: {
    transferGas: textOrNull("Gas that the sender's wallet (v4 R2) uses for the example transfer.", "3308"),
    messageLumpNanoton: textOrNull("Fixed price per message, nanoton.", "400000"),
    messageBitNanoton: textOrNull(
      "Price per bit outside the root cell of a message, nanoton; may have decimals.",
      "400"
    ),
    messageCellNanoton: textOrNull("Price per cell except the root cell, nanoton; may have decimals.", "40000")
  }
}

const polkadot = {
  rates: {
    tipPlanck: textOrNull("Tip, planck: needed only if blocks are full.", "0")
  },
  basis: {
    transferFeePlanck: textOrNull(
      "Fee of the example transfer without a tip, planck, as the runtime computes it.",
      "15000000"
    ),
    transferBytes: numberOrNull("Size of the signed example transfer, bytes.", 147)
  }
}

/** Fee fields by family. */
export const familyFields = { evm, utxo, solana, sui, cardano, ripple, tron, ton, polkadot }
