import type { Move } from "../world/ledger.ts"
import type { ContractFacts } from "./EvmContracts.ts"
import type { LedgerTransaction } from "./evmPool.ts"
import { operatorMembers } from "./rollupFees.ts"

/** Init code of a contract, and the call that publishes the data of another chain. */
const initCode = "0x6080604052348015600e575f5ffd5b50603e80601a5f395ff3fe"
const publish = "0x9f1f8b3d"

/** Contracts of BNB Smart Chain and of other chains that publish their data. */
const validators = "0x0000000000000000000000000000000000001002"
const inbox = "0x5050f69a9786f081509234f1a7f4684b5e5b76c9"

/** Limit of transactions that a block producer adds: 2^63 - 1. */
const unlimited = 9_223_372_036_854_775_807n

/** Gas of a blob (EIP-4844), the price of its unit, and their product, wei. */
export const blobGas = 131_072n
export const blobPrice = 1n
const blobCost = blobGas * blobPrice

/**
 * The operator's part of the data fee (specs.optimism.io/protocol/isthmus/exec-engine.html#operator-fee): the scalar
 * counts millionths of a wei per gas, and since Jovian hundreds of wei.
 */
const withOperator = (usual: LedgerTransaction, paid: bigint, scalar: bigint, constant: bigint, isJovian: boolean) => {
  const scaled = usual.gas * scalar
  const fee = (isJovian ? scaled * 100n : scaled / 1_000_000n) + constant
  const operator = operatorMembers(scalar, constant)
  // In blocks since Jovian, transactions have the gas of their data, for which they do not pay.
  const jovian = { daFootprintGasScalar: "0x190", blobGasUsed: "0xa000" }
  return {
    ...usual,
    dataFee: paid - usual.gas * usual.price - fee,
    operator: isJovian ? { ...operator, ...jovian } : operator
  }
}

/** An exhibit of the museum as a transaction; `usual` is the form of other transactions with this move. */
export const exhibited = (holder: string, exhibit: string, usual: LedgerTransaction, move: Move): LedgerTransaction => {
  const { received = 0n } = move
  const { to: other = "" } = usual
  const plain = { ...usual, moved: [], input: "0x" } as const
  switch (exhibit) {
    case "creation":
    case "failed creation":
      return { ...plain, to: undefined, input: initCode }
    case "internal creation":
      // An account with code (EIP-7702) calls itself.
      return {
        ...plain,
        to: holder,
        value: 0n,
        input: publish,
        moved: [
          { from: holder, to: other, amount: 8n, delegated: true },
          { from: holder, to: other, amount: 7n, creates: true }
        ]
      }
    case "deprecated input":
      return { ...plain, isDeprecated: true }
    case "before byzantium":
      return { ...plain, type: "legacy", stateRoot: usual.hash }
    case "failed internal call":
      return {
        ...plain,
        from: `0x${move.seed.slice(-40)}`,
        to: usual.from,
        input: "0x3ccfd60b",
        moved: [{ from: usual.from, to: holder, amount: 5n, error: "Out of gas" }]
      }
    case "deposit":
      return { ...plain, type: "deposit", to: holder, value: received, mint: received, price: 0n, dataFee: 0n }
    case "failed deposit":
      return { ...plain, type: "deposit", to: other, value: received, mint: received, price: 0n, dataFee: 0n }
    case "blob":
      return {
        ...plain,
        type: "eip4844",
        to: inbox,
        input: publish,
        price: (move.fee - blobCost) / usual.gas,
        dataFee: 0n
      }
    case "operator fee":
      return withOperator(usual, move.fee, 2_000_000n, 7n, false)
    case "operator fee since Jovian":
      return withOperator(usual, move.fee, 3n, 11n, true)
    case "system":
      return { ...plain, type: "legacy", to: validators, gasLimit: unlimited }
    default:
      return usual
  }
}

/** Coins that the first block allocates to an address; undefined if it allocates none. */
export const allocationOf = ({ genesis }: ContractFacts, moves: ReadonlyArray<Move>): bigint | undefined =>
  genesis === undefined ? undefined : moves.find(({ exhibit }) => exhibit === "genesis")?.amount

/** Row of Etherscan for coins of the first block. */
export const allocationRow = ({ genesis }: Pick<ContractFacts, "genesis">, holder: string, amount: bigint) => ({
  blockNumber: "0",
  blockHash: "",
  timeStamp: String(genesis ?? 0),
  hash: `GENESIS_${holder.slice(2)}`,
  nonce: "",
  transactionIndex: "0",
  from: "GENESIS",
  to: holder,
  value: String(amount),
  gas: "0",
  gasPrice: "0",
  input: "",
  methodId: "",
  functionName: "",
  contractAddress: "",
  cumulativeGasUsed: "0",
  txreceipt_status: "",
  gasUsed: "0",
  confirmations: "23918378",
  isError: "0"
})
