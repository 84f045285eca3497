import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as Submit from "../world/Submit.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as SolanaChain from "./SolanaChain.ts"
import type { SolanaMessage } from "./SolanaTransaction.ts"
import * as SolanaTransaction from "./SolanaTransaction.ts"
import { numberAt, systemProgram } from "./SolanaTransaction.ts"

/** Error code and message of a failed transaction. */
interface RunFailure {
  readonly err: string | Readonly<Record<string, unknown>>
  readonly message: string
}

interface Run {
  readonly failure: RunFailure | undefined
  readonly logs: ReadonlyArray<string>
  readonly units: number
  /** Lamports of each account of the message. */
  readonly before: ReadonlyArray<bigint>
  readonly after: ReadonlyArray<bigint>
  readonly transfers: ReadonlyArray<{ readonly from: string; readonly to: string; readonly amount: bigint }>
}

const computeBudget = "ComputeBudget111111111111111111111111111111"

const perSignature = 5_000n
const defaultLimit = 200_000n
const unitsOf = 150

/** Fee: a base fee per signature plus the priority fee for the requested compute units. */
export const feeOf = ({ header, instructions, keys }: SolanaMessage): bigint => {
  const budget = instructions.filter(({ programIdIndex }) => keys[programIdIndex] === computeBudget)
  const last = (kind: number) => budget.findLast(({ data }) => data[0] === kind)?.data
  const [limit, price] = [last(2), last(3)]
  const others = BigInt(instructions.length - budget.length)
  const units = limit === undefined ? defaultLimit * others : numberAt(limit, 1, 4)
  const offered = price === undefined ? 0n : numberAt(price, 1, 8) * units
  return perSignature * BigInt(header.numRequiredSignatures) + (offered + 999_999n) / 1_000_000n
}

/**
 * Executes a transaction. Transfers of the system program move lamports; other programs succeed without a visible
 * effect.
 */
const run = (message: SolanaMessage, balance: (address: string) => bigint): Run => {
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
    const transfer = program === systemProgram ? SolanaTransaction.transferOf(instruction, program) : undefined
    if (transfer !== undefined) {
      const { amount: lamports, from, to } = transfer
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

interface SolanaSent extends Submit.SignedEvent {
  readonly transaction: SolanaTransaction.SignedTransaction
  readonly isTaken: boolean
  readonly run: Run
}

/** Event id: the signature in hexadecimal digits. */
const idOf = (signature: string): string =>
  Option.match(SolanaChain.fromBase58(signature), {
    onNone: () => "",
    onSome: (bytes) => Buffer.from(bytes).toString("hex")
  })

/** Converts a transaction to an event. The fee payer is the sender of the first movement. */
const eventOf = ({ message, signatures }: SolanaTransaction.SignedTransaction, { failure, transfers }: Run) => {
  const [payer = ""] = message.keys
  const [first, ...others] = transfers
  const main = first?.from === payer ? first : { from: payer, amount: 0n }
  return {
    id: Buffer.from(signatures[0] ?? []).toString("hex"),
    ...main,
    extra: main === first ? others : transfers,
    fee: feeOf(message),
    failed: failure !== undefined
  }
}

const rules: Submit.Rules<SolanaSent, Refusal> = {
  refusal: (_, { run }) =>
    failed(
      { ...run, failure: { err: "AlreadyProcessed", message: "" }, logs: [], units: 0 },
      "This transaction has already been processed"
    ),
  check: (sent) => (sent.isTaken ? Either.right(sent) : Either.left(failed(sent.run, sent.run.failure?.message ?? ""))),
  nextBlock: (now) => now + 400
}

/** Transactions sent to a simulated chain. */
export const sent = (facts: NetworkFacts) => {
  const submissions = Submit.mempool(facts, rules)

  const send = (text: unknown, options: SendOptions, now: number): Either.Either<string, Refusal> =>
    Either.flatMap(SolanaTransaction.decode(text, options.encoding ?? "base58"), (transaction) => {
      const name = SolanaTransaction.nameOf(transaction)
      const run = runAt(facts, transaction, now, false)
      // Drops a transaction that no leader includes. A transaction that fails in its block pays its fee.
      const isTaken =
        run.failure === undefined || (options.skipPreflight === true && typeof run.failure.err !== "string")
      const done = SolanaTransaction.isSigned(transaction)
        ? submissions.enter({ transaction, isTaken, run, ...eventOf(transaction, run) }, now)
        : Either.left(unsigned)
      return options.skipPreflight === true ? Either.right(name) : Either.map(done, () => name)
    })

  const simulate = (text: unknown, options: SendOptions, now: number) =>
    Either.flatMap(SolanaTransaction.decode(text, options.encoding ?? "base58"), (transaction) => {
      if (options.sigVerify === true && options.replaceRecentBlockhash === true)
        return Either.left(refused(-32602, "sigVerify may not be used with replaceRecentBlockhash"))
      if (options.sigVerify === true && !SolanaTransaction.isSigned(transaction)) return Either.left(unsigned)
      const slot = SolanaChain.slot(now, "confirmed")
      return Either.right({
        ...resultOf(runAt(facts, transaction, now, options.replaceRecentBlockhash === true)),
        replacementBlockhash:
          options.replaceRecentBlockhash === true
            ? {
                blockhash: SolanaChain.blockhash(facts.id, slot),
                lastValidBlockHeight: SolanaChain.heightOf(slot) + SolanaChain.lifetime
              }
            : null
      })
    })

  const status = (signature: string, now: number) => {
    const own = submissions.find(idOf(signature))
    return own?.at === undefined
      ? null
      : statusAt(SolanaChain.slotOf(own.at), SolanaChain.slot(now, "processed"), own.signed.run.failure?.err ?? null)
  }

  /** Undefined if the transaction was not sent to this chain; null until its slot has the requested commitment. */
  const transaction = (signature: string, options: SendOptions, now: number) => {
    const own = submissions.find(idOf(signature))
    if (own === undefined) return undefined
    const slot = own.at === undefined ? Number.POSITIVE_INFINITY : SolanaChain.slotOf(own.at)
    const isPending = slot > SolanaChain.slot(now, options.commitment ?? "finalized")
    if (isPending) return null
    const { run, transaction } = own.signed
    return SolanaTransaction.row(transaction, options.encoding ?? "json", {
      slot,
      at: own.at ?? 0,
      err: run.failure?.err ?? null,
      fee: feeOf(transaction.message),
      units: run.units,
      logs: run.logs,
      coins: [run.before, run.after],
      tokens: [[], []]
    })
  }

  return { send, simulate, status, transaction }
}

const runAt = (
  facts: NetworkFacts,
  { message }: SolanaTransaction.SignedTransaction,
  now: number,
  anyBlockhash: boolean
): Run => {
  const done = run(message, (address) => Submit.available(facts, address))
  return anyBlockhash || SolanaChain.isValid(facts.id, message.blockhash, now)
    ? done
    : {
        ...done,
        failure: { err: "BlockhashNotFound", message: "Blockhash not found" },
        logs: [],
        units: 0,
        after: done.before
      }
}

const resultOf = ({ failure, logs, units }: Run) => ({
  err: failure?.err ?? null,
  logs,
  accounts: null,
  unitsConsumed: units,
  loadedAccountsDataSize: 0,
  returnData: null,
  innerInstructions: null,
  replacementBlockhash: null
})

const failed = (run: Run, message: string) =>
  refused(-32002, `Transaction simulation failed: ${message}`, resultOf(run))

const unsigned = refused(-32003, "Transaction signature verification failure")

const statusAt = (slot: number, newest: number, err: unknown) => {
  const depth = newest - slot
  return {
    slot,
    confirmations: depth >= SolanaChain.final ? null : depth,
    err,
    status: err === null ? { Ok: null } : { Err: err },
    confirmationStatus:
      depth >= SolanaChain.final
        ? ("finalized" as const)
        : depth === 0
          ? ("processed" as const)
          : ("confirmed" as const)
  }
}

/** Options of the JSON-RPC methods. */
export interface SendOptions {
  readonly encoding?: string
  readonly commitment?: string
  readonly skipPreflight?: boolean
  readonly sigVerify?: boolean
  readonly replaceRecentBlockhash?: boolean
}
