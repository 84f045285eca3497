import { createHash } from "node:crypto"
import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as BoundedMap from "../../kernel/BoundedMap.ts"
import * as World from "../world/World.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as SolanaChain from "./SolanaChain.ts"
import * as SolanaTransaction from "./SolanaTransaction.ts"
import { systemProgram } from "./solanaHistory.ts"
import { feeOf, moved, type Run, run } from "./solanaRun.ts"

interface SolanaSent {
  readonly transaction: SolanaTransaction.Transaction
  readonly run: Run
  readonly slot: number
}

/** Transactions that are remembered, and accounts that were given coins. */
const capacity = 10_000

const asNumbers = (amounts: ReadonlyArray<bigint>) => amounts.map(Number)

/**
 * The transactions sent to one simulated chain. Each is in the slot after it and moves nothing: what addresses hold stays
 * as the world says, for every route alike. Only an airdrop of the test network adds to it.
 */
export const sent = (info: NetworkFacts) => {
  const chain = info.id
  const all = BoundedMap.make<string, SolanaSent>({ capacity })
  const drops = BoundedMap.make<string, { readonly lamports: bigint; readonly slot: number }>({ capacity })
  const given = BoundedMap.make<string, bigint>({ capacity })

  const balance = (address: string): bigint => World.native(info, address) + (given.get(address) ?? 0n)

  const tried = ({ message }: SolanaTransaction.Transaction, now: number, anyBlockhash = false): Run => {
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

  const told = ({ failure, logs, units }: Run) => ({
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
    Either.left(refused(-32002, `Transaction simulation failed: ${message}`, told(run)))

  const unsigned = Either.left(refused(-32003, "Transaction signature verification failure"))

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
      // Of one that no leader would take, nothing is ever heard.
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
        ...told(tried(transaction, now, options.replaceRecentBlockhash)),
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
    const item = all.get(signature)
    const slot = item?.slot ?? drops.get(signature)?.slot
    const newest = SolanaChain.slot(now, "processed")
    if (slot === undefined || slot > newest) return null
    const err = item?.run.failure?.err ?? null
    const depth = newest - slot
    return {
      slot,
      confirmations: depth >= SolanaChain.final ? null : depth,
      err,
      status: err === null ? { Ok: null } : { Err: err },
      confirmationStatus: depth >= SolanaChain.final ? "finalized" : depth === 0 ? "processed" : "confirmed"
    }
  }

  const airdrop = (address: string, lamports: bigint, now: number): string => {
    given.set(address, (given.get(address) ?? 0n) + lamports)
    const signature = base58.encode(createHash("sha512").update(`${address} ${lamports} ${now}`).digest())
    drops.set(signature, { lamports, slot: SolanaChain.slot(now, "processed") + 1 })
    return signature
  }

  /** Undefined where it was not sent here, null while it is not there yet. */
  const transaction = (signature: string, options: SendOptions, now: number) => {
    const element = all.get(signature)
    if (element === undefined) return undefined
    const { run, slot } = element
    if (slot > SolanaChain.slot(now, options.commitment ?? "finalized")) return null
    const err = run.failure?.err ?? null
    return {
      slot,
      blockTime: Math.floor((slot * 400) / 1000),
      version: element.transaction.message.version,
      meta: {
        err,
        status: err === null ? { Ok: null } : { Err: err },
        fee: Number(feeOf(element.transaction.message)),
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
      transaction: written(element.transaction, options.encoding ?? "json")
    }
  }

  return { balance, send, simulate, status, airdrop, transaction }
}

/** What callers choose. */
export interface SendOptions {
  readonly encoding?: string
  readonly commitment?: string
  readonly skipPreflight?: boolean
  readonly sigVerify?: boolean
  readonly replaceRecentBlockhash?: boolean
}

/** A transaction in the encoding that is asked for. */
const written = ({ bytes, message, signatures }: SolanaTransaction.Transaction, encoding: string) => {
  if (encoding === "base64") return [Buffer.from(bytes).toString("base64"), encoding]
  if (encoding === "base58") return [base58.encode(bytes), encoding]
  const { blockhash, header, instructions, keys } = message
  const { numReadonlySignedAccounts, numReadonlyUnsignedAccounts, numRequiredSignatures } = header
  const parsed = encoding === "jsonParsed"
  const isWritable = (index: number) =>
    index < numRequiredSignatures
      ? index < numRequiredSignatures - numReadonlySignedAccounts
      : index < keys.length - numReadonlyUnsignedAccounts
  const instruction = (item: SolanaTransaction.Instruction) => {
    const programId = keys[item.programIdIndex]
    const transfer = programId === systemProgram ? moved(item) : undefined
    if (!parsed) return { ...item, data: base58.encode(item.data), stackHeight: 1 }
    if (transfer === undefined || item.data[0] !== 2)
      return {
        programId,
        accounts: item.accounts.map((index) => keys[index]),
        data: base58.encode(item.data),
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
