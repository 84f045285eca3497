import { ripemd160 } from "@noble/hashes/legacy"
import { sha256 } from "@noble/hashes/sha2"
import { base58xrp } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as IssuedToken from "../../chains/ripple/IssuedToken.ts"
import * as RippleAddress from "../../chains/ripple/RippleAddress.ts"
import { halfHash, keys, parse, type RippleTransaction } from "../../chains/ripple/RippleTransaction.ts"
import * as Ed25519 from "../world/Ed25519.ts"
import * as Submit from "../world/Submit.ts"
import { isSignedBy } from "../world/secp256k1.ts"
import * as World from "../world/World.ts"
import { ledgerAt } from "./rippleHistory.ts"

// Payments in the binary format (xrpl.org/docs/references/protocol/binary-format).

/** An amount of drops, or of a token's base units. */
interface PaidAmount {
  readonly amount: bigint
  /** The native coin without it. */
  readonly contract?: World.Contract
}

/** A payment as its sender signed it. */
interface SignedPayment extends PaidAmount {
  readonly transaction: RippleTransaction
  readonly account: string
  readonly destination: string
  readonly fee: bigint
  readonly sequence: number
  /** The last ledger that may have it. */
  readonly lastLedger: number | undefined
  readonly publicKey: Uint8Array
  readonly signature: Uint8Array
}

const accountBytes = (address: string): Buffer => Buffer.from(base58xrp.decode(address).subarray(1, 21))

/** A standard code is three letters between zeros; others are 20 bytes. */
const currencyBytes = (currency: string): Buffer => {
  const bytes = Buffer.alloc(20)
  if (currency.length === 40) bytes.write(currency, "hex")
  else bytes.write(currency, 12, "latin1")
  return bytes
}

/** Undefined for a token that the world does not have, or for more digits than its base units have. */
const amountOf = (platform: string | undefined, bytes: Uint8Array): PaidAmount | undefined => {
  const view = Buffer.from(bytes)
  const value = view.readBigUInt64BE()
  if (bytes.length === 8) return value >> 62n === 1n ? { amount: value & ((1n << 62n) - 1n) } : undefined
  const contract = World.contractsOn(platform).find(({ address }) => {
    const issued = Either.getOrUndefined(IssuedToken.parse(address))
    return (
      issued !== undefined &&
      Buffer.concat([currencyBytes(issued.currency), accountBytes(issued.issuer)]).equals(view.subarray(8))
    )
  })
  if (bytes.length !== 48 || value >> 62n !== 3n || contract === undefined) return undefined
  const exponent = Number((value >> 54n) & 255n) - 97 + contract.decimals
  const mantissa = value & ((1n << 54n) - 1n)
  const unit = 10n ** BigInt(Math.abs(exponent))
  if (exponent >= 0) return { amount: mantissa * unit, contract }
  return mantissa % unit === 0n ? { amount: mantissa / unit, contract } : undefined
}

const payment = 0

/** Left is what rippled says of a transaction that the simulated ledger does not do. */
const read = (platform: string | undefined, text: string): Either.Either<SignedPayment, "invalid" | "disabled"> =>
  Either.flatMap(
    Either.mapLeft(parse(text), () => "invalid" as const),
    (transaction) => {
      const value = (key: string) => transaction.fields.find((field) => field.key === key)?.value
      const integer = (key: string) => BigInt(`0x${Buffer.from(value(key) ?? []).toString("hex") || "0"}`)
      const number = (key: string) => Number(integer(key))
      const amount = amountOf(platform, value(keys.amount) ?? Buffer.alloc(8))
      const [account, destination] = [value(keys.account), value(keys.destination)]
      if (number(keys.transactionType) !== payment || amount === undefined) return Either.left("disabled" as const)
      if (account === undefined || destination === undefined) return Either.left("invalid" as const)
      return Either.right({
        ...amount,
        transaction,
        account: RippleAddress.ofAccount(account),
        destination: RippleAddress.ofAccount(destination),
        fee: integer(keys.fee) & ((1n << 62n) - 1n),
        sequence: number(keys.sequence),
        lastLedger: value(keys.lastLedgerSequence) === undefined ? undefined : number(keys.lastLedgerSequence),
        publicKey: value(keys.signingPublicKey) ?? new Uint8Array(),
        signature: value(keys.signature) ?? new Uint8Array()
      })
    }
  )

// Keys and signatures of the ledger (xrpl.org/docs/concepts/accounts/cryptographic-keys).

/** The address of a public key of 33 bytes. */
const addressOf = (publicKey: Uint8Array): string => RippleAddress.ofAccount(ripemd160(sha256(publicKey)))

/** `STX` and a zero. */
const signing = "53545800"

/** All fields but the signatures. */
const signedParts = ({ bytes, fields }: RippleTransaction): ReadonlyArray<Uint8Array> =>
  fields.flatMap(({ end, key, start }) =>
    key === keys.signature || key === keys.signers ? [] : [bytes.subarray(start, end)]
  )

const isEd25519 = (publicKey: Uint8Array) => publicKey[0] === 0xed

/** Whether the owner of a public key signed the transaction. */
const isSigned = (
  transaction: RippleTransaction,
  publicKey: Uint8Array,
  signature: Uint8Array
): Effect.Effect<boolean> => {
  const parts = signedParts(transaction)
  if (isEd25519(publicKey))
    return Effect.succeed(
      Ed25519.isSigned(publicKey.subarray(1), Buffer.concat([Buffer.from(signing, "hex"), ...parts]), signature)
    )
  return isSignedBy(publicKey, halfHash(signing, ...parts), signature)
}

type RippleFacts = World.Inhabited<Pick<NetworkFacts, "id" | "native" | "platform">>

/** A transaction of the simulated ledger, by which it is found. */
export interface LedgerEntry {
  readonly blob: string
  /** Undefined while it is pending. */
  readonly ledger?: number
  /** Seconds since the epoch of the ledger. */
  readonly date?: number
}

/** Numbers of the most common results (xrpl.org/docs/references/protocol/transactions/transaction-results). */
const results: Readonly<Record<string, readonly [code: number, message: string]>> = {
  tesSUCCESS: [0, "The transaction was applied. Only final in a validated ledger."],
  tecUNFUNDED_PAYMENT: [104, "Insufficient XRP balance to send."],
  tecNO_DST: [124, "Destination does not exist. Send XRP to create it."],
  tecNO_DST_INSUF_XRP: [125, "Destination does not exist. Too little XRP sent to create it."],
  tecPATH_PARTIAL: [101, "Path could not send full amount."],
  terINSUF_FEE_B: [-97, "Account balance can't pay fee."],
  terNO_ACCOUNT: [-96, "The source account does not exist."],
  terPRE_SEQ: [-92, "Missing/inapplicable prior transaction."],
  tefALREADY: [-198, "The exact transaction was already in this ledger."],
  tefBAD_AUTH: [-196, "Transaction's public key is not authorized."],
  tefPAST_SEQ: [-190, "This sequence number has already passed."],
  tefMAX_LEDGER: [-187, "Ledger sequence too high."],
  telINSUF_FEE_P: [-394, "Fee insufficient."],
  temREDUNDANT: [-275, "The transaction is redundant."],
  temDISABLED: [-273, "The transaction requires logic that is currently disabled."]
}

const codeOf = (code: string) => {
  const [number = -299, message = "Malformed transaction."] = results[code] ?? []
  return { engine_result: code, engine_result_code: number, engine_result_message: message }
}

const answer = ({ code, payment }: SubmittedPayment, next: number) => {
  const isApplied = /^te[sc]/.test(code)
  const { account, destination, fee, sequence, transaction } = payment
  return {
    accepted: isApplied,
    account_sequence_available: next,
    account_sequence_next: next,
    applied: isApplied,
    broadcast: isApplied,
    ...codeOf(code),
    open_ledger_cost: "10",
    queued: false,
    tx_blob: transaction.blob,
    tx_json: {
      Account: account,
      Destination: destination,
      Fee: String(fee),
      Sequence: sequence,
      TransactionType: "Payment",
      hash: transaction.hash
    }
  }
}

const millis = 1_000

/** A payment with the result of the ledger. */
interface SubmittedPayment extends Submit.SignedEvent {
  readonly payment: SignedPayment
  readonly code: string
}

/** What is no valid transaction, or the code of the result. */
type Refused = SubmittedPayment | "invalid" | "disabled"

/** What an account has to keep, drops: 1 XRP, and 0.2 for each of its objects. */
const reserveOf = (facts: RippleFacts, account: string): bigint =>
  World.contractsOn(facts.platform).reduce(
    (sum, contract) => sum + (World.tokenBalance(facts, contract, account) === 0n ? 0n : 200_000n),
    1_000_000n
  )

/** Accounts begin with the index of the ledger that made them; each payment out takes one more. */
export const sequenceOf = (facts: RippleFacts, account: string, withPending = false): number =>
  firstSequence + Submit.sequenceOf(facts, account, withPending)

const firstSequence = 60_000_000

const codecOf = (facts: RippleFacts): Submit.Codec<SubmittedPayment, Refused> => {
  const resultOf = ({ account, amount, contract, destination, fee, lastLedger }: SignedPayment, now: number) => {
    const balance = Submit.available(facts, account)
    if ((lastLedger ?? Number.POSITIVE_INFINITY) < ledgerAt(now)) return "tefMAX_LEDGER"
    if (fee < 10n) return "telINSUF_FEE_P"
    if (balance < fee) return "terINSUF_FEE_B"
    const isNew = World.native(facts, destination) === 0n
    if (contract !== undefined) {
      if (isNew) return "tecNO_DST"
      return Submit.available(facts, account, contract) < amount ? "tecPATH_PARTIAL" : "tesSUCCESS"
    }
    const reserve = reserveOf(facts, account)
    // The fee may be paid out of the reserve.
    if (balance < amount + (reserve > fee ? reserve : fee)) return "tecUNFUNDED_PAYMENT"
    return isNew && amount < reserveOf(facts, destination) ? "tecNO_DST_INSUF_XRP" : "tesSUCCESS"
  }

  return {
    decode: (blob) =>
      Effect.gen(function* () {
        const payment = yield* read(facts.platform, blob)
        const { account, amount, contract, destination, fee, publicKey, sequence, signature, transaction } = payment
        if (!(yield* isSigned(transaction, publicKey, signature))) return yield* Effect.fail("invalid" as const)
        const signed = {
          payment,
          code: "tesSUCCESS",
          id: transaction.hash.toLowerCase(),
          from: account,
          to: destination,
          amount,
          fee,
          ...(contract === undefined ? {} : { contract }),
          sequence: sequence - firstSequence
        }
        const refuse = (code: string) => Effect.fail({ ...signed, code })
        if (account === destination && contract === undefined) return yield* refuse("temREDUNDANT")
        if (World.native(facts, account) === 0n) return yield* refuse("terNO_ACCOUNT")
        return addressOf(publicKey) === account ? signed : yield* refuse("tefBAD_AUTH")
      }),
    refusal: (problem, signed) => {
      const isFinal = facts.world?.state.finalSince(facts.id, signed.id) !== undefined
      const code = { known: isFinal ? "tefPAST_SEQ" : "tefALREADY", "future sequence": "terPRE_SEQ" }
      return { ...signed, code: { ...code, "past sequence": "tefPAST_SEQ", expired: "tefMAX_LEDGER" }[problem] }
    },
    check: (signed, now) => {
      const code = resultOf(signed.payment, now)
      if (!/^te[sc]/.test(code)) return Either.left({ ...signed, code })
      return Either.right({ ...signed, code, ...(code === "tesSUCCESS" ? {} : { failed: true }) })
    },
    nextBlock: (now) => 4 * millis * (Math.floor(now / (4 * millis)) + 1)
  }
}

/** The transactions that were submitted to a simulated ledger. */
export const transactions = (facts: RippleFacts) => {
  const sent = Submit.submissions(facts, codecOf(facts))
  return {
    find: (hash: string): LedgerEntry | undefined => {
      const found = sent.find(hash.toLowerCase())
      if (found === undefined) return undefined
      const { at, signed } = found
      const { blob } = signed.payment.transaction
      return at === undefined ? { blob } : { blob, ledger: ledgerAt(at * millis), date: at - 946_684_800 }
    },
    /** The result of `submit`; undefined for what is no valid transaction. */
    submit: (blob: string, now: number) =>
      Effect.map(Effect.merge(sent.submit(blob, now)), (result) => {
        if (result === "invalid") return undefined
        if (result === "disabled") return codeOf("temDISABLED")
        return answer(result, sequenceOf(facts, result.payment.account, true))
      })
  }
}

export type LedgerTransactions = ReturnType<typeof transactions>
