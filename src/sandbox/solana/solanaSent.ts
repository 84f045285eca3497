import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as Base58 from "../world/Base58.ts"
import * as Submit from "../world/Submit.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as SolanaChain from "./SolanaChain.ts"
import * as SolanaTransaction from "./SolanaTransaction.ts"
import { systemProgram } from "./solanaHistory.ts"
import { feeOf, moved, type Run, run } from "./solanaRun.ts"

/** A transaction as it was given to a node. */
interface RawSolana {
  readonly text: unknown
  readonly options: SendOptions
}

interface SolanaSent extends Submit.SignedEvent {
  readonly transaction: SolanaTransaction.SignedTransaction
  readonly options: SendOptions
  readonly run: Run
}

const asNumbers = (amounts: ReadonlyArray<bigint>) => amounts.map(Number)

/** The signature in hexadecimal digits identifies an event. */
const idOf = (signature: string): string =>
  Option.match(Base58.decode(signature), { onNone: () => "", onSome: (bytes) => Buffer.from(bytes).toString("hex") })

/** What it moves: the fee payer is the sender of the first movement. */
const eventOf = ({ message, signatures }: SolanaTransaction.SignedTransaction, { failure, transfers }: Run) => {
  const [payer = ""] = message.keys
  const [first, ...others] = transfers
  const main = first?.from === payer ? first : { from: payer, amount: 0n }
  return {
    id: Buffer.from(signatures[0] ?? []).toString("hex"),
    ...main,
    also: main === first ? others : transfers,
    fee: feeOf(message),
    failed: failure !== undefined
  }
}

const codecOf = (facts: NetworkFacts): Submit.Codec<SolanaSent, Refusal, RawSolana> => ({
  decode: ({ options, text }) =>
    Effect.gen(function* () {
      const transaction = yield* SolanaTransaction.decode(text, options.encoding ?? "base58")
      if (!SolanaTransaction.isSigned(transaction)) return yield* Effect.fail(unsigned)
      const none = run(transaction.message, () => 0n)
      return { transaction, options, run: none, ...eventOf(transaction, none) }
    }),
  refusal: (_, { run }) =>
    failed(
      { ...run, failure: { err: "AlreadyProcessed", message: "" }, logs: [], units: 0 },
      "This transaction has already been processed"
    ),
  check: (sent, now) => {
    const done = runAt(facts, sent.transaction, now, false)
    const { failure } = done
    // A transaction that no leader would include is dropped; one that fails in its block costs its fee.
    const isTaken = failure === undefined || (sent.options.skipPreflight === true && typeof failure.err !== "string")
    return isTaken
      ? Either.right({ ...sent, run: done, ...eventOf(sent.transaction, done) })
      : Either.left(failed(done, failure.message))
  },
  nextBlock: (now) => now + 400
})

/** The transactions sent to a simulated chain. */
export const sent = (facts: NetworkFacts) => {
  const submissions = Submit.submissions(facts, codecOf(facts))

  const send = (text: unknown, options: SendOptions, now: number): Effect.Effect<string, Refusal> =>
    Effect.flatMap(SolanaTransaction.decode(text, options.encoding ?? "base58"), (transaction) => {
      const done = Effect.as(submissions.submit({ text, options }, now), SolanaTransaction.nameOf(transaction))
      return options.skipPreflight === true
        ? Effect.orElseSucceed(done, () => SolanaTransaction.nameOf(transaction))
        : done
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

  /** Undefined if it was not sent here, null while it is not in a slot yet. */
  const transaction = (signature: string, options: SendOptions, now: number) => {
    const own = submissions.find(idOf(signature))
    if (own === undefined) return undefined
    const slot = own.at === undefined ? Number.POSITIVE_INFINITY : SolanaChain.slotOf(own.at)
    const isPending = slot > SolanaChain.slot(now, options.commitment ?? "finalized")
    return isPending ? null : transactionRow(own.signed, own.at ?? 0, options.encoding ?? "json")
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
    confirmationStatus: depth >= SolanaChain.final ? "finalized" : depth === 0 ? "processed" : "confirmed"
  }
}

const transactionRow = ({ run, transaction }: SolanaSent, at: number, encoding: string) => {
  const err = run.failure?.err ?? null
  return {
    slot: SolanaChain.slotOf(at),
    blockTime: at,
    version: transaction.message.version,
    meta: {
      err,
      status: err === null ? { Ok: null } : { Err: err },
      fee: Number(feeOf(transaction.message)),
      computeUnitsConsumed: run.units,
      preBalances: asNumbers(run.before),
      postBalances: asNumbers(run.after),
      preTokenBalances: [],
      postTokenBalances: [],
      innerInstructions: [],
      loadedAddresses: { readonly: [], writable: [] },
      logMessages: run.logs,
      rewards: []
    },
    transaction: written(transaction, encoding)
  }
}

/** The options of callers. */
export interface SendOptions {
  readonly encoding?: string
  readonly commitment?: string
  readonly skipPreflight?: boolean
  readonly sigVerify?: boolean
  readonly replaceRecentBlockhash?: boolean
}

/** A transaction in the requested encoding. */
const written = ({ bytes, message, signatures }: SolanaTransaction.SignedTransaction, encoding: string) => {
  if (encoding === "base64") return [Buffer.from(bytes).toString("base64"), encoding]
  if (encoding === "base58") return [base58.encode(bytes), encoding]
  const { blockhash, header, instructions, keys } = message
  const { numReadonlySignedAccounts, numReadonlyUnsignedAccounts, numRequiredSignatures } = header
  const parsed = encoding === "jsonParsed"
  const isWritable = (index: number) =>
    index < numRequiredSignatures
      ? index < numRequiredSignatures - numReadonlySignedAccounts
      : index < keys.length - numReadonlyUnsignedAccounts
  const instruction = (compiled: SolanaTransaction.Instruction) => {
    const programId = keys[compiled.programIdIndex]
    const transfer = programId === systemProgram ? moved(compiled) : undefined
    if (!parsed) return { ...compiled, data: base58.encode(compiled.data), stackHeight: 1 }
    if (transfer === undefined || compiled.data[0] !== 2)
      return {
        programId,
        accounts: compiled.accounts.map((index) => keys[index]),
        data: base58.encode(compiled.data),
        stackHeight: 1
      }
    const info = {
      source: keys[transfer.from],
      destination: keys[transfer.to],
      lamports: Number(transfer.lamports)
    }
    return { program: "system", programId, parsed: { type: "transfer", info }, stackHeight: 1 }
  }
  return {
    signatures: signatures.map((signature) => base58.encode(signature)),
    message: {
      ...(parsed ? {} : { header }),
      accountKeys: parsed
        ? keys.map((pubkey, index) => ({
            pubkey,
            signer: index < numRequiredSignatures,
            writable: isWritable(index),
            source: "transaction"
          }))
        : keys,
      recentBlockhash: blockhash,
      instructions: instructions.map(instruction)
    }
  }
}
