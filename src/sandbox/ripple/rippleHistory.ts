import * as Either from "effect/Either"
import { formatUnits } from "viem/utils"
import * as IssuedToken from "../../chains/ripple/IssuedToken.ts"
import * as RippleAddress from "../../chains/ripple/RippleAddress.ts"
import { type LedgerFacts, ledger, type Move } from "../world/ledger.ts"
import { remembered } from "../world/memoized.ts"

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
  readonly marker?: { readonly ledger: number; readonly seq: number }
}

/** Transactions that a list has returned, by hash. */
export const listedRows = () => remembered<ReturnType<typeof rows>[number]>()
type Listed = ReturnType<typeof listedRows>

/** A page of `account_tx`: payments of XRP and tokens, including a failed one. */
export const accountTx = (facts: LedgerFacts, query: AccountTxQuery, now: number, listed: Listed) => {
  const { account, ledger_index_max: max = -1, limit = 200, marker } = query
  const last = max < 0 ? Number.POSITIVE_INFINITY : max
  const all = rows(facts, account)
    .filter(({ tx }) => tx.ledger_index <= last)
    .reverse()
  for (const row of all) listed.set(row.tx.hash, row)
  const start = marker === undefined ? 0 : all.findIndex(({ tx }) => tx.ledger_index === marker.ledger)
  const end = start + Math.min(Math.max(limit, 10), pageSize)
  const next = all[end]?.tx.ledger_index
  return {
    account,
    ledger_index_min: 32_570,
    ledger_index_max: Math.min(ledgerAt(now), last),
    limit,
    transactions: all.slice(start, end),
    validated: true,
    ...(next === undefined ? {} : { marker: { ledger: next, seq: 7 } })
  }
}

const rows = (facts: LedgerFacts, account: string) => {
  const balances = new Map<string, bigint>()
  return ledger(facts, account).map((move, sequence) => {
    const { at, contract, fee, id } = move
    const out = move.direction === "out"
    const { received = 0n } = move
    const issuer = move.kind === "mint" ? issuedOf(move)?.issuer : undefined
    const other = move.counterparty ?? issuer ?? RippleAddress.ofAccount(Buffer.from(move.seed.slice(0, 40), "hex"))
    const moved = move.failed ? 0n : out ? -move.amount : move.amount
    const change = (asset: string, amount: bigint) => {
      const before = balances.get(asset) ?? 0n
      balances.set(asset, before + amount)
      return [before, before + amount] as const
    }
    const drops = change("", received + (contract === undefined ? moved : 0n) - (out ? fee : 0n))
    const nodes = [
      ...root(account, drops),
      ...root(other, [rich, rich - received - (contract === undefined ? moved : 0n) - (out ? 0n : fee)]),
      ...lines(move, account, other, moved, change)
    ]
    const amount = amountOf(move)
    const [from, to] = out ? [account, other] : [other, account]
    return {
      meta: {
        AffectedNodes: nodes,
        TransactionIndex: 7 + (move.ordinal ?? 0),
        TransactionResult: move.failed ? "tecUNFUNDED_PAYMENT" : "tesSUCCESS",
        ...(move.failed ? {} : { delivered_amount: amount })
      },
      tx: {
        Account: from,
        Amount: amount,
        DeliverMax: amount,
        Destination: to,
        Fee: String(fee),
        Flags: 0,
        Sequence: sequence + 1,
        TransactionType: received === 0n ? "Payment" : "OfferCreate",
        date: at - epoch,
        hash: id.toUpperCase(),
        inLedger: ledgerAt(at * 1000),
        ledger_index: ledgerAt(at * 1000)
      },
      validated: true
    }
  })
}

/** XRP balance of counterparties in drops: higher than any payment. */
const rich = 10n ** 16n

const issuedOf = ({ contract }: Move) =>
  contract === undefined ? undefined : Either.getOrUndefined(IssuedToken.parse(contract.address))

const amountOf = (move: Move) => {
  const { amount, contract } = move
  const issued = issuedOf(move)
  return issued && contract ? { ...issued, value: formatUnits(amount, contract.decimals) } : String(amount)
}

const root = (address: string, [before, after]: readonly [bigint, bigint]) =>
  before === after
    ? []
    : before === 0n
      ? [{ CreatedNode: { LedgerEntryType: "AccountRoot", NewFields: { Account: address, Balance: String(after) } } }]
      : [
          {
            ModifiedNode: {
              LedgerEntryType: "AccountRoot",
              FinalFields: { Account: address, Balance: String(after), Flags: 0 },
              PreviousFields: { Balance: String(before) }
            }
          }
        ]

/** Trust lines of both accounts to the issuer, which has none itself; the holder is the low side of each. */
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
    value: formatUnits(amount, contract.decimals)
  })
  const line = (address: string, [before, after]: readonly [bigint, bigint]) => ({
    ModifiedNode: {
      LedgerEntryType: "RippleState",
      FinalFields: {
        Balance: value(after),
        HighLimit: { currency, issuer, value: "0" },
        LowLimit: { currency, issuer: address, value: "1000000000" }
      },
      PreviousFields: { Balance: value(before) }
    }
  })
  const others = 10n ** 15n
  const own = line(account, change(contract.address, moved))
  return other === issuer ? [own] : [own, line(other, [others, others - moved])]
}
