import * as Schema from "effect/Schema"
import { errorCode, numberOrNull, optional, text, textOrNull } from "../fields.ts"

// The fields of fees, by family: what a wallet puts into a transaction at each level (`rates`), and what the levels have in
// common (`basis`). Amounts are texts of digits; their names end with the unit.

const reason = {
  error: optional(text("Why a number is null, for people.", "timed out")),
  errorCode: optional(errorCode)
}

/** The part of a transaction of an OP-stack network that pays for its data on the chain where it settles. */
export const L1Fee = Schema.Struct({
  feeWei: textOrNull(
    "What the example transfer pays for its data on the chain below, wei, in addition to its gas: `getL1Fee` of the predeploy GasPriceOracle. Null where it could not be read.",
    "84213544"
  ),
  operatorFeeWei: textOrNull(
    "What it pays to the operator, wei: `getOperatorFee`; zero where the network has no such fee. Null where it could not be read.",
    "0"
  ),
  transactionBytes: numberOrNull("The length of the unsigned transaction for which it was read, bytes.", 47),
  ...reason
}).annotations({
  identifier: "L1Fee",
  description:
    "The fee for data of an OP-stack network, beside gas. A transaction cannot set it; it is taken from the balance."
})
export type L1Fee = typeof L1Fee.Type

const evm = {
  rates: {
    maxFeePerGasWei: textOrNull(
      "EIP-1559: the most that a unit of gas may cost, wei: the base fee with room for full blocks, and the priority fee. Null on a network without EIP-1559.",
      "2100000000"
    ),
    maxPriorityFeePerGasWei: textOrNull(
      "EIP-1559: the priority fee per unit of gas, wei, of which most is paid to whoever makes the block. Null on a network without EIP-1559.",
      "100000000"
    ),
    gasPriceWei: textOrNull(
      "The price of a unit of gas, wei: what a legacy transaction is to offer; with EIP-1559 about what the transaction pays now, the base fee and the priority fee.",
      "1100000000"
    )
  },
  basis: {
    eip1559: Schema.NullOr(Schema.Boolean).annotations({
      description: "Whether the newest block has a base fee. Null where no block could be read.",
      examples: [true]
    }),
    baseFeePerGasWei: textOrNull(
      "The base fee of the next block, wei; null on a network without EIP-1559.",
      "1000000000"
    ),
    transferGas: textOrNull("Gas that a plain transfer uses, as the node estimates it.", "21000"),
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
    baseFeeLamports: textOrNull("What the example transfer pays without priority, lamports: one signature.", "5000"),
    transferComputeUnits: numberOrNull("The limit of compute units of the example transfer.", 450)
  }
}

const sui = {
  rates: {
    gasPriceMist: textOrNull("The price of a unit of computation, MIST: the reference gas price of the epoch.", "750")
  },
  basis: {
    transferComputationUnits: textOrNull("Units of computation that the example transfer is charged for.", "1000"),
    transferStorageMist: textOrNull(
      "What it pays for storage, MIST: two coin objects are stored, and what was paid for one comes back less the part that is not refunded.",
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
    queuedTransactions: textOrNull("How many transactions wait in the node's queue for a later ledger.", "0")
  }
}

const tron = {
  rates: {
    energyPriceSun: textOrNull("What a unit of energy costs that the account does not have, sun.", "100"),
    bandwidthPriceSun: textOrNull("What a byte of bandwidth costs that the account does not have, sun.", "1000")
  },
  basis: {
    transferBandwidth: numberOrNull("Bandwidth that the example transfer uses, bytes.", 268),
    newAccountFeeSun: textOrNull(
      "What a transfer that creates the recipient's account pays in addition, sun.",
      "1100000"
    )
  }
}

const ton = {
  rates: {
    gasPriceNanoton: textOrNull("What a unit of gas costs, nanoton; may have decimals.", "400")
  },
  basis: {
    transferGas: textOrNull("Gas that the sender's wallet (v4 R2) uses for the example transfer.", "3308"),
    messageLumpNanoton: textOrNull("What each message pays whatever its size, nanoton.", "400000"),
    messageBitNanoton: textOrNull(
      "What each bit beside the root cell of a message costs, nanoton; may have decimals.",
      "400"
    ),
    messageCellNanoton: textOrNull("What each cell beside its root costs, nanoton; may have decimals.", "40000")
  }
}

const polkadot = {
  rates: {
    tipPlanck: textOrNull("The tip, planck: none is needed unless blocks are full.", "0")
  },
  basis: {
    transferFeePlanck: textOrNull(
      "What the example transfer pays without a tip, planck, as the runtime computes it.",
      "15000000"
    ),
    transferBytes: numberOrNull("The length of the signed example transfer, bytes.", 147)
  }
}

/** The fields by family. */
export const familyFields = { evm, utxo, solana, sui, cardano, ripple, tron, ton, polkadot }
