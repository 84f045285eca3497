import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { decode, encodeForSigning } from "ripple-binary-codec"
import { deriveAddress, verify } from "ripple-keypairs"
import { baseUnits, decimal } from "../../chains/ripple/amount.ts"
import * as IssuedToken from "../../chains/ripple/IssuedToken.ts"
import { hashOf } from "../../chains/ripple/RippleTransaction.ts"
import type { LedgerFacts } from "../world/ledger.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import { firstSequence, ledgerAt } from "./rippleHistory.ts"
import { type SignedRipple, shown } from "./rippleTransaction.ts"

/** Payment in the format of `ripple-binary-codec`. */
const Payment = Schema.Struct({
  Account: Schema.String,
  Destination: Schema.String,
  Amount: Schema.Union(
    Schema.String,
    Schema.Struct({ currency: Schema.String, issuer: Schema.String, value: Schema.String })
  ),
  Fee: Schema.BigInt,
  Sequence: Schema.Number,
  /** Last ledger that may include the payment. */
  LastLedgerSequence: Schema.optional(Schema.Number),
  SigningPubKey: Schema.String,
  TxnSignature: Schema.String
})

/** Returns the amount in base units; undefined for an unknown token or too many decimal places. */
const amountOf = (platform: string | undefined, paid: (typeof Payment.Type)["Amount"]) => {
  if (typeof paid === "string") return { amount: BigInt(paid) }
  const key = Either.map(IssuedToken.currencyOf(paid.currency), (currency) => IssuedToken.keyOf({ ...paid, currency }))
  const contract = World.contractsOn(platform).find(
    ({ address }) =>
      Either.getOrUndefined(Either.map(IssuedToken.parse(address), IssuedToken.keyOf)) === Either.getOrNull(key)
  )
  const value = Option.getOrUndefined(decimal(paid.value))
  return contract === undefined || value === undefined || value.scale > contract.decimals
    ? undefined
    : { amount: baseUnits(value, contract.decimals), contract }
}

const decoded = Option.liftThrowable(decode)
const verified = Option.liftThrowable(verify)

/** Codes of the most common results (xrpl.org/docs/references/protocol/transactions/transaction-results). */
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

const answer = ({ code, details }: SubmittedPayment, next: number) => {
  const isApplied = /^te[sc]/.test(code)
  return {
    accepted: isApplied,
    account_sequence_available: next,
    account_sequence_next: next,
    applied: isApplied,
    broadcast: isApplied,
    ...codeOf(code),
    open_ledger_cost: "10",
    queued: false,
    tx_blob: details.blob,
    tx_json: shown(details)
  }
}

/** A signed payment with its result code. */
interface SubmittedPayment extends Submit.SignedEvent {
  readonly details: SignedRipple
  readonly transaction: typeof Payment.Type
  readonly code: string
}

/** A payment with an error code, an invalid transaction, or a transaction that is not simulated. */
type Refused = SubmittedPayment | "invalid" | "disabled"

/** Reserve of an account in drops: 1 XRP plus 0.2 XRP per owned object. */
const reserveOf = (facts: LedgerFacts, account: string): bigint =>
  World.contractsOn(facts.platform).reduce(
    (sum, contract) => sum + (World.tokenBalance(facts, contract, account) === 0n ? 0n : 200_000n),
    1_000_000n
  )

/** Next sequence number of an account. */
export const sequenceOf = (facts: LedgerFacts, account: string, withPending = false): number =>
  firstSequence + Submit.sequenceOf(facts, account, withPending)

const refusals = {
  pending: "tefALREADY",
  known: "tefPAST_SEQ",
  "past sequence": "tefPAST_SEQ",
  "future sequence": "terPRE_SEQ",
  expired: "tefMAX_LEDGER"
}

const codecOf = (facts: LedgerFacts): Submit.Codec<SubmittedPayment, Refused> => {
  const resultOf = ({ amount, contract, transaction }: SubmittedPayment, now: number) => {
    const { Account: account, Destination: destination, Fee: fee, LastLedgerSequence: lastLedger } = transaction
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
    // The reserve can pay the fee.
    if (balance < amount + (reserve > fee ? reserve : fee)) return "tecUNFUNDED_PAYMENT"
    return isNew && amount < reserveOf(facts, destination) ? "tecNO_DST_INSUF_XRP" : "tesSUCCESS"
  }

  return {
    decode: (text) =>
      Either.gen(function* () {
        const fields = Option.getOrUndefined(decoded(text))
        if (fields === undefined) return yield* Either.left("invalid" as const)
        if (fields.TransactionType !== "Payment") return yield* Either.left("disabled" as const)
        const transaction = Option.getOrUndefined(Schema.decodeUnknownOption(Payment)(fields))
        if (transaction === undefined) return yield* Either.left("invalid" as const)
        const { Account: from, Destination: to, SigningPubKey, TxnSignature } = transaction
        const paid = amountOf(facts.platform, transaction.Amount)
        if (paid === undefined) return yield* Either.left("disabled" as const)
        const isSigned = verified(encodeForSigning(fields), TxnSignature, SigningPubKey)
        if (!Option.getOrElse(isSigned, () => false)) return yield* Either.left("invalid" as const)
        const signed = {
          details: {
            fields: fields as unknown as SignedRipple["fields"],
            blob: text.toUpperCase(),
            hash: hashOf(text)
          },
          transaction,
          code: "tesSUCCESS",
          id: hashOf(text).toLowerCase(),
          from,
          to,
          ...paid,
          fee: transaction.Fee,
          sequence: transaction.Sequence - firstSequence
        }
        const refuse = (code: string) => Either.left({ ...signed, code })
        if (from === to && signed.contract === undefined) return yield* refuse("temREDUNDANT")
        if (World.native(facts, from) === 0n) return yield* refuse("terNO_ACCOUNT")
        return deriveAddress(SigningPubKey) === from ? signed : yield* refuse("tefBAD_AUTH")
      }),
    refusal: (problem, signed) => ({ ...signed, code: refusals[problem] }),
    check: (signed, now) => {
      const code = resultOf(signed, now)
      if (!/^te[sc]/.test(code)) return Either.left({ ...signed, code })
      const details = { ...signed.details, code }
      return Either.right({ ...signed, code, details, ...(code === "tesSUCCESS" ? {} : { failed: true }) })
    },
    nextBlock: (now) => 4_000 * (Math.floor(now / 4_000) + 1)
  }
}

/** Transactions submitted to a simulated ledger. */
export const sentTransactions = (facts: LedgerFacts) => {
  const sent = Submit.submissions(facts, codecOf(facts))
  return {
    find: (hash: string) => sent.find(hash.toLowerCase()),
    /** Result of `submit`; undefined for an invalid transaction. */
    submit: (blob: string, now: number) => {
      const result = Either.merge(sent.submit(blob, now))
      if (result === "invalid") return undefined
      if (result === "disabled") return codeOf("temDISABLED")
      return answer(result, sequenceOf(facts, result.transaction.Account, true))
    }
  }
}
