import * as RippleAddress from "../../chains/ripple/RippleAddress.ts"
import * as Landmarks from "../world/Landmarks.ts"
import { type LedgerFacts, ledger, type Move, sequences } from "../world/ledger.ts"
import { memoized, type Remembered } from "../world/memoized.ts"
import { exhibitedMeta, fieldsOf, type Meta } from "./rippleMuseum.ts"
import { amountOf, digest, issuedOf, type SignedRipple, shown, signed, tokenValue } from "./rippleTransaction.ts"

/** Maximum page size. */
const pageSize = 400

/** Seconds between the UNIX epoch and the Ripple epoch. */
export const epoch = 946_684_800

/** Index of the latest closed ledger at a time in ms; one closes every four seconds. */
export const ledgerAt = (time: number): number => Math.floor(time / 4_000) - 340_000_000

interface AccountTxQuery {
  readonly account: string
  readonly limit?: number
  readonly ledger_index_max?: number
  readonly marker?: Marker | undefined
}

export interface Marker {
  readonly ledger: number
  readonly seq: number
}

/** Accounts in whose lists transactions are, by hash of the transaction. */
export type Listed = Remembered<string>

/** A page of `account_tx`: payments of XRP and tokens, including a failed one. */
export const accountTx = (facts: LedgerFacts, query: AccountTxQuery, now: number, listed: Listed) => {
  const { account, ledger_index_max: max = -1, limit = 200, marker } = query
  const last = max < 0 ? Number.POSITIVE_INFINITY : max
  const all = rows(facts, account)
    .filter(({ ledger }) => ledger <= last)
    .toReversed()
  for (const { signed } of all) listed.set(signed.hash, account)
  const isNext = ({ ledger, meta }: RippleRow) => ledger === marker?.ledger && meta.TransactionIndex === marker.seq
  const start = marker === undefined ? 0 : all.findIndex(isNext)
  const end = start + Math.min(Math.max(limit, 10), pageSize)
  const next = all[end]
  return {
    account,
    ledger_index_min: 32_570,
    ledger_index_max: Math.min(ledgerAt(now), last),
    limit,
    transactions: all.slice(start, end).map((row) => (isMuseum(facts, account) ? inVersion2(row) : inVersion1(row))),
    validated: true,
    ...(next === undefined ? {} : { marker: { ledger: next.ledger, seq: next.meta.TransactionIndex } })
  }
}

/** A node answers about the museum in version 2 of the API, without a status. */
export const isMuseum = (facts: LedgerFacts, account: string): boolean => account === Landmarks.museum(facts)

const inVersion1 = (row: RippleRow) => ({ meta: row.meta, tx: located(row), validated: true })

const inVersion2 = ({ at, ledger, meta, signed }: RippleRow) => {
  const { hash, ...fields } = shown(signed)
  const { Amount, TransactionType } = signed.fields
  return {
    meta,
    tx_json: {
      ...fields,
      Amount: TransactionType === "Payment" ? undefined : Amount,
      ledger_index: ledger,
      date: at - epoch
    },
    ledger_index: ledger,
    hash,
    ledger_hash: digest("ledger", String(ledger)),
    close_time_iso: new Date(at * 1000).toISOString().replace(".000", ""),
    validated: true
  }
}

/** A transaction in a validated ledger. */
export interface RippleRow {
  readonly signed: SignedRipple
  readonly at: number
  readonly ledger: number
  readonly meta: Meta
}

/** The fields of a transaction with its ledger. */
export const located = ({ at, ledger, meta, signed }: RippleRow) => ({
  ...shown(signed),
  ctid: `C${hex(ledger, 7)}${hex(meta.TransactionIndex, 4)}0000`,
  date: at - epoch,
  inLedger: ledger,
  ledger_index: ledger
})

const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, "0")

/** A transaction of an account by its hash. */
export const rowOf = (facts: LedgerFacts, account: string, hash: string): RippleRow | undefined =>
  rows(facts, account).find(({ signed }) => signed.hash === hash)

/** Sequence number of the first transaction of an account: models the index of the ledger that created it. */
export const firstSequence = 60_000_000

/** The transaction of a move; accounts outside of the world have any sequence number. */
const signedOf = (facts: LedgerFacts, move: Move, account: string, other: string): SignedRipple => {
  if (move.details !== undefined) return move.details as SignedRipple
  const [from, to] = move.direction === "out" ? [account, other] : [other, account]
  const own = move.direction === "out" || move.counterparty !== undefined
  const known = own ? sequences(facts, from).get(move.id) : undefined
  const sequence = firstSequence + (known ?? Number.parseInt(move.id.slice(0, 5), 16))
  return signed(move, { from, to, sequence, ledger: ledgerAt(move.at * 1000) }, fieldsOf(move, account))
}

/** Transactions of an account, oldest first. */
const rows = memoized((facts: LedgerFacts, account): ReadonlyArray<RippleRow> => {
  const balances = new Map<string, bigint>()
  const places = new Map<number, number>()
  return ledger(facts, account).map((move) => {
    const { at, contract, fee } = move
    const out = move.direction === "out"
    const { received = 0n } = move
    const issuer = move.kind === "mint" || move.exhibit !== undefined ? issuedOf(move)?.issuer : undefined
    const other = move.counterparty ?? issuer ?? RippleAddress.ofAccount(Buffer.from(move.seed.slice(0, 40), "hex"))
    const moved = move.failed ? 0n : out ? -move.amount : move.amount
    const change = (asset: string, amount: bigint) => {
      const before = balances.get(asset) ?? 0n
      balances.set(asset, before + amount)
      return [before, before + amount] as const
    }
    const signed = signedOf(facts, move, account, other)
    const drops = change("", received + (contract === undefined ? moved : 0n) - (out ? fee : 0n))
    const lineNodes = lines(move, account, other, moved, change)
    const owned = [...balances].filter(([asset, amount]) => asset !== "" && amount > 0n).length
    const sequence = Number(signed.fields.Sequence)
    const nodes = [
      ...root(account, drops, owned, out ? sequence : undefined),
      ...root(
        other,
        [rich, rich - received - (contract === undefined ? moved : 0n) - (out ? 0n : fee)],
        0,
        out ? undefined : sequence
      ),
      ...lineNodes
    ]
    const ledgerIndex = ledgerAt(at * 1000)
    const { ordinal = places.get(ledgerIndex) ?? 0 } = move
    places.set(ledgerIndex, ordinal + 1)
    const previous = { PreviousTxnID: digest("previous", move.id), PreviousTxnLgrSeq: ledgerIndex - 5 }
    const meta = {
      AffectedNodes: nodes.map((node) =>
        "CreatedNode" in node ? node : { ModifiedNode: { ...node.ModifiedNode, ...previous } }
      ),
      TransactionIndex: 7 + ordinal,
      TransactionResult: signed.code ?? (move.failed ? "tecUNFUNDED_PAYMENT" : "tesSUCCESS"),
      ...(move.failed || received > 0n ? {} : { delivered_amount: amountOf(move) })
    }
    return { signed, at, ledger: ledgerIndex, meta: exhibitedMeta({ move, account, other }, meta) }
  })
})

/** XRP balance of counterparties in drops: higher than any payment. */
const rich = 10n ** 16n

/** The changed entry of an account; `sequence` is the number of the transaction, if the account signed it. */
const root = (
  address: string,
  [before, after]: readonly [bigint, bigint],
  owned: number,
  sequence: number | undefined
) => {
  const entry = { LedgerEntryType: "AccountRoot", LedgerIndex: digest("account", address) }
  const fields = {
    Account: address,
    Balance: String(after),
    Flags: 0,
    OwnerCount: owned,
    Sequence: sequence === undefined ? firstSequence : sequence + 1
  }
  if (before === after) return []
  if (before === 0n) return [{ CreatedNode: { ...entry, NewFields: fields } }]
  const earlier = { Balance: String(before), ...(sequence === undefined ? {} : { Sequence: sequence }) }
  return [{ ModifiedNode: { ...entry, FinalFields: fields, PreviousFields: earlier } }]
}

/** Trust lines of both accounts to the issuer, which has none itself; the holder is the low side of each but one. */
const lines = (
  move: Move,
  account: string,
  other: string,
  moved: bigint,
  change: (asset: string, amount: bigint) => readonly [bigint, bigint]
) => {
  const { contract } = move
  const issued = issuedOf(move)
  if (contract === undefined || issued === undefined || moved === 0n) return []
  const { currency, issuer } = issued
  const value = (amount: bigint) => ({
    currency,
    issuer: "rrrrrrrrrrrrrrrrrrrrBZbvji",
    value: tokenValue(amount, contract.decimals)
  })
  // On the high side, balances are negative.
  const isHigh = move.exhibit === "high side"
  const line = (address: string, [before, after]: readonly [bigint, bigint]) => {
    const [own, issuing] = [
      { currency, issuer: address, value: "1000000000" },
      { currency, issuer, value: "0" }
    ]
    return {
      ModifiedNode: {
        LedgerEntryType: "RippleState",
        LedgerIndex: digest("line", address, contract.address),
        FinalFields: {
          Balance: value(isHigh ? -after : after),
          Flags: 65_536,
          HighLimit: isHigh ? own : issuing,
          HighNode: "0",
          LowLimit: isHigh ? issuing : own,
          LowNode: "0"
        },
        PreviousFields: { Balance: value(isHigh ? -before : before) }
      }
    }
  }
  const others = 10n ** 15n
  const own = line(account, change(contract.address, moved))
  return other === issuer ? [own] : [own, line(other, [others, others - moved])]
}
