import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { decode, encode, encodeForSigning } from "ripple-binary-codec"
import { deriveAddress, verify } from "ripple-keypairs"
import { formatUnits } from "viem/utils"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { baseUnits, decimal } from "../../chains/ripple/amount.ts"
import * as IssuedToken from "../../chains/ripple/IssuedToken.ts"
import { hashOf } from "../../chains/ripple/RippleTransaction.ts"
import { spread } from "../world/busy.ts"
import type { LedgerFacts } from "../world/ledger.ts"
import { remembered } from "../world/memoized.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import { accountTx, epoch, firstSequence, isMuseum, type Listed, ledgerAt, located, rowOf } from "./rippleHistory.ts"
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
const sequenceOf = (facts: LedgerFacts, account: string, withPending = false): number =>
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
          details: { fields, blob: text.toUpperCase(), hash: hashOf(text) },
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
const sentTransactions = (facts: LedgerFacts) => {
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

type LedgerTransactions = ReturnType<typeof sentTransactions>

interface AccountParams {
  readonly account?: string
  readonly peer?: string
  readonly limit?: number
  /** Of `account_tx` an object, of `account_lines` a text. */
  readonly marker?: { readonly ledger: number; readonly seq: number } | string
  readonly transaction?: string
  readonly binary?: boolean
  readonly tx_blob?: string
  readonly ledger_index?: unknown
}

export const ripple = (facts: NetworkFacts) => [["ripple-rpc", rippled(facts, sentTransactions(facts))] as const]

/** A node of the XRP Ledger. Returns errors in the body, with HTTP 200. */
const rippled =
  (facts: LedgerFacts, transactions: LedgerTransactions, listed: Listed = remembered()): Simulated =>
  ({ body, now }) => {
    const { method = "", params: [params = {}] = [] } = Option.getOrElse(parsed(body), (): RippledCall => ({}))
    return json({ result: { ...resultOf({ facts, transactions, listed }, method, params, now), warnings: [] } })
  }

interface RippledCall {
  readonly method?: string
  readonly params?: ReadonlyArray<AccountParams>
}

const parsed = Option.liftThrowable((body: string): RippledCall => JSON.parse(body))

const ledger = (now: number) => {
  const index = ledgerAt(now)
  const hash = createHash("sha256").update(String(index)).digest("hex").toUpperCase()
  return { ledger_hash: hash, ledger_index: index, validated: true }
}

/** A time as in `server_info`, such as `2026-Mar-03 03:04:46.673396 UTC`. */
const timeOf = (now: number) => {
  const [, day, month, year, time] = new Date(now).toUTCString().split(" ")
  return `${year}-${month}-${day} ${time}.000000 UTC`
}

/** Result of `server_info`. The reserve is 1 XRP plus 0.2 XRP per owned object. */
const serverInfo = (now: number) => {
  const { ledger_hash: hash, ledger_index: seq } = ledger(now)
  return {
    build_version: "3.0.0",
    complete_ledgers: `32570-${seq}`,
    server_state: "full",
    time: timeOf(now),
    validated_ledger: { age: 2, base_fee_xrp: 0.00001, hash, reserve_base_xrp: 1, reserve_inc_xrp: 0.2, seq }
  }
}

const submitted = (transactions: LedgerTransactions, { tx_blob: blob = "" }: AccountParams, now: number) => {
  const result = transactions.submit(blob, now)
  return result === undefined
    ? { error: "invalidTransaction", error_exception: "fails local checks: Invalid signature.", status: "error" }
    : { ...result, status: "success", validated_ledger_index: ledgerAt(now) }
}

/** Result of `tx`; in binary format, `tx` and `meta` are bytes in hexadecimal digits. */
const found = ({ facts, listed, transactions }: Rippled, { binary = false, transaction = "" }: AccountParams) => {
  const hash = transaction.toUpperCase()
  const sent = transactions.find(hash)?.signed
  const account = sent?.from ?? listed.get(hash)
  const row = account === undefined ? undefined : rowOf(facts, account, hash)
  if (row !== undefined) {
    const { blob } = row.signed
    const { ctid, date, inLedger, ledger_index, ...fields } = located(row)
    const place = { ctid, date, hash, inLedger, ledger_index, validated: true, status: "success" }
    return binary ? { tx: blob, meta: encode(row.meta), ...place } : { ...fields, ...place, meta: row.meta }
  }
  if (sent === undefined) return undefined
  return { ...(binary ? { tx: sent.details.blob, hash } : shown(sent.details)), validated: false, status: "success" }
}

interface Rippled {
  readonly facts: LedgerFacts
  readonly transactions: LedgerTransactions
  readonly listed: Listed
}

const resultOf = (rippled: Rippled, method: string, params: AccountParams, now: number) => {
  const { facts, listed, transactions } = rippled
  const { account = "" } = params
  const failed = (error: string, error_code: number, error_message: string) => ({
    ...ledger(now),
    account,
    error,
    error_code,
    error_message,
    request: { command: method, ...params },
    status: "error"
  })
  if (method === "submit") return submitted(transactions, params, now)
  if (method === "tx")
    return (
      found(rippled, params) ?? {
        ...failed("txnNotFound", 29, "Transaction not found."),
        searched_all: true
      }
    )
  // An account that does not exist has an empty history instead of an error.
  if (method === "account_tx") {
    const { marker, ...range } = params
    const position = typeof marker === "object" ? { marker } : {}
    const page = accountTx(facts, { ...range, ...position, account }, now, listed)
    return isMuseum(facts, account) ? page : { ...page, status: "success" }
  }
  if (method === "fee") return { ...openLedger(now), status: "success" }
  if (method === "ledger")
    return { ...ledger(now), ledger: { close_time: 4 * Math.floor(now / 4_000) - epoch }, status: "success" }
  if (method === "server_info") return { info: serverInfo(now), status: "success" }
  if (method !== "account_info" && method !== "account_lines") return failed("unknownCmd", 32, "Unknown method.")
  const drops = World.native(facts, account)
  if (drops === 0n) return failed("actNotFound", 19, "Account not found.")
  const own = lines(facts, account)
  // The open ledger is the default.
  const isOpen = (params.ledger_index ?? "current") === "current"
  const result =
    method === "account_info"
      ? {
          account_data: {
            Account: account,
            Balance: String(drops),
            Flags: 0,
            LedgerEntryType: "AccountRoot",
            OwnerCount: own.length,
            Sequence: sequenceOf(facts, account, isOpen)
          }
        }
      : { account, ...linesPage(own, params) }
  const place = isOpen ? { ledger_current_index: ledgerAt(now) + 1, validated: false } : ledger(now)
  return { ...result, ...place, status: "success" }
}

/** Result of `fee` with a queue: fees in drops, levels in 1/256 of the reference cost. */
const openLedger = (now: number) => ({
  current_ledger_size: "62",
  current_queue_size: "12",
  drops: { base_fee: "10", median_fee: "5000", minimum_fee: "10", open_ledger_fee: "10" },
  expected_ledger_size: "250",
  ledger_current_index: ledgerAt(now) + 1,
  levels: { median_level: "128000", minimum_level: "256", open_ledger_level: "256", reference_level: "256" },
  max_queue_size: "5000"
})

/** A token that the museum issued: a debt. */
const debt = {
  account: "rwUVoVMSURqNyvocPCcvLu3ygJzZyw8qwp",
  balance: "-5",
  currency: "JOE",
  limit: "0",
  limit_peer: "50",
  no_ripple: false,
  quality_in: 0,
  quality_out: 0
}

/** A page of `account_lines`: 200 lines by default, at most 400. */
const linesPage = (all: ReturnType<typeof lines>, { limit = 200, marker, peer }: AccountParams) => {
  const start = typeof marker === "string" ? Number.parseInt(marker, 16) : 0
  const end = start + Math.min(Math.max(limit, 10), 400)
  const found = all.filter((line) => peer === undefined || line.account === peer)
  const next = `${end.toString(16).padStart(64, "0").toUpperCase()},0`
  return { lines: found.slice(start, end), ...(found.length > end ? { limit, marker: next } : {}) }
}

/** Tokens in no registry that a busy account holds besides each registered one, of the same issuer. */
const others = 450

const lines = (facts: LedgerFacts, account: string) => {
  const line = (issuer: string, currency: string, balance: string) => ({
    account: issuer,
    balance,
    currency,
    limit: "1000000000",
    limit_peer: "0",
    no_ripple: true,
    quality_in: 0,
    quality_out: 0
  })
  const own = World.contractsOn(facts.platform).flatMap((contract) => {
    const amount = World.tokenBalance(facts, contract, account)
    const issued = Either.getOrUndefined(IssuedToken.parse(contract.address))
    if (amount === 0n || issued === undefined) return []
    return [line(issued.issuer, issued.currency, formatUnits(amount, contract.decimals))]
  })
  const unregistered = (index: number) => {
    const currency = Buffer.concat([Buffer.from(`BUSY ${index}`)], 20)
      .toString("hex")
      .toUpperCase()
    return line(own[Math.floor(index / others)]?.account ?? "", currency, "1")
  }
  return [
    ...(isMuseum(facts, account) ? [debt] : []),
    ...spread(facts, account, own, others * own.length, unregistered)
  ]
}
