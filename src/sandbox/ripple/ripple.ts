import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { encode } from "ripple-binary-codec"
import { formatUnits } from "viem/utils"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as IssuedToken from "../../chains/ripple/IssuedToken.ts"
import * as calls from "../../chains/ripple/providers/rippled/calls.ts"
import { answeredRpc, type RpcAnswered, rpcAnswerOf } from "../world/answers.ts"
import { spread } from "../world/busy.ts"
import type { LedgerFacts } from "../world/ledger.ts"
import { remembered } from "../world/memoized.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import { sentTransactions, sequenceOf } from "./RippleSent.ts"
import {
  accountTx,
  epoch,
  isMuseum,
  type Listed,
  ledgerAt,
  located,
  type Marker,
  type RippleRow,
  rowOf
} from "./rippleHistory.ts"
import { shown } from "./rippleTransaction.ts"

type LedgerTransactions = ReturnType<typeof sentTransactions>

export const ripple = (facts: NetworkFacts) => [["ripple-rpc", rippled(facts, sentTransactions(facts))] as const]

/** A node of the XRP Ledger. Returns errors in the body, with HTTP 200. */
const rippled = (facts: LedgerFacts, transactions: LedgerTransactions): Simulated => {
  const answers = answersOf({ facts, transactions, listed: remembered() })
  return ({ body, now }) => {
    const { method = "", params: [params = {}] = [] } = Option.getOrElse(parsed(body), (): RippledCall => ({}))
    const result = rpcAnswerOf(answers, method, params, now) ?? failed(answers, method, params, now)
    return json({ result: { ...result, warnings: [] } })
  }
}

interface RippledCall {
  readonly method?: string
  readonly params?: ReadonlyArray<Readonly<Record<string, unknown>>>
}

const parsed = Option.liftThrowable((body: string): RippledCall => JSON.parse(body))

/** The error for what does not exist. */
const failed = (
  answers: ReadonlyArray<RpcAnswered>,
  command: string,
  params: Readonly<Record<string, unknown>>,
  now: number
) => {
  if (command === calls.submit.rpc)
    return { error: "invalidTransaction", error_exception: "fails local checks: Invalid signature.", status: "error" }
  const failure = (error: string, error_code: number, error_message: string) => ({
    ...ledger(now),
    account: params.account ?? "",
    error,
    error_code,
    error_message,
    request: { command, ...params },
    status: "error"
  })
  if (command === calls.tx.rpc) return { ...failure("txnNotFound", 29, "Transaction not found."), searched_all: true }
  return answers.some(({ method }) => method === command)
    ? failure("actNotFound", 19, "Account not found.")
    : failure("unknownCmd", 32, "Unknown method.")
}

const ledger = (now: number) => {
  const index = ledgerAt(now)
  const hash = createHash("sha256").update(String(index)).digest("hex").toUpperCase()
  return { ledger_hash: hash, ledger_index: index, validated: true as const }
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

const submitted = (transactions: LedgerTransactions, blob: string, now: number) => {
  const result = transactions.submit(blob, now)
  return result && { ...result, status: "success", validated_ledger_index: ledgerAt(now) }
}

/** A transaction of a ledger that a list has returned, or a sent one, which may be in no ledger. */
const lookUp = ({ facts, listed, transactions }: Rippled, transaction = "") => {
  const hash = transaction.toUpperCase()
  const sent = transactions.find(hash)?.signed
  const account = sent?.from ?? listed.get(hash)
  return { hash, sent, row: account === undefined ? undefined : rowOf(facts, account, hash) }
}

const placeOf = (row: RippleRow, hash: string) => {
  const { ctid, date, inLedger, ledger_index } = located(row)
  return { ctid, date, hash, inLedger, ledger_index, validated: true, status: "success" }
}

/** Result of `tx` with the members of the transaction. */
const found = (rippled: Rippled, transaction: string | undefined) => {
  const { hash, row, sent } = lookUp(rippled, transaction)
  if (row !== undefined) return { ...located(row), ...placeOf(row, hash), meta: row.meta }
  return sent && { ...shown(sent.details), validated: false, status: "success" }
}

/** Result of `tx` in binary format: `tx` and `meta` are bytes in hexadecimal digits. */
const foundBytes = (rippled: Rippled, transaction: string | undefined) => {
  const { hash, row, sent } = lookUp(rippled, transaction)
  if (row !== undefined) return { tx: row.signed.blob, meta: encode(row.meta), ...placeOf(row, hash) }
  return sent && { tx: sent.details.blob, hash, validated: false, status: "success" }
}

interface Rippled {
  readonly facts: LedgerFacts
  readonly transactions: LedgerTransactions
  readonly listed: Listed
}

const answersOf = (rippled: Rippled): ReadonlyArray<RpcAnswered> => {
  const { facts, listed, transactions } = rippled
  /** Where an account is read; the open ledger is the default. */
  const placeAt = (of: unknown, now: number) =>
    (of ?? "current") === "current" ? { ledger_current_index: ledgerAt(now) + 1, validated: false } : ledger(now)
  /** What an account owes, by currency. */
  const owed = (account: string) =>
    World.contractsOn(facts.platform).flatMap((contract) => {
      const issued = Either.getOrUndefined(IssuedToken.parse(contract.address))
      return issued?.issuer === account ? [[issued.currency, "1000000000"] as const] : []
    })
  const isUsed = (account: string) => World.native(facts, account) > 0n || owed(account).length > 0
  return [
    answeredRpc(calls.submit, ({ now, params: { tx_blob = "" } }) => submitted(transactions, tx_blob, now)),
    answeredRpc(calls.tx, ({ params }) => (params.binary ? undefined : found(rippled, params.transaction))),
    answeredRpc(calls.binaryTx, ({ params }) => (params.binary ? foundBytes(rippled, params.transaction) : undefined)),
    answeredRpc(calls.accountTx, ({ now, params: { account = "", marker, ...range } }) => {
      const page = accountTx(facts, { ...range, account, marker: marker as Marker | undefined }, now, listed)
      return isMuseum(facts, account) ? page : { ...page, status: "success" }
    }),
    answeredRpc(calls.fee, ({ now }) => ({ ...openLedger(now), status: "success" })),
    answeredRpc(calls.ledger, ({ now }) => ({
      ...ledger(now),
      ledger: { close_time: 4 * Math.floor(now / 4_000) - epoch },
      status: "success"
    })),
    answeredRpc(calls.serverInfo, ({ now }) => ({ info: serverInfo(now), status: "success" })),
    answeredRpc(calls.openAccount, ({ now, params: { account = "", ledger_index } }) => {
      if (!isUsed(account)) return undefined
      const isOpen = (ledger_index ?? "current") === "current"
      const account_data = {
        Account: account,
        Balance: String(World.native(facts, account)),
        Flags: 0,
        LedgerEntryType: "AccountRoot",
        OwnerCount: lines(facts, account).length,
        Sequence: sequenceOf(facts, account, isOpen)
      }
      return { account_data, ...placeAt(ledger_index, now), status: "success" }
    }),
    answeredRpc(calls.gatewayBalances, ({ now, params: { account = "" } }) =>
      isUsed(account)
        ? { account, obligations: Object.fromEntries(owed(account)), ...ledger(now), status: "success" }
        : undefined
    ),
    answeredRpc(calls.accountLines, ({ now, params: { account = "", ledger_index, ...page } }) => {
      // The adapter never reads lines in the open ledger.
      const place = placeAt(ledger_index, now) as Partial<ReturnType<typeof ledger>>
      const found = isUsed(account) ? linesPage(lines(facts, account), page) : undefined
      return found && { account, ...found, ...place, status: "success" }
    })
  ]
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

interface LinesPage {
  readonly limit?: number
  readonly marker?: unknown
  readonly peer?: string
}

/** A page of `account_lines`: 200 lines by default, at most 400. */
const linesPage = (all: ReturnType<typeof lines>, { limit = 200, marker, peer }: LinesPage) => {
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
