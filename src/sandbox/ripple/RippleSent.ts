import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as World from "../world/World.ts"
import { ledgerAt } from "./rippleHistory.ts"
import { addressOf, isSigned } from "./rippleKeys.ts"
import { read, type SignedPayment } from "./ripplePayment.ts"

type RippleFacts = World.Inhabited<Pick<NetworkFacts, "id" | "native" | "platform">>

/** A transaction of the simulated ledger, by which it is found. */
export interface LedgerEntry {
  readonly blob: string
  readonly ledger: number
  /** Seconds since the epoch of the ledger. */
  readonly date: number
}

/** What is kept between a list, or a submission, and the look-ups of its entries. */
const capacity = 50_000

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

/** What an account has to keep, drops. */
type ReserveOf = (account: string) => bigint

const apply = (
  facts: RippleFacts,
  { account, amount, contract, destination, fee, transaction }: SignedPayment,
  code: string,
  now: number
) => {
  facts.world?.state.settle(
    facts.id,
    {
      id: transaction.hash.toLowerCase(),
      from: account,
      to: destination,
      amount,
      fee,
      ...(contract === undefined ? {} : { contract }),
      ...(code === "tesSUCCESS" ? {} : { failed: true })
    },
    Math.floor(now / 1000)
  )
}

const answer = (payment: SignedPayment, code: string, next: number) => {
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

/** The transactions of a simulated ledger: those that were submitted, and those that its lists have named. */
export const transactions = (facts: RippleFacts) => {
  const entries = BoundedMap.make<string, LedgerEntry>({ capacity })

  /** The result without a check of the signature. */
  const resultOf = (payment: SignedPayment, sequence: number, reserveOf: ReserveOf, now: number): string => {
    const { account, amount, contract, destination, fee } = payment
    const balance = World.native(facts, account)
    if (account === destination && contract === undefined) return "temREDUNDANT"
    if (balance === 0n) return "terNO_ACCOUNT"
    if (addressOf(payment.publicKey) !== account) return "tefBAD_AUTH"
    if (entries.get(payment.transaction.hash)?.ledger === ledgerAt(now)) return "tefALREADY"
    if (payment.sequence !== sequence) return payment.sequence > sequence ? "terPRE_SEQ" : "tefPAST_SEQ"
    if ((payment.lastLedger ?? Number.POSITIVE_INFINITY) < ledgerAt(now)) return "tefMAX_LEDGER"
    if (fee < 10n) return "telINSUF_FEE_P"
    if (balance < fee) return "terINSUF_FEE_B"
    const isNew = World.native(facts, destination) === 0n
    if (contract !== undefined) {
      if (isNew) return "tecNO_DST"
      return World.tokenBalance(facts, contract, account) < amount ? "tecPATH_PARTIAL" : "tesSUCCESS"
    }
    const reserve = reserveOf(account)
    // The fee may be paid out of the reserve.
    if (balance < amount + (reserve > fee ? reserve : fee)) return "tecUNFUNDED_PAYMENT"
    return isNew && amount < reserveOf(destination) ? "tecNO_DST_INSUF_XRP" : "tesSUCCESS"
  }

  return {
    /** What a list names. */
    note: (hash: string, entry: LedgerEntry) => entries.set(hash, entry),
    find: (hash: string): LedgerEntry | undefined => entries.get(hash.toUpperCase()),
    /** The result of `submit`; undefined for what is no valid transaction. `sequenceOf` is what the account has at that time. */
    submit: (blob: string, sequenceOf: (account: string) => number, reserveOf: ReserveOf, now: number) =>
      Effect.gen(function* () {
        const payment = read(facts.platform, blob)
        if (Either.isLeft(payment)) return payment.left === "invalid" ? undefined : codeOf("temDISABLED")
        const { publicKey, signature, transaction } = payment.right
        if (!(yield* isSigned(transaction, publicKey, signature))) return undefined
        const { account } = payment.right
        const code = resultOf(payment.right, sequenceOf(account), reserveOf, now)
        if (/^te[sc]/.test(code)) {
          apply(facts, payment.right, code, now)
          const date = Math.floor(now / 1000) - 946_684_800
          entries.set(transaction.hash, { blob: transaction.blob, ledger: ledgerAt(now), date })
        }
        return answer(payment.right, code, sequenceOf(account))
      })
  }
}

export type LedgerTransactions = ReturnType<typeof transactions>
