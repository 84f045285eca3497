import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { formatUnits } from "viem/utils"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as IssuedToken from "../../chains/ripple/IssuedToken.ts"
import type { LedgerFacts } from "../world/ledger.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import * as RippleSent from "./RippleSent.ts"
import { accountTx, epoch, ledgerAt, listedRows } from "./rippleHistory.ts"

interface AccountParams {
  readonly account?: string
  readonly peer?: string
  readonly limit?: number
  readonly marker?: { readonly ledger: number; readonly seq: number }
  readonly transaction?: string
  readonly binary?: boolean
  readonly tx_blob?: string
  readonly ledger_index?: unknown
}

export const ripple = (facts: NetworkFacts) => [["ripple-rpc", rippled(facts, RippleSent.transactions(facts))] as const]

/** A node of the XRP Ledger. Returns errors in the body, with HTTP 200. */
const rippled =
  (facts: LedgerFacts, transactions: RippleSent.LedgerTransactions, listed = listedRows()): Simulated =>
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

/** Result of `server_info`. The reserve is 1 XRP plus 0.2 XRP per owned object. */
const serverInfo = (now: number) => {
  const { ledger_hash: hash, ledger_index: seq } = ledger(now)
  return {
    build_version: "3.0.0",
    complete_ledgers: `32570-${seq}`,
    server_state: "full",
    validated_ledger: { age: 2, base_fee_xrp: 0.00001, hash, reserve_base_xrp: 1, reserve_inc_xrp: 0.2, seq }
  }
}

const submitted = (transactions: RippleSent.LedgerTransactions, { tx_blob: blob = "" }: AccountParams, now: number) => {
  const result = transactions.submit(blob, now)
  return result === undefined
    ? { error: "invalidTransaction", error_exception: "fails local checks: Invalid signature.", status: "error" }
    : { ...result, status: "success", validated_ledger_index: ledgerAt(now) }
}

/** Result of `tx`; in binary format, `tx` contains the blob. Past transactions have none. */
const found = (
  transactions: RippleSent.LedgerTransactions,
  listed: Rippled["listed"],
  { binary = false, transaction = "" }: AccountParams,
  now: number
) => {
  const entry = transactions.find(transaction)
  const row = listed.get(transaction.toUpperCase())
  if (entry === undefined)
    return row === undefined || binary ? undefined : { ...row.tx, meta: row.meta, validated: true, status: "success" }
  const { at, signed } = entry
  const index = at === undefined ? undefined : ledgerAt(at * 1000)
  const place = at === undefined ? {} : { date: at - epoch, inLedger: index, ledger_index: index }
  const { code, transaction: payment } = signed
  return {
    ...(binary
      ? { tx: signed.blob }
      : { ...payment, Fee: String(payment.Fee), ...(at === undefined ? {} : { meta: { TransactionResult: code } }) }),
    hash: transaction.toUpperCase(),
    ...place,
    validated: index !== undefined && index <= ledgerAt(now),
    status: "success"
  }
}

interface Rippled {
  readonly facts: LedgerFacts
  readonly transactions: RippleSent.LedgerTransactions
  readonly listed: ReturnType<typeof listedRows>
}

const resultOf = ({ facts, listed, transactions }: Rippled, method: string, params: AccountParams, now: number) => {
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
      found(transactions, listed, params, now) ?? {
        ...failed("txnNotFound", 29, "Transaction not found."),
        searched_all: true
      }
    )
  // An account that does not exist has an empty history instead of an error.
  if (method === "account_tx") return { ...accountTx(facts, { ...params, account }, now, listed), status: "success" }
  if (method === "fee") return { ...openLedger(now), status: "success" }
  if (method === "ledger")
    return { ...ledger(now), ledger: { close_time: 4 * Math.floor(now / 4_000) - epoch }, status: "success" }
  if (method === "server_info") return { info: serverInfo(now), status: "success" }
  if (method !== "account_info" && method !== "account_lines") return failed("unknownCmd", 32, "Unknown method.")
  const drops = World.native(facts, account)
  if (drops === 0n) return failed("actNotFound", 19, "Account not found.")
  const own = lines(facts, account)
  const result =
    method === "account_info"
      ? {
          account_data: {
            Account: account,
            Balance: String(drops),
            Flags: 0,
            LedgerEntryType: "AccountRoot",
            OwnerCount: own.length,
            Sequence: RippleSent.sequenceOf(facts, account, params.ledger_index === "current")
          }
        }
      : { account, lines: own.filter((line) => params.peer === undefined || line.account === params.peer) }
  return { ...result, ...ledger(now), status: "success" }
}

/** Result of `fee` without load: fees in drops, levels in 1/256 of the reference cost. */
const openLedger = (now: number) => ({
  current_ledger_size: "62",
  current_queue_size: "0",
  drops: { base_fee: "10", median_fee: "5000", minimum_fee: "10", open_ledger_fee: "10" },
  expected_ledger_size: "250",
  ledger_current_index: ledgerAt(now) + 1,
  levels: { median_level: "128000", minimum_level: "256", open_ledger_level: "256", reference_level: "256" },
  max_queue_size: "5000"
})

const lines = (facts: LedgerFacts, account: string) =>
  World.contractsOn(facts.platform).flatMap((contract) => {
    const amount = World.tokenBalance(facts, contract, account)
    const issued = Either.getOrUndefined(IssuedToken.parse(contract.address))
    if (amount === 0n || issued === undefined) return []
    return [
      {
        account: issued.issuer,
        balance: formatUnits(amount, contract.decimals),
        currency: issued.currency,
        limit: "1000000000",
        limit_peer: "0",
        no_ripple: true,
        quality_in: 0,
        quality_out: 0
      }
    ]
  })
