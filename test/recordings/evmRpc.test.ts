import { cases, samplesOf } from "../support/fixtures.ts"
import { fee } from "./readers/evm.ts"
import { withPassedOn } from "./readers/evmProxy.ts"
import { recordingsOf } from "./table.ts"

const unpriced = { effectiveGasPrice: null }
const made = 46_000n * 0x3938701n + 0x1234567891n
const found = 0xaf42n * 0x3a12ae5n + 0x14a6f5e98bn
const operator = { operatorFeeScalar: "0x1e8480", operatorFeeConstant: "0x9" }
const other = { operatorFeeScalar: "0xf4240", operatorFeeConstant: "0x7" }
const jovian = { operatorFeeScalar: "0x1", daFootprintGasScalar: "0x190" }

recordingsOf("evm-rpc", {
  samples: withPassedOn(samplesOf("evm-rpc"), {
    "receipt-success": [
      fee(21_000n * 1_000_000_007n),
      fee(63_000n, undefined, unpriced, 3n),
      fee(undefined, undefined, unpriced)
    ],
    "receipt-failed": fee(31_250n * 20_000_000_001n),
    "receipt-before-byzantium": fee(50_000n * 50_000_000_001n),
    "receipt-polygon": fee(0x88b8n * 0x9502f9001n),
    "receipt-arbitrum": fee(0xf618n * 12_000_000n, "always"),
    "receipt-op-ecotone": [
      fee(made, "always"),
      fee(made + 92_000n + 9n, "always", operator),
      fee(made + 4_600_000n + 9n, "always", { ...operator, ...jovian })
    ],
    "receipt-op-bedrock": fee(90_000n * 10_000_001n + 0x5a0e2f1c3b4dn, "always"),
    "receipt-op-without-l1-fee": [fee(undefined, "always"), fee(150_000n * 1_000_001n, "perhaps")],
    "receipt-op-deposit": fee(0n, "always")
  }),
  recorded: withPassedOn(cases("evm-rpc"), {
    "receipt-mainnet-eip1559-success": [fee(0x5208n * 0x111573477dn), fee(0x5208n * 3n, undefined, unpriced, 3n)],
    "receipt-failed-status-0x0": fee(0x8259n * 0x77359400n),
    "receipt-pre-byzantium-root": fee(0x8f3dn * 0xd8364fc25n),
    "receipt-polygon-with-fee-log": fee(0x8e30n * 0xa53d532f0n),
    "receipt-optimism-ecotone": [
      fee(found, "always"),
      fee(found + 0xaf42n + 7n, "always", other),
      fee(found + 0xaf42n * 100n + 7n, "always", { ...other, ...jovian })
    ],
    "receipt-optimism-bedrock-l1feescalar": fee(0x668ecn * 0x9ad7f5n + 0x7834126de76fn, "always"),
    "receipt-optimism-blockscout-without-l1fee": [fee(undefined, "always"), fee(0x38966n * 0xf4567n, "perhaps")],
    "receipt-optimism-deposit-7e": fee(0n, "always"),
    "receipt-arbitrum-timeboosted": fee(0xfd9dn * 0x989680n, "always")
  })
})
