import { createHash } from "node:crypto"
import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as World from "../world/World.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as SolanaChain from "./SolanaChain.ts"
import * as SolanaTransaction from "./SolanaTransaction.ts"
import { systemProgram } from "./solanaHistory.ts"
import { feeOf, moved, type Run, run } from "./solanaRun.ts"

interface SolanaSent {
  readonly transaction: SolanaTransaction.SignedTransaction
  readonly run: Run
  readonly slot: number
}

/** The number of transactions, and of funded accounts, that are stored. */
const capacity = 10_000

const asNumbers = (amounts: ReadonlyArray<bigint>) => amounts.map(Number)

/**
 * The transactions sent to a simulated chain. Each is in the slot after it and moves nothing: balances remain those of
 * the world, for all routes alike. Only an airdrop on the test network adds to them.
 */
export const sent = (facts: NetworkFacts) => {
  const chain = facts.id
  const all = BoundedMap.make<string, SolanaSent>({ capacity })
  const drops = BoundedMap.make<string, { readonly lamports: bigint; readonly slot: number }>({ capacity })
  const given = BoundedMap.make<string, bigint>({ capacity })

  const balance = (address: string): bigint => World.native(facts, address) + (given.get(address) ?? 0n)

  const tried = (transaction: SolanaTransaction.SignedTransaction, now: number, anyBlockhash = false) =>
    runAt(chain, balance, transaction, now, anyBlockhash)

  const send = (text: unknown, options: SendOptions, now: number): Either.Either<string, Refusal> =>
    Either.flatMap(SolanaTransaction.decode(text, options.encoding ?? "base58"), (transaction) => {
      const name = SolanaTransaction.nameOf(transaction)
      const done = tried(transaction, now)
      if (options.skipPreflight !== true) {
        if (!SolanaTransaction.isSigned(transaction)) return unsigned
        if (all.has(name))
          return failed(
            { ...done, failure: { err: "AlreadyProcessed", message: "" }, logs: [], units: 0 },
            "This transaction has already been processed"
          )
        if (done.failure !== undefined) return failed(done, done.failure.message)
      }
      // A transaction that no leader would include is dropped silently.
      const charged = done.failure === undefined || typeof done.failure.err !== "string"
      if (SolanaTransaction.isSigned(transaction) && charged && !all.has(name))
        all.set(name, { transaction, run: done, slot: SolanaChain.slot(now, "processed") + 1 })
      return Either.right(name)
    })

  const simulate = (text: unknown, options: SendOptions, now: number) =>
    Either.flatMap(SolanaTransaction.decode(text, options.encoding ?? "base58"), (transaction) => {
      if (options.sigVerify === true && options.replaceRecentBlockhash === true)
        return Either.left(refused(-32602, "sigVerify may not be used with replaceRecentBlockhash"))
      if (options.sigVerify === true && !SolanaTransaction.isSigned(transaction)) return unsigned
      const slot = SolanaChain.slot(now, "confirmed")
      return Either.right({
        ...resultOf(tried(transaction, now, options.replaceRecentBlockhash)),
        replacementBlockhash:
          options.replaceRecentBlockhash === true
            ? {
                blockhash: SolanaChain.blockhash(chain, slot),
                lastValidBlockHeight: SolanaChain.heightOf(slot) + SolanaChain.lifetime
              }
            : null
      })
    })

  const status = (signature: string, now: number) => {
    const own = all.get(signature)
    const slot = own?.slot ?? drops.get(signature)?.slot
    const newest = SolanaChain.slot(now, "processed")
    return slot === undefined || slot > newest ? null : statusAt(slot, newest, own?.run.failure?.err ?? null)
  }

  const airdrop = (address: string, lamports: bigint, now: number): string => {
    given.set(address, (given.get(address) ?? 0n) + lamports)
    const signature = base58.encode(createHash("sha512").update(`${address} ${lamports} ${now}`).digest())
    drops.set(signature, { lamports, slot: SolanaChain.slot(now, "processed") + 1 })
    return signature
  }

  /** Undefined if it was not sent here, null while it is not in a slot yet. */
  const transaction = (signature: string, options: SendOptions, now: number) => {
    const own = all.get(signature)
    if (own === undefined) return undefined
    const isPending = own.slot > SolanaChain.slot(now, options.commitment ?? "finalized")
    return isPending ? null : transactionRow(own, options.encoding ?? "json")
  }

  return { balance, send, simulate, status, airdrop, transaction }
}

const runAt = (
  chain: string,
  balance: (address: string) => bigint,
  { message }: SolanaTransaction.SignedTransaction,
  now: number,
  anyBlockhash: boolean
): Run => {
  const done = run(message, balance)
  return anyBlockhash || SolanaChain.isValid(chain, message.blockhash, now)
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
  Either.left(refused(-32002, `Transaction simulation failed: ${message}`, resultOf(run)))

const unsigned = Either.left(refused(-32003, "Transaction signature verification failure"))

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

const transactionRow = ({ run, slot, transaction }: SolanaSent, encoding: string) => {
  const err = run.failure?.err ?? null
  return {
    slot,
    blockTime: Math.floor((slot * 400) / 1000),
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
