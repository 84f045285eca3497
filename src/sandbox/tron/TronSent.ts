import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { bytesToHex, recoverAddress } from "viem/utils"
import * as TronAddress from "../../chains/tron/TronAddress.ts"
import { parse, type TronTransaction } from "../../chains/tron/TronTransaction.ts"
import type { LedgerFacts } from "../world/ledger.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import { blockOf, newestBlock } from "./tronHistory.ts"
import { contractJson, read, type TronTransfer } from "./tronRaw.ts"

/** The energy of a transfer of tokens, and what there is of it without a payment; see `resources`. */
const tokenEnergy = 13_000n
const freeEnergy = 3_800n

/** Sun for a unit of energy, and for an account that does not exist yet. */
const [energyPrice, newAccount] = [210n, 1_000_000n]

/** Transactions may refer to a block as old as this, and expire in a day at most. */
const [oldestReference, longestValidity] = [65_536, 24 * 60 * 60 * 1000]

/** The signer of a transaction; undefined where the signature is none. */
const signerOf = ({ id, signatures: [signature = new Uint8Array()] }: TronTransaction) => {
  // v is 0 or 1, or 27 more.
  const v = signature[64] ?? 0
  const bytes = Uint8Array.of(...signature.subarray(0, 64), v < 27 ? v + 27 : v)
  return Effect.tryPromise(() => recoverAddress({ hash: `0x${id}`, signature: bytesToHex(bytes) })).pipe(
    Effect.match({
      onFailure: () => undefined,
      onSuccess: (address) => Either.getOrUndefined(TronAddress.parse(`41${address.slice(2)}`))
    })
  )
}

/** Whether it refers to a block of the chain that is not too old. */
const isAnchored = ({ refBlockBytes, refBlockHash }: TronTransaction, now: number): boolean => {
  const newest = newestBlock(now)
  const low = Buffer.from(refBlockBytes).readUInt16BE()
  const number = newest - ((newest - low) % oldestReference)
  return Buffer.from(blockOf(number).slice(16, 32), "hex").equals(refBlockHash)
}

/** The response of `/wallet/broadcasthex` to a transaction that is refused. */
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
      Effect.gen(function* () {
        const transaction = yield* Effect.mapError(parse(raw), () => ({
          Error:
            "class com.google.protobuf.InvalidProtocolBufferException : Protocol message tag had invalid wire type."
        }))
        const { expiration, id } = transaction
        const transfer = read(facts, transaction)
        if (transfer === undefined)
          return yield* Effect.fail(refused(id, "CONTRACT_VALIDATE_ERROR", "Contract validate error : not simulated"))
        const signer = yield* signerOf(transaction)
        if (signer !== transfer.from)
          return yield* Effect.fail(
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

/** The transactions that were broadcast to a simulated chain. */
export const transactions = (facts: LedgerFacts) => {
  const sent = Submit.submissions(facts, codecOf(facts))
  return {
    /** The response of `/wallet/gettransactionbyid`: an empty object where there is none. */
    find: (id: string) => {
      const found = sent.find(id)
      if (found === undefined) return {}
      const { raw, signatures } = found.signed.transaction
      return {
        ret: [{ contractRet: "SUCCESS" }],
        signature: [Buffer.from(signatures[0] ?? []).toString("hex")],
        txID: id,
        raw_data: { contract: [contractJson(found.signed)] },
        raw_data_hex: Buffer.from(raw).toString("hex")
      }
    },
    /** The response of `/wallet/broadcasthex`. */
    submit: (hex: string, now: number): Effect.Effect<Refused> =>
      Effect.match(sent.submit(hex, now), {
        onFailure: (refusal) => refusal,
        onSuccess: ({ id }) => ({ result: true, code: "SUCCESS", message: "", transaction: "{}", txid: id })
      })
  }
}

export type TronTransactions = ReturnType<typeof transactions>
