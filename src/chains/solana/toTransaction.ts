import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { numbered, type Transaction } from "../../domain/Transaction.ts"
import { numberOf, type Seconds, slot } from "../../domain/units.ts"
import { heightOf } from "../kit/history/orderOf.ts"
import { type Change, paidOf, partiesOfChanges, typeFor } from "../kit/history/parties.ts"
import { wrappedSol } from "./programs.ts"
import {
  type AccountKey,
  ParsedInstruction,
  type SolanaTokenBalance,
  type SolanaTransaction,
  TokenAmount
} from "./providers/agave/transactionCalls.ts"

// Derives the effects of a transaction from the balances before and after it (solana.com/docs/rpc/http/gettransaction).

type SolanaMeta = SolanaTransaction["meta"]

/** The instructions that the node could parse. */
type Actions = ReadonlyArray<ParsedInstruction>

/** The change of a token account in lamports, without the coins that are wrapped in it. */
interface TokenAccountChange {
  readonly address: string
  readonly change: bigint
  /** Whether the transaction opened or closed the account. */
  readonly life: "opened" | "closed" | "stays"
}

/**
 * The changes of coins without the rent of token accounts: a deposit that no address receives when an account is
 * opened, and that is returned when it is closed. Each deposit is attributed to its payer or recipient in the
 * instructions, or else to the address with the largest opposite change. Any other change of a token account remains
 * a payment, and so does a payment out of a refund. The sum of all changes, with those of the accounts, is preserved.
 */
const withoutRent = (changes: ReadonlyArray<Change>, accounts: ReadonlyArray<TokenAccountChange>, parsed: Actions) => {
  const amounts = new Map<string, bigint>()
  for (const { address, amount } of changes) amounts.set(address, (amounts.get(address) ?? 0n) + amount)
  for (const { address, change, life } of accounts) {
    if (change === 0n) continue
    const isRent = life === "opened" ? change > 0n : life === "closed" && change < 0n
    const named = life === "opened" ? depositorOf(address, parsed) : refundedBy(address, parsed)
    const party = named !== undefined && amounts.has(named) ? named : furthest(amounts, change)
    const bearer = isRent && party !== undefined ? party : address
    amounts.set(bearer, (amounts.get(bearer) ?? 0n) + change)
  }
  return [...amounts].map(([address, amount]) => ({ address, amount }))
}

/** The address with the largest payment, or with the largest receipt if the deposit is returned. */
const furthest = (amounts: ReadonlyMap<string, bigint>, change: bigint): string | undefined => {
  const side = change > 0n ? -1n : 1n
  return [...amounts].reduce<readonly [string, bigint] | undefined>(
    (best, amount) => (best === undefined || side * amount[1] > side * best[1] ? amount : best),
    undefined
  )?.[0]
}

/** The payer of an account: its creator, otherwise the first sender of coins to it. */
const depositorOf = (account: string, parsed: Actions): string | undefined => {
  const made = parsed.find(
    ({ info, type }) => type.startsWith("create") && (info.newAccount === account || info.account === account)
  )
  return (made ?? parsed.find(({ info }) => info.destination === account && info.lamports !== undefined))?.info.source
}

const refundedBy = (account: string, parsed: Actions): string | undefined =>
  parsed.find(({ info, type }) => type === "closeAccount" && info.account === account)?.info.destination

export const slotOf = heightOf(slot)

/** The data of a transaction that is available before it is read. */
export interface SlotTransaction {
  readonly hash: string
  readonly order: number
  /** The time of its block, or of an adjacent one; undefined if no block time is available. */
  readonly timestamp: Seconds | undefined
}

/** Whether an account has two balances. */
const isRepeated = (rows: SolanaMeta["preTokenBalances"]): boolean =>
  new Set(rows?.map(({ accountIndex }) => accountIndex)).size < (rows?.length ?? 0)

/** The deposit of a token account, lamports; other accounts may have as much. */
const tokenAccountDeposit = 2_039_280n

/**
 * Whether an account lacks its token balance before or after a transaction: it has the other one, and always had coins
 * for the deposit, so that it was neither opened nor closed.
 */
const omitsBalance = ({ postBalances, postTokenBalances, preBalances, preTokenBalances }: SolanaMeta): boolean => {
  const indexesOf = (rows: typeof preTokenBalances) => new Set(rows?.map(({ accountIndex }) => accountIndex))
  return [...indexesOf(preTokenBalances).symmetricDifference(indexesOf(postTokenBalances))].some((index) =>
    [preBalances[index], postBalances[index]].every((lamports) => BigInt(lamports ?? 0) >= tokenAccountDeposit)
  )
}

/** None if the parts of the response are inconsistent, or no time is available. */
export const toTransaction = (
  holder: string,
  place: SlotTransaction,
  transaction: SolanaTransaction
): Option.Option<Transaction> => {
  const { meta } = transaction
  const { length } = meta.preBalances
  const accounts = accountsIn(transaction)
  const timestamp = transaction.blockTime ?? place.timestamp
  const payer = accounts[0]
  if (payer === undefined || timestamp === undefined || accounts.length !== length) return Option.none()
  if (meta.postBalances.length !== length || !areInPlace(transaction)) return Option.none()
  if (isRepeated(meta.preTokenBalances) || isRepeated(meta.postTokenBalances)) return Option.none()
  const owners = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])].map(({ owner }) => owner ?? "")
  // Old responses have none.
  if (owners.includes("") && owners.some((owner) => owner !== "")) return Option.none()
  const failed = meta.err !== undefined && meta.err !== null
  // Nothing moved in a failed one, of which nodes list fewer balances.
  if (!failed && omitsBalance(meta)) return Option.none()
  const parsed = parsedInstructions(transaction.transaction.message.instructions)
  const parties = failed ? intendedParties(payer, accounts, meta, parsed) : moved(holder, accounts, meta, parsed)
  const fee = BigInt(meta.fee)
  return Option.some({
    hash: place.hash,
    // If the holder is not a party, the type is the name of the first instruction that the node could parse.
    type: typeFor(holder, parties) ?? parsed[0]?.type ?? "Contract Call",
    fee,
    ...paidOf(holder, { fee, from: parties.from }, paidBy(holder, accounts, meta, parties)),
    status: failed ? "Failed" : "Success",
    timestamp,
    ...numbered({ block: numberOf(slotOf(place)) }),
    order: place.order,
    ...parties
  })
}

/** Whether the accounts can have this order: the balances follow it. */
const areInPlace = ({ meta, transaction }: SolanaTransaction): boolean => {
  const keys = transaction.message.accountKeys.map(
    (key): AccountKey => (typeof key === "string" ? { pubkey: key } : key)
  )
  return keys.every(
    ({ signer, writable }, index) =>
      (signer !== true || index === 0 || keys[index - 1]?.signer === true) &&
      (signer !== false || index > 0) &&
      (writable !== false || meta.preBalances[index] === meta.postBalances[index])
  )
}

/**
 * The difference between the holder's transfers and the change of its balance: the fee, and the deposits of accounts
 * that were opened or closed.
 */
const paidBy = (holder: string, accounts: ReadonlyArray<string>, meta: SolanaMeta, { from, to }: SolanaParties) => {
  const index = accounts.indexOf(holder)
  if (index < 0) return 0n
  const sum = (side: SolanaParties["from"]) =>
    side.reduce(
      (all, { address, amount, token }) => (address === holder && token === undefined ? all + amount : all),
      0n
    )
  return sum(to) - sum(from) - (BigInt(meta.postBalances[index] ?? 0) - BigInt(meta.preBalances[index] ?? 0))
}

/** Whether the transaction contains one of these accounts, or tokens owned by one. */
export const concerns = (own: ReadonlySet<string>, transaction: SolanaTransaction): boolean => {
  const balances = [...(transaction.meta.preTokenBalances ?? []), ...(transaction.meta.postTokenBalances ?? [])]
  return [...accountsIn(transaction), ...balances.map(({ owner }) => owner)].some((account) => own.has(account ?? ""))
}

/** The first account, which pays the fee. */
export const payerOf = (transaction: SolanaTransaction): string => accountsIn(transaction)[0] ?? ""

const accountsIn = ({ meta, transaction }: SolanaTransaction): ReadonlyArray<string> => {
  const { accountKeys } = transaction.message
  const keys = accountKeys.map((key) => (typeof key === "string" ? key : key.pubkey))
  // Parsed messages include addresses from look-up tables in the keys; otherwise they follow them, writable ones first.
  const loaded = [...(meta.loadedAddresses?.writable ?? []), ...(meta.loadedAddresses?.readonly ?? [])]
  return keys.length < meta.preBalances.length ? [...keys, ...loaded] : keys
}

/** The holder's token accounts that the transaction closed: their deposit was returned. */
export const closedBy = (holder: string, transaction: SolanaTransaction): ReadonlyArray<string> => {
  const accounts = accountsIn(transaction)
  return (transaction.meta.preTokenBalances ?? []).flatMap(({ accountIndex, owner }) => {
    const account = accounts[accountIndex]
    return owner === holder && account !== undefined && Number(transaction.meta.postBalances[accountIndex]) === 0
      ? [account]
      : []
  })
}

const decodeParsed = Schema.decodeUnknownOption(ParsedInstruction)

type SolanaParties = Pick<Transaction, "from" | "to">

const parsedInstructions = (instructions: SolanaTransaction["transaction"]["message"]["instructions"]): Actions =>
  instructions.flatMap((instruction) => Option.toArray(decodeParsed(instruction.parsed)))

const moved = (holder: string, accounts: ReadonlyArray<string>, meta: SolanaMeta, parsed: Actions) => {
  const all = [
    ...parsed,
    ...(meta.innerInstructions ?? []).flatMap(({ instructions }) => parsedInstructions(instructions))
  ]
  const parties = partiesOfChanges([...native(accounts, meta, all), ...tokens(accounts, meta)])
  if (parties.from.length + parties.to.length > 0) return parties
  // A transfer to itself: the balances only show the fee, the amounts are in the instructions.
  const { to } = partiesOfChanges(toItself(holder, accounts, meta, parsed))
  return { from: to, to }
}

/**
 * Changes of coins, with the fee added back to its payer. The coins of a token account are not transfers: they are
 * wrapped SOL, which counts as a token, or the rent, a deposit that no address receives.
 */
const native = (accounts: ReadonlyArray<string>, meta: SolanaMeta, parsed: Actions): ReadonlyArray<Change> => {
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

/** The change of an account's wrapped SOL. */
const wrappedIn = (index: number, { postTokenBalances, preTokenBalances }: SolanaMeta): bigint => {
  const sum = (balances: typeof preTokenBalances) =>
    (balances ?? []).reduce(
      (all, { accountIndex, mint, uiTokenAmount }) =>
        accountIndex === index && mint === wrappedSol ? all + BigInt(uiTokenAmount.amount) : all,
      0n
    )
  return sum(postTokenBalances) - sum(preTokenBalances)
}

/** Changes of tokens by owner of the token account; an account that does not exist before or after counts as zero. */
const tokens = (accounts: ReadonlyArray<string>, meta: SolanaMeta): ReadonlyArray<Change> => {
  const change = (sign: bigint) => (balance: SolanaTokenBalance) => ({
    address: ownerOf(accounts, balance),
    amount: sign * BigInt(balance.uiTokenAmount.amount),
    token: balance.mint
  })
  return [...(meta.preTokenBalances ?? []).map(change(-1n)), ...(meta.postTokenBalances ?? []).map(change(1n))]
}

const ownerOf = (accounts: ReadonlyArray<string>, { accountIndex, owner }: SolanaTokenBalance): string =>
  owner ?? accounts[accountIndex] ?? ""

/** Transfers of the holder to itself: coins, and tokens between its accounts. */
const toItself = (holder: string, accounts: ReadonlyArray<string>, meta: SolanaMeta, parsed: Actions) => {
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

const decodeUnits = Schema.decodeUnknownOption(TokenAmount)

/** A failed transaction only costs the fee: returns the parties of its intended transfers, or else the payer. */
const intendedParties = (payer: string, accounts: ReadonlyArray<string>, meta: SolanaMeta, parsed: Actions) => {
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
  ...new Map(all.map((party) => [`${party.address} ${party.token ?? ""}`, party])).values()
]
