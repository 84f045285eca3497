import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Transaction } from "../../domain/Transaction.ts"
import { type Change, partiesOf, typeFor } from "../netChanges.ts"
import { wrappedSol } from "./programs.ts"
import { type TokenAccountChange, withoutRent } from "./rent.ts"
import * as TransactionWire from "./TransactionWire.ts"

// What a transaction did, by the balances before and after it (solana.com/docs/rpc/http/gettransaction).

/** What is known of a transaction before it is read. */
export interface TransactionPlace {
  readonly hash: string
  readonly order: number
  /** Of its block, or of one beside it where that is not known; undefined where no block's time is. */
  readonly timestamp: number | undefined
}

/** None where the node tells it in parts that do not fit together, or nobody knows its time. */
export const toTransaction = (
  holder: string,
  place: TransactionPlace,
  transaction: TransactionWire.SolanaTransaction
): Option.Option<Transaction> => {
  const {
    meta,
    transaction: { message }
  } = transaction
  const { length } = meta.preBalances
  const accounts = accountsIn(transaction)
  const timestamp = transaction.blockTime ?? place.timestamp
  const payer = accounts[0]
  if (payer === undefined || timestamp === undefined || accounts.length !== length) return Option.none()
  if (meta.postBalances.length !== length) return Option.none()
  const failed = meta.err !== undefined && meta.err !== null
  const parsed = parsedInstructions(message.instructions)
  const parties = failed ? aims(payer, accounts, transaction, parsed) : moved(holder, accounts, transaction, parsed)
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

/** Whether one of these accounts is in it, or owns tokens that are. */
export const concerns = (own: ReadonlySet<string>, transaction: TransactionWire.SolanaTransaction): boolean => {
  const balances = [...(transaction.meta.preTokenBalances ?? []), ...(transaction.meta.postTokenBalances ?? [])]
  return [...accountsIn(transaction), ...balances.map(({ owner }) => owner)].some((account) => own.has(account ?? ""))
}

const accountsIn = ({ meta, transaction }: TransactionWire.SolanaTransaction): ReadonlyArray<string> => {
  const { accountKeys } = transaction.message
  const keys = accountKeys.map((key) => (typeof key === "string" ? key : key.pubkey))
  // Parsed messages list the addresses of look-up tables among the keys, others beside them: writable ones first.
  const loaded = [...(meta.loadedAddresses?.writable ?? []), ...(meta.loadedAddresses?.readonly ?? [])]
  return keys.length < meta.preBalances.length ? [...keys, ...loaded] : keys
}

/** The token accounts of the holder that were there before and are not after, for their deposit went back. */
export const closedBy = (holder: string, transaction: TransactionWire.SolanaTransaction): ReadonlyArray<string> => {
  const accounts = accountsIn(transaction)
  return (transaction.meta.preTokenBalances ?? []).flatMap(({ accountIndex, owner }) => {
    const account = accounts[accountIndex]
    return owner === holder && account !== undefined && Number(transaction.meta.postBalances[accountIndex]) === 0
      ? [account]
      : []
  })
}

const decodeParsed = Schema.decodeUnknownOption(TransactionWire.ParsedInstruction)

type SolanaParties = Pick<Transaction, "from" | "to">

const parsedInstructions = (
  instructions: TransactionWire.SolanaTransaction["transaction"]["message"]["instructions"]
): ReadonlyArray<TransactionWire.ParsedInstruction> =>
  instructions.flatMap((instruction) => Option.toArray(decodeParsed(instruction.parsed)))

const moved = (
  holder: string,
  accounts: ReadonlyArray<string>,
  transaction: TransactionWire.SolanaTransaction,
  parsed: ReadonlyArray<TransactionWire.ParsedInstruction>
): SolanaParties => {
  const { meta } = transaction
  const all = [
    ...parsed,
    ...(meta.innerInstructions ?? []).flatMap(({ instructions }) => parsedInstructions(instructions))
  ]
  const parties = partiesOf([...native(accounts, meta, all), ...tokens(accounts, meta)])
  if (parties.from.length + parties.to.length > 0) return parties
  // Sent to itself: the balances only show the fee, the amounts stand in the instructions.
  const { to } = partiesOf(toItself(holder, accounts, meta, parsed))
  return { from: to, to }
}

/**
 * Coins, the fee given back to who paid it. What lies in a token account is no movement of coins: it is what wrapped SOL
 * tells as tokens, or the rent, a deposit that is paid to nobody.
 */
const native = (
  accounts: ReadonlyArray<string>,
  meta: TransactionWire.SolanaTransaction["meta"],
  parsed: ReadonlyArray<TransactionWire.ParsedInstruction>
): ReadonlyArray<Change> => {
  const balances = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])]
  const ofTokens = new Set(balances.map(({ accountIndex }) => accountIndex))
  const rows = accounts.map((address, index) => {
    const [before, after] = [BigInt(meta.preBalances[index] ?? 0), BigInt(meta.postBalances[index] ?? 0)]
    const life: TokenAccountChange["life"] = before === 0n ? "opened" : after === 0n ? "closed" : "stays"
    return { address, index, change: after - before + (index === 0 ? BigInt(meta.fee) : 0n), life }
  })
  return withoutRent(
    rows.flatMap(({ address, change, index }) => (ofTokens.has(index) ? [] : [{ address, amount: change }])),
    rows.flatMap(({ change, index, ...row }) =>
      ofTokens.has(index) ? [{ ...row, change: change - wrappedIn(index, meta) }] : []
    ),
    parsed
  )
}

/** By how much an account has more of wrapped SOL. */
const wrappedIn = (
  index: number,
  { postTokenBalances, preTokenBalances }: TransactionWire.SolanaTransaction["meta"]
): bigint => {
  const sum = (balances: typeof preTokenBalances) =>
    (balances ?? []).reduce(
      (all, { accountIndex, mint, uiTokenAmount }) =>
        accountIndex === index && mint === wrappedSol ? all + BigInt(uiTokenAmount.amount) : all,
      0n
    )
  return sum(postTokenBalances) - sum(preTokenBalances)
}

/** By the owner of the token account; an account that is not there before or after holds nothing. */
const tokens = (
  accounts: ReadonlyArray<string>,
  meta: TransactionWire.SolanaTransaction["meta"]
): ReadonlyArray<Change> => {
  const change = (sign: bigint) => (balance: TransactionWire.SolanaTokenBalance) => ({
    address: ownerOf(accounts, balance),
    amount: sign * BigInt(balance.uiTokenAmount.amount),
    token: balance.mint
  })
  return [...(meta.preTokenBalances ?? []).map(change(-1n)), ...(meta.postTokenBalances ?? []).map(change(1n))]
}

const ownerOf = (
  accounts: ReadonlyArray<string>,
  { accountIndex, owner }: TransactionWire.SolanaTokenBalance
): string => owner ?? accounts[accountIndex] ?? ""

/** What the holder sends to itself: coins, and tokens between its own accounts. */
const toItself = (
  holder: string,
  accounts: ReadonlyArray<string>,
  meta: TransactionWire.SolanaTransaction["meta"],
  parsed: ReadonlyArray<TransactionWire.ParsedInstruction>
): ReadonlyArray<Change> => {
  const balances = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])]
  const own = new Map(
    balances.flatMap((balance) =>
      ownerOf(accounts, balance) === holder ? [[accounts[balance.accountIndex] ?? "", balance.mint] as const] : []
    )
  )
  return parsed.flatMap(({ info }): ReadonlyArray<Change> => {
    const { amount, destination = "", lamports = 0, source = "" } = info
    if (source === holder && destination === holder) return [{ address: holder, amount: BigInt(lamports) }]
    const token = own.get(source)
    const units = Option.getOrUndefined(decodeUnits(info.tokenAmount ?? { amount }))?.amount
    return token === undefined || token !== own.get(destination) || units === undefined
      ? []
      : [{ address: holder, amount: BigInt(units), token }]
  })
}

const decodeUnits = Schema.decodeUnknownOption(TransactionWire.TokenAmount)

/** A failed transaction moves nothing but the fee: whom its transfers were for, else only who paid. */
const aims = (
  payer: string,
  accounts: ReadonlyArray<string>,
  { meta }: TransactionWire.SolanaTransaction,
  parsed: ReadonlyArray<TransactionWire.ParsedInstruction>
): SolanaParties => {
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
  ...new Map(all.map((item) => [`${item.address} ${item.token ?? ""}`, item])).values()
]
