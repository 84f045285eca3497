import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Transaction } from "../../domain/Transaction.ts"
import { type Change, partiesOf, typeFor } from "../netChanges.ts"
import * as Wire from "./transactionWire.ts"

// What a transaction did, by the balances before and after it (solana.com/docs/rpc/http/gettransaction).

/** The mint of wrapped SOL: the coins of its accounts are their tokens. */
const wrapped = "So11111111111111111111111111111111111111112"

/** What is known of a transaction before it is read. */
export interface Place {
  readonly hash: string
  readonly order: number
  /** Of its block, or of one beside it where that is not known; undefined where no block's time is. */
  readonly timestamp: number | undefined
}

/** None where the node tells it in parts that do not fit together, or nobody knows its time. */
export const toTransaction = (holder: string, place: Place, told: Wire.Told): Option.Option<Transaction> => {
  const { meta, transaction } = told
  const { length } = meta.preBalances
  const accounts = accountsIn(told)
  const timestamp = told.blockTime ?? place.timestamp
  const payer = accounts[0]
  if (payer === undefined || timestamp === undefined || accounts.length !== length) return Option.none()
  if (meta.postBalances.length !== length) return Option.none()
  const failed = meta.err !== undefined && meta.err !== null
  const parsed = transaction.message.instructions.flatMap((one) => Option.toArray(decodeParsed(one.parsed)))
  const parties = failed ? aims(payer, accounts, told, parsed) : moved(holder, accounts, told, parsed)
  return Option.some({
    hash: place.hash,
    // Who is no party sees what the first instruction is called; a program that the node does not know is only called.
    type: typeFor(holder, parties) ?? parsed[0]?.type ?? "Contract Call",
    fee: BigInt(meta.fee),
    status: failed ? "Failed" : "Success",
    timestamp,
    order: place.order,
    ...parties
  })
}

const accountsIn = ({ meta, transaction }: Wire.Told): ReadonlyArray<string> => {
  const { accountKeys } = transaction.message
  const keys = accountKeys.map((key) => (typeof key === "string" ? key : key.pubkey))
  // Parsed messages list the addresses of look-up tables among the keys, others beside them: writable ones first.
  const loaded = [...(meta.loadedAddresses?.writable ?? []), ...(meta.loadedAddresses?.readonly ?? [])]
  return keys.length < meta.preBalances.length ? [...keys, ...loaded] : keys
}

/** The token accounts of the holder that were there before and are not after, for their deposit went back. */
export const closedBy = (holder: string, told: Wire.Told): ReadonlyArray<string> => {
  const accounts = accountsIn(told)
  return (told.meta.preTokenBalances ?? []).flatMap(({ accountIndex, owner }) => {
    const account = accounts[accountIndex]
    return owner === holder && account !== undefined && Number(told.meta.postBalances[accountIndex]) === 0
      ? [account]
      : []
  })
}

const decodeParsed = Schema.decodeUnknownOption(Wire.Parsed)

type Parties = Pick<Transaction, "from" | "to">

const moved = (
  holder: string,
  accounts: ReadonlyArray<string>,
  told: Wire.Told,
  parsed: ReadonlyArray<Wire.Parsed>
): Parties => {
  const parties = partiesOf([...native(accounts, told.meta), ...tokens(accounts, told.meta)])
  const own = parties.from.length + parties.to.length === 0 ? toItself(holder, parsed) : 0n
  // Sent to itself: the balances only show the fee, the amount stands in the instruction.
  return own === 0n ? parties : { from: [{ address: holder, amount: own }], to: [{ address: holder, amount: own }] }
}

/**
 * Coins, the fee given back to who paid it. What lies in a token account is no movement of coins: it is what wrapped SOL
 * tells as tokens, or the rent, a deposit that is paid to nobody.
 */
const native = (accounts: ReadonlyArray<string>, meta: Wire.Told["meta"]): ReadonlyArray<Change> => {
  const changes = accounts.map((address, index) => ({
    address,
    amount: BigInt(meta.postBalances[index] ?? 0) - BigInt(meta.preBalances[index] ?? 0)
  }))
  const balances = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])]
  const ofTokens = new Set(balances.map(({ accountIndex }) => accountIndex))
  const inside = changes.reduce((sum, { amount }, index) => (ofTokens.has(index) ? sum + amount : sum), 0n)
  const asTokens = tokens(accounts, meta).reduce((sum, one) => (one.token === wrapped ? sum + one.amount : sum), 0n)
  return withoutDeposit(
    changes
      .map((one, index) => (index === 0 ? { ...one, amount: one.amount + BigInt(meta.fee) } : one))
      .filter((_, index) => !ofTokens.has(index)),
    inside - asTokens
  )
}

/** Takes rent off those who gave the most, and rent that comes back off those who got the most. */
const withoutDeposit = (changes: ReadonlyArray<Change>, deposit: bigint): ReadonlyArray<Change> => {
  if (deposit === 0n) return changes
  const side = deposit > 0n ? -1n : 1n
  let left = deposit > 0n ? deposit : -deposit
  return [...changes]
    .sort((a, b) => Number(side * (b.amount - a.amount)))
    .map((one) => {
      const share = side * one.amount
      const part = share <= 0n ? 0n : share < left ? share : left
      left -= part
      return { ...one, amount: one.amount - side * part }
    })
}

/** By the owner of the token account; an account that is not there before or after holds nothing. */
const tokens = (accounts: ReadonlyArray<string>, meta: Wire.Told["meta"]): ReadonlyArray<Change> => {
  const change = (sign: bigint) => (balance: Wire.TokenBalance) => ({
    address: ownerOf(accounts, balance),
    amount: sign * BigInt(balance.uiTokenAmount.amount),
    token: balance.mint
  })
  return [...(meta.preTokenBalances ?? []).map(change(-1n)), ...(meta.postTokenBalances ?? []).map(change(1n))]
}

const ownerOf = (accounts: ReadonlyArray<string>, { accountIndex, owner }: Wire.TokenBalance): string =>
  owner ?? accounts[accountIndex] ?? ""

const toItself = (holder: string, parsed: ReadonlyArray<Wire.Parsed>): bigint =>
  parsed.reduce(
    (sum, { info }) => (info.source === holder && info.destination === holder ? sum + BigInt(info.lamports ?? 0) : sum),
    0n
  )

/** A failed transaction moves nothing but the fee: whom its transfers were for, else only who paid. */
const aims = (
  payer: string,
  accounts: ReadonlyArray<string>,
  { meta }: Wire.Told,
  parsed: ReadonlyArray<Wire.Parsed>
): Parties => {
  const balances = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])]
  const party = (account: string) => {
    const balance = balances.find(({ accountIndex }) => accounts[accountIndex] === account)
    return balance === undefined
      ? { address: account, amount: 0n }
      : { address: ownerOf(accounts, balance), amount: 0n, token: balance.mint }
  }
  const transfers = parsed.flatMap(({ info: { destination, source } }) =>
    source === undefined || destination === undefined ? [] : [{ from: party(source), to: party(destination) }]
  )
  return transfers.length === 0
    ? { from: [{ address: payer, amount: 0n }], to: [] }
    : { from: distinct(transfers.map(({ from }) => from)), to: distinct(transfers.map(({ to }) => to)) }
}

const distinct = <A extends { readonly address: string; readonly token?: string }>(all: ReadonlyArray<A>) => [
  ...new Map(all.map((one) => [`${one.address} ${one.token ?? ""}`, one])).values()
]
