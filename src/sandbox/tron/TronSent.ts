import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { bytesToHex, recoverAddress } from "viem/utils"
import * as TronAddress from "../../chains/tron/TronAddress.ts"
import { parse, type TronTransaction } from "../../chains/tron/TronTransaction.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as World from "../world/World.ts"
import { blockOf, newestBlock } from "./tronBlocks.ts"
import { contractJson, read, type TransferFacts, type TronTransfer } from "./tronRaw.ts"

/** A transaction of the simulated chain, by which it is found. */
export interface TronEntry {
  readonly raw: Uint8Array
  readonly signature: string
  readonly transfer: TronTransfer
}

/** What is kept between a list, or a broadcast, and the look-ups of its entries. */
const capacity = 50_000

/** The energy of a transfer of tokens, and what there is of it without a payment; see `resources`. */
const tokenEnergy = 13_000n
const freeEnergy = 3_800n

/** Sun for a unit of energy, and for an account that does not exist yet. */
const [energyPrice, newAccount] = [210n, 1_000_000n]

/** Transactions may refer to a block as old as this, and expire in a day at most. */
const [oldestReference, longestValidity] = [65_536, 24 * 60 * 60 * 1000]

type Refused = readonly [code: string, message: string]

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

/** The transactions of a simulated chain: those that were broadcast, and those that its lists have named. */
export const transactions = (facts: TransferFacts) => {
  const entries = BoundedMap.make<string, TronEntry>({ capacity })
  const sent = BoundedMap.make<string, true>({ capacity })

  const feeOf = ({ contract, to }: TronTransfer) =>
    contract !== undefined ? (tokenEnergy - freeEnergy) * energyPrice : World.native(facts, to) === 0n ? newAccount : 0n

  const balanceProblem = (transfer: TronTransfer): Refused | undefined => {
    const { amount, contract, from, to } = transfer
    const balance = World.native(facts, from)
    const invalid = (reason: string): Refused => ["CONTRACT_VALIDATE_ERROR", `Contract validate error : ${reason}`]
    if (balance === 0n) return invalid(`Validate TransferContract error, no OwnerAccount.`)
    if (from === to) return invalid("Cannot transfer TRX to yourself.")
    if (amount <= 0n) return invalid("Amount must be greater than 0.")
    const cost = feeOf(transfer) + (contract === undefined ? amount : 0n)
    if (balance < cost) return invalid("Validate TransferContract error, balance is not sufficient.")
    return contract !== undefined && World.tokenBalance(facts, contract, from) < amount
      ? ["CONTRACT_EXE_ERROR", "Contract execute error : REVERT opcode executed"]
      : undefined
  }

  const problemOf = (
    transaction: TronTransaction,
    transfer: TronTransfer | undefined,
    signer: string | undefined,
    now: number
  ) => {
    const { expiration, id, feeLimit } = transaction
    if (sent.has(id)) return ["DUP_TRANSACTION_ERROR", "Dup transaction."] as const
    if (transfer === undefined) return ["CONTRACT_VALIDATE_ERROR", "Contract validate error : not simulated"] as const
    if (signer !== transfer.from)
      return [
        "SIGERROR",
        `Validate signature error: ${signer} is signed but it is not contained of permission.`
      ] as const
    if (!isAnchored(transaction, now)) return ["TAPOS_ERROR", "Tapos check error."] as const
    if (expiration <= now || expiration > now + longestValidity)
      return ["TRANSACTION_EXPIRATION_ERROR", "Transaction expired"] as const
    if (transfer.contract !== undefined && feeLimit < feeOf(transfer))
      return ["CONTRACT_EXE_ERROR", "Contract execute error : Not enough energy"] as const
    return balanceProblem(transfer)
  }

  const accept = ({ id, raw, signatures }: TronTransaction, transfer: TronTransfer, now: number) => {
    const { amount, contract, from, to } = transfer
    sent.set(id, true)
    entries.set(id, { raw, signature: Buffer.from(signatures[0] ?? []).toString("hex"), transfer })
    const fee = feeOf(transfer)
    const moved = { id, from, to, amount, fee, ...(contract === undefined ? {} : { contract }) }
    facts.world?.state.settle(facts.id, moved, Math.floor(now / 1000))
  }

  return {
    /** What a list names. */
    note: (id: string, entry: TronEntry) => entries.set(id, entry),
    find: (id: string): TronEntry | undefined => entries.get(id),
    /** The response of `/wallet/broadcasthex`. */
    submit: (hex: string, now: number) =>
      Effect.gen(function* () {
        const parsed = parse(hex)
        if (Either.isLeft(parsed))
          return {
            Error:
              "class com.google.protobuf.InvalidProtocolBufferException : Protocol message tag had invalid wire type."
          }
        const transaction = parsed.right
        const transfer = read(facts.platform, transaction)
        const signer = yield* signerOf(transaction)
        const problem = problemOf(transaction, transfer, signer, now)
        if (problem !== undefined || transfer === undefined) {
          const [code, message] = problem ?? ["OTHER_ERROR", ""]
          return { result: false, code, message, transaction: "{}", txid: transaction.id }
        }
        accept(transaction, transfer, now)
        return { result: true, code: "SUCCESS", message: "", transaction: "{}", txid: transaction.id }
      })
  }
}

export type TronTransactions = ReturnType<typeof transactions>

/** The response of `/wallet/gettransactionbyid`: an empty object where there is none. */
export const found = (entry: TronEntry | undefined, id: string) =>
  entry === undefined
    ? {}
    : {
        ret: [{ contractRet: "SUCCESS" }],
        signature: [entry.signature],
        txID: id,
        raw_data: { contract: [contractJson(entry.transfer)] },
        raw_data_hex: Buffer.from(entry.raw).toString("hex")
      }
