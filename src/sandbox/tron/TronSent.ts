import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { parse, type TronTransaction } from "../../chains/tron/TronTransaction.ts"
import type { LedgerFacts } from "../world/ledger.ts"
import * as Secp256k1 from "../world/Secp256k1.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import { blockOf, infoOf, newestBlock } from "./tronHistory.ts"
import { contractJson, read, spelled, type TronTransfer } from "./tronRaw.ts"

/** Energy used by a token transfer, and the energy available for free (see `resources`). */
const tokenEnergy = 13_000n
const freeEnergy = 3_800n

/** Price of a unit of energy, and of activating a new account, in sun. */
const [energyPrice, newAccount] = [210n, 1_000_000n]

/** Maximum age of the reference block, in blocks, and maximum time to the expiration, in ms. */
const [oldestReference, longestValidity] = [65_536, 24 * 60 * 60 * 1000]

/** Signer of a transaction; undefined if the signature is invalid. */
const signerOf = ({ id, signatures: [signature = new Uint8Array()] }: TronTransaction) => {
  // v is 0 or 1, or 27 or 28.
  const v = (signature[64] ?? 0) % 27
  return Option.getOrUndefined(
    Option.map(Secp256k1.signerOf(Buffer.from(id, "hex"), signature.subarray(0, 64), v), spelled)
  )
}

/** Whether the transaction refers to a recent block of the chain (TAPOS). */
const isAnchored = ({ refBlockBytes, refBlockHash }: TronTransaction, now: number): boolean => {
  const newest = newestBlock(now)
  const low = Buffer.from(refBlockBytes).readUInt16BE()
  const number = newest - ((newest - low) % oldestReference)
  return Buffer.from(blockOf(number).slice(16, 32), "hex").equals(refBlockHash)
}

/** Response of `/wallet/broadcasthex` to a rejected transaction. */
type Refused = Readonly<Record<string, unknown>>

interface SignedTransfer extends Submit.SignedEvent {
  readonly transaction: TronTransaction
  readonly from: string
  readonly to: string
  readonly fee: bigint
}

const codecOf = (facts: LedgerFacts): Submit.Codec<SignedTransfer, Refused> => {
  const refused = (txid: string, code: string, message: string): Refused => ({
    result: false,
    code,
    message,
    transaction: "{}",
    txid
  })

  const feeOf = ({ contract, to }: TronTransfer) =>
    contract !== undefined ? (tokenEnergy - freeEnergy) * energyPrice : World.native(facts, to) === 0n ? newAccount : 0n

  const problemOf = ({ amount, contract, fee, from, id, to, transaction }: SignedTransfer, now: number) => {
    const invalid = (reason: string) => refused(id, "CONTRACT_VALIDATE_ERROR", `Contract validate error : ${reason}`)
    const failed = (reason: string) => refused(id, "CONTRACT_EXE_ERROR", `Contract execute error : ${reason}`)
    if (!isAnchored(transaction, now)) return refused(id, "TAPOS_ERROR", "Tapos check error.")
    if (transaction.expiration > now + longestValidity)
      return refused(id, "TRANSACTION_EXPIRATION_ERROR", "Transaction expired")
    if (contract !== undefined && transaction.feeLimit < fee) return failed("Not enough energy")
    if (World.native(facts, from) === 0n) return invalid("Validate TransferContract error, no OwnerAccount.")
    if (from === to) return invalid("Cannot transfer TRX to yourself.")
    if (amount <= 0n) return invalid("Amount must be greater than 0.")
    if (Submit.available(facts, from) < fee + (contract === undefined ? amount : 0n))
      return invalid("Validate TransferContract error, balance is not sufficient.")
    return contract !== undefined && Submit.available(facts, from, contract) < amount
      ? failed("REVERT opcode executed")
      : undefined
  }

  return {
    decode: (raw) =>
      Either.gen(function* () {
        const transaction = yield* Either.mapLeft(parse(raw), () => ({
          Error:
            "class com.google.protobuf.InvalidProtocolBufferException : Protocol message tag had invalid wire type."
        }))
        const { expiration, id } = transaction
        const transfer = read(facts, transaction)
        if (transfer === undefined)
          return yield* Either.left(refused(id, "CONTRACT_VALIDATE_ERROR", "Contract validate error : not simulated"))
        const signer = signerOf(transaction)
        if (signer !== transfer.from)
          return yield* Either.left(
            refused(
              id,
              "SIGERROR",
              `Validate signature error: ${signer} is signed but it is not contained of permission.`
            )
          )
        return { ...transfer, id, transaction, fee: feeOf(transfer), validUntil: expiration - 1 }
      }),
    refusal: (problem, { id }) =>
      problem === "expired"
        ? refused(id, "TRANSACTION_EXPIRATION_ERROR", "Transaction expired")
        : refused(id, "DUP_TRANSACTION_ERROR", "Dup transaction."),
    check: (signed, now) => {
      const problem = problemOf(signed, now)
      return problem === undefined ? Either.right(signed) : Either.left(problem)
    },
    nextBlock: (now) => 3_000 * (Math.floor(now / 3_000) + 1)
  }
}

/** Transactions broadcast to a simulated chain. */
export const transactions = (facts: LedgerFacts) => {
  const sent = Submit.submissions(facts, codecOf(facts))
  return {
    /** Response of `/wallet/gettransactionbyid`; an empty object for an unknown id. */
    find: (id: string) => {
      const found = sent.find(id)
      if (found === undefined) return {}
      const { raw, signatures } = found.signed.transaction
      return {
        ret: [{ contractRet: "SUCCESS" }],
        signature: [Buffer.from(signatures[0] ?? []).toString("hex")],
        txID: id,
        raw_data: { contract: [contractJson(found.signed)], expiration: found.signed.transaction.expiration },
        raw_data_hex: Buffer.from(raw).toString("hex")
      }
    },
    /** Response of `/wallet/gettransactioninfobyid`; undefined for an unknown id. */
    info: (id: string) => {
      const found = sent.find(id)
      if (found?.at === undefined) return found && {}
      return infoOf(id, found.at, found.signed.fee, false)
    },
    /** Response of `/wallet/broadcasthex`. */
    submit: (hex: string, now: number): Refused =>
      Either.match(sent.submit(hex, now), {
        onLeft: (refusal) => refusal,
        onRight: ({ id }) => ({ result: true, code: "SUCCESS", message: "", transaction: "{}", txid: id })
      })
  }
}

export type TronTransactions = ReturnType<typeof transactions>
