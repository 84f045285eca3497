import type { Instruction, SolanaMessage } from "./SolanaTransaction.ts"
import { systemProgram } from "./solanaHistory.ts"

/** Why a transaction fails, as a code and as a message. */
export interface RunFailure {
  readonly err: string | Readonly<Record<string, unknown>>
  readonly message: string
}

export interface Run {
  readonly failure: RunFailure | undefined
  readonly logs: ReadonlyArray<string>
  readonly units: number
  /** Of each account of the message. */
  readonly before: ReadonlyArray<bigint>
  readonly after: ReadonlyArray<bigint>
  readonly transfers: ReadonlyArray<{ readonly from: string; readonly to: string; readonly amount: bigint }>
}

const computeBudget = "ComputeBudget111111111111111111111111111111"

const perSignature = 5_000n
const defaultLimit = 200_000n
const unitsOf = 150

const numberAt = (data: Uint8Array, at: number, bytes: number): bigint =>
  [...data.subarray(at, at + bytes)].reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n)

/** The fee: per signature, plus the priority fee for the requested compute units. */
export const feeOf = ({ header, instructions, keys }: SolanaMessage): bigint => {
  const budget = instructions.filter(({ programIdIndex }) => keys[programIdIndex] === computeBudget)
  const last = (kind: number) => budget.findLast(({ data }) => data[0] === kind)?.data
  const [limit, price] = [last(2), last(3)]
  const others = BigInt(instructions.length - budget.length)
  const units = limit === undefined ? defaultLimit * others : numberAt(limit, 1, 4)
  const offered = price === undefined ? 0n : numberAt(price, 1, 8) * units
  return perSignature * BigInt(header.numRequiredSignatures) + (offered + 999_999n) / 1_000_000n
}

/** The coins moved by the system program: for a new account (0) or as a transfer (2). */
export const moved = ({ accounts, data }: Instruction) => {
  const [from, to] = accounts
  const kind = data.length < 12 ? -1n : numberAt(data, 0, 4)
  return from === undefined || to === undefined || (kind !== 0n && kind !== 2n)
    ? undefined
    : { from, to, lamports: numberAt(data, 4, 8) }
}

/**
 * The effects of a transaction. Transfers of the system program are executed; other programs succeed without a visible
 * effect.
 */
export const run = (message: SolanaMessage, balance: (address: string) => bigint): Run => {
  const before = message.keys.map(balance)
  const after = [...before]
  const logs: Array<string> = []
  const transfers: Array<Run["transfers"][number]> = []
  let units = 0
  const fee = feeOf(message)
  const runOf = (failure: RunFailure | undefined): Run => ({ failure, logs, units, before, after, transfers })
  if (before[0] === 0n)
    return runOf({
      err: "AccountNotFound",
      message: "Attempt to debit an account but found no record of a prior credit."
    })
  if ((before[0] ?? 0n) < fee) return runOf({ err: "InsufficientFundsForFee", message: "Insufficient funds for fee" })
  after[0] = (before[0] ?? 0n) - fee
  const charged = [...after]
  for (const [index, instruction] of message.instructions.entries()) {
    const program = message.keys[instruction.programIdIndex] ?? ""
    logs.push(`Program ${program} invoke [1]`)
    units += unitsOf
    const transfer = program === systemProgram ? moved(instruction) : undefined
    if (transfer !== undefined) {
      const { from, lamports, to } = transfer
      const balance = after[from] ?? 0n
      if (balance < lamports) {
        logs.push(`Transfer: insufficient lamports ${balance}, need ${lamports}`)
        logs.push(`Program ${program} failed: custom program error: 0x1`)
        return {
          ...runOf({
            err: { InstructionError: [index, { Custom: 1 }] },
            message: `Error processing Instruction ${index}: custom program error: 0x1`
          }),
          after: charged
        }
      }
      after[from] = balance - lamports
      after[to] = (after[to] ?? 0n) + lamports
      transfers.push({ from: message.keys[from] ?? "", to: message.keys[to] ?? "", amount: lamports })
    }
    logs.push(`Program ${program} success`)
  }
  return runOf(undefined)
}
