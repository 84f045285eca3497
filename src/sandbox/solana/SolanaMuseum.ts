import { base58 } from "@scure/base"
import type { AccountKey } from "../../chains/solana/providers/agave/transactionCalls.ts"
import { deposit, wrappedCoins } from "../world/exhibits/solana.ts"
import type { Move } from "../world/ledger.ts"
import type * as World from "../world/World.ts"
import * as SolanaTransaction from "./SolanaTransaction.ts"

/** An account in a transaction: lamports before and after, and its tokens, which are absent if it did not exist. */
export interface SolanaAccount {
  readonly pubkey: string
  readonly coins: readonly [before: bigint | number, after: bigint | number]
  readonly tokens?: { readonly owner: string; readonly before?: bigint; readonly after?: bigint }
}

/** Address of a token account. */
export type TokenAccountOf = (owner: string, contract: World.Contract, index: number) => string

type UsualRow = ReturnType<typeof SolanaTransaction.row>

/** A transaction as a node returns it, with the members that its other answers repeat. */
export interface Written {
  readonly blockTime: number
  readonly slot: number
  readonly version?: "legacy" | number
  readonly transaction: SolanaTransaction.Shown["transaction"]
  readonly meta: SolanaTransaction.Shown["meta"] & Pick<UsualRow["meta"], "err" | "status">
}

/** Index of the holder's token account that a few transactions open, use and close. */
export const closedAccount = 2

const isOfClosedAccount = ({ exhibit = "" }: Move) =>
  ["opened account", "to the account", "from the account", "closed account", "wrap", "unwrap"].includes(exhibit)

/** Whether the history of a token account contains a move of its token. */
export const touches = (move: Move, index: number): boolean =>
  index === closedAccount ? isOfClosedAccount(move) : index === 0 && !isOfClosedAccount(move)

/** A deposit for a token account is no part of the fee of its transaction. */
const hasDeposit = ({ exhibit }: Move) => exhibit === "opened account" || exhibit === "account of the recipient"

export const feeOf = (move: Move): bigint => {
  if (move.exhibit === "called transfer") return 5_000n
  if (move.exhibit === "wrap") return move.fee - deposit - wrappedCoins
  return hasDeposit(move) ? move.fee - deposit : move.fee
}

/** Signatures of a transaction after the first. */
export const furtherSignatures = ({ exhibit }: Move): ReadonlyArray<Uint8Array> =>
  exhibit === "called transfer" ? [new Uint8Array(64).fill(7)] : []

/** The amount in the instruction: a transfer to itself does not change the balance. */
export const amountOf = ({ amount, exhibit }: Move): bigint => (exhibit === "transfer to itself" ? 12_345n : amount)

const rent = Number(deposit)
const usual = 7_000_000_000

/** More than a JavaScript number can represent. */
const large = 19_921_027_478_002_237n

/** Pays fees and deposits of the museum. */
const payer = base58.encode(new Uint8Array(32).fill(7))

/** The token account of the recipient of the called transfer. */
const openedForOther = base58.encode(new Uint8Array(32).fill(9))

const usdc = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"

const exchange: SolanaAccount = { pubkey: "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4", coins: [1, 1] }

/**
 * Accounts of an exhibit; `usualAccounts` are those of other transactions with its move, and the program is the last.
 * Accounts from a look-up table follow it.
 */
export const exhibitedAccounts = (
  move: Move,
  sender: string,
  receiver: string,
  usualAccounts: ReadonlyArray<SolanaAccount>,
  tokenAccount: TokenAccountOf
): ReadonlyArray<SolanaAccount> => {
  const { amount, contract, exhibit } = move
  const program = usualAccounts.slice(-1)
  const [first, source, destination] = usualAccounts
  const fee = Number(feeOf(move))
  if (first === undefined || source === undefined || destination === undefined) return usualAccounts
  switch (exhibit) {
    case "transfer to itself":
      return [{ pubkey: sender, coins: [usual + fee, usual] }, ...program]
    case "whole balance":
      return [{ ...first, coins: [Number(amount) + fee, 0] }, source, ...program]
    case "large balance":
      return [{ ...first, coins: [large, large - amount - BigInt(fee)] }, source, ...program]
    case "called transfer":
      return [
        { pubkey: payer, coins: [usual + rent + fee, usual] },
        { pubkey: sender, coins: [usual + Number(amount), usual] },
        source,
        { pubkey: openedForOther, coins: [0, rent] },
        exchange,
        ...program
      ]
    case "look-up table":
      return [
        first,
        source,
        exchange,
        { ...destination, tokens: { owner: receiver, before: 0n, after: 0n } },
        ...program
      ]
  }
  if (contract === undefined) return usualAccounts
  const paying: SolanaAccount = { ...first, coins: [usual + fee + rent, usual] }
  const closed = (owner: string, coins: SolanaAccount["coins"], before?: bigint, after?: bigint): SolanaAccount => ({
    pubkey: tokenAccount(owner, contract, closedAccount),
    coins,
    tokens: { owner, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
  })
  switch (exhibit) {
    case "account of the recipient":
      return [
        paying,
        source,
        { ...destination, coins: [0, rent], tokens: { owner: receiver, after: amount } },
        ...program
      ]
    case "opened account":
      return [paying, closed(sender, [0, rent], undefined, 0n), ...program]
    case "to the account":
      return [first, source, closed(receiver, [rent, rent], 0n, amount), ...program]
    case "from the account":
      return [first, closed(sender, [rent, rent], amount, 0n), destination, ...program]
    case "closed account":
      return [{ ...first, coins: [usual + fee, usual + rent] }, closed(sender, [rent, 0], 0n), ...program]
    case "wrap":
      return [
        { ...first, coins: [usual + fee + full, usual] },
        closed(sender, [0, full], undefined, wrappedCoins),
        ...program
      ]
    case "unwrap":
      return [{ ...first, coins: [usual + fee, usual + full] }, closed(sender, [full, 0], wrappedCoins), ...program]
    default:
      return usualAccounts
  }
}

/** Coins of an account with wrapped coins. */
const full = rent + Number(wrappedCoins)

/** An instruction that the node could parse, or one with bytes. */
interface Parsed {
  readonly program: string
  readonly programId: string
  readonly parsed: { readonly type: string; readonly info: object }
  readonly stackHeight: number
}

const tokens = { program: "spl-token", programId: SolanaTransaction.tokenProgram }
const system = { program: "system", programId: SolanaTransaction.systemProgram }
const associated = {
  program: "spl-associated-token-account",
  programId: "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
}

/** Creation of an associated token account, and the instructions that it calls. */
const creation = (account: string, mint: string, owner: string, source: string) => ({
  outer: {
    ...associated,
    parsed: {
      type: "create",
      info: {
        account,
        mint,
        source,
        systemProgram: SolanaTransaction.systemProgram,
        tokenProgram: SolanaTransaction.tokenProgram,
        wallet: owner
      }
    },
    stackHeight: 1
  },
  inner: [
    { ...tokens, parsed: { type: "getAccountDataSize", info: { extensionTypes: ["immutableOwner"], mint } } },
    {
      ...system,
      parsed: {
        type: "createAccount",
        info: { lamports: rent, newAccount: account, owner: SolanaTransaction.tokenProgram, source, space: 165 }
      }
    },
    { ...tokens, parsed: { type: "initializeImmutableOwner", info: { account } } },
    { ...tokens, parsed: { type: "initializeAccount3", info: { account, mint, owner } } }
  ].map((instruction): Parsed => ({ ...instruction, stackHeight: 2 }))
})

const closing = (account: string, owner: string): Parsed => ({
  ...tokens,
  parsed: { type: "closeAccount", info: { account, destination: owner, owner } },
  stackHeight: 1
})

const memo = "Blockchain monitor reward"

/** Memo in the list of signatures, which starts with its length. */
export const memoOf = ({ exhibit }: Move): string | null => (exhibit === "memo" ? `[${memo.length}] ${memo}` : null)

const usualFailure = { InstructionError: [0, { Custom: 1 }] }

/** The error of a failed transaction. */
export const failureOf = ({ exhibit }: Move): object =>
  exhibit === "error without an instruction"
    ? { InsufficientFundsForRent: { account_index: 1 } }
    : exhibit === "look-up table"
      ? { InstructionError: [2, { Custom: 6001 }] }
      : usualFailure

/** Those that the node cannot parse have bytes. */
type Instructions = ReadonlyArray<{ readonly parsed?: unknown; readonly stackHeight: number }>

/** Adds the instructions that an exhibit calls; those of programs that the node cannot parse have bytes. */
const withInstructions = (row: UsualRow, more: Instructions, inner: Instructions, isOnly: boolean) => {
  const { message } = row.transaction
  return {
    ...row,
    meta: { ...row.meta, innerInstructions: inner.length === 0 ? [] : [{ index: 0, instructions: inner }] },
    transaction: {
      ...row.transaction,
      message: { ...message, instructions: [...more, ...(isOnly ? [] : message.instructions)] }
    }
  }
}

/** An error in a program that the node cannot parse; two of its accounts are from a look-up table. */
const throughTable = (row: UsualRow, keys: ReadonlyArray<string>, encoding: string) => {
  const [payer, source, program, destination = "", tokenProgram = ""] = keys
  const parsed = { type: "transfer", info: { amount: "1", authority: payer, destination, source } }
  const bytes = {
    programId: program,
    accounts: [source, destination],
    data: "PgQWtn8ozixA6EmPobjQWbAuEjTkWPn1D",
    stackHeight: 1
  }
  const called = withInstructions(row, [bytes], [{ ...tokens, parsed, stackHeight: 2 }], true)
  const accounts = called.transaction.message.accountKeys as ReadonlyArray<AccountKey>
  const [own, table] = [accounts.slice(0, 3), accounts.slice(3)]
  const accountKeys =
    encoding === "jsonParsed"
      ? [...own, ...table.map((key) => ({ ...key, signer: false, source: "lookupTable" }))]
      : own
  return {
    ...called,
    meta: { ...called.meta, loadedAddresses: { readonly: [tokenProgram], writable: [destination] } },
    transaction: { ...called.transaction, message: { ...called.transaction.message, accountKeys } }
  }
}

/** A row whose message names its accounts as texts, also to a request for parsed ones. */
const written = (row: UsualRow, keys: ReadonlyArray<string>): UsualRow => ({
  ...row,
  transaction: { ...row.transaction, message: { ...row.transaction.message, accountKeys: keys } }
})

/** Moves the accounts of a transaction after the first `own` to a look-up table; the last is only read. */
const withTable = (row: UsualRow, keys: ReadonlyArray<string>, own: number, namesThem: boolean) => {
  const { message } = row.transaction
  const accounts = message.accountKeys as ReadonlyArray<AccountKey>
  const [static_, loaded] = [accounts.slice(0, own), accounts.slice(own)]
  const accountKeys = namesThem
    ? [...static_, ...loaded.map((key) => ({ ...key, signer: false, source: "lookupTable" }))]
    : static_
  return {
    ...row,
    version: 0,
    meta: { ...row.meta, loadedAddresses: { readonly: keys.slice(-1), writable: keys.slice(own, -1) } },
    transaction: { ...row.transaction, message: { ...message, accountKeys } }
  }
}

/** A program that the node cannot parse transfers coins, and opens a token account at the expense of the payer. */
const calledTransfer = (row: UsualRow, move: Move, keys: ReadonlyArray<string>) => {
  const [, from = "", to = "", opened = "", program] = keys
  const bytes = {
    programId: program,
    accounts: keys.slice(0, 4),
    data: "PgQWtn8ozixA6EmPobjQWbAuEjTkWPn1D",
    stackHeight: 1
  }
  const moved = {
    ...system,
    parsed: { type: "transfer", info: { source: from, destination: to, lamports: Number(move.amount) } }
  }
  const { inner } = creation(opened, usdc, to, payer)
  const called = withInstructions(row, [bytes], [{ ...moved, stackHeight: 2 }, ...inner], true)
  const uiTokenAmount = { amount: "0", decimals: 6, uiAmount: null, uiAmountString: "0" }
  const balance = { accountIndex: 3, mint: usdc, owner: to, programId: SolanaTransaction.tokenProgram, uiTokenAmount }
  return { ...called, meta: { ...called.meta, postTokenBalances: [balance] } }
}

/** An exhibit in the form of a node; `usualRow` is the form of other transactions. */
export const exhibited = (
  move: Move,
  usualRow: UsualRow,
  keys: ReadonlyArray<string>,
  encoding: string,
  receiver: string
): Written => {
  const { contract, exhibit } = move
  const [first = "", second = "", third = ""] = keys
  const mint = contract?.address ?? ""
  switch (exhibit) {
    case "early form": {
      const { blockTime, meta, slot, transaction } = usualRow
      const { err, fee, postBalances, preBalances, status } = meta
      const shown = { err, fee, innerInstructions: null, logMessages: null, postBalances, preBalances, status }
      return { blockTime, meta: shown, slot, transaction }
    }
    case "look-up table":
      return throughTable({ ...usualRow, version: 0 }, keys, encoding)
    case "legacy":
      return { ...usualRow, version: "legacy" }
    case "loaded addresses":
      return withTable(usualRow, keys, 1, encoding === "jsonParsed")
    case "loaded addresses apart":
      return withTable(written(usualRow, keys), keys, 1, false)
    case "called transfer":
      return calledTransfer(usualRow, move, keys)
    case "memo": {
      const programId = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
      const shown = { program: "spl-memo", programId, parsed: memo, stackHeight: 1 }
      return withInstructions(usualRow, [shown], [], false)
    }
    case "account of the recipient": {
      const { inner, outer } = creation(third, mint, receiver, first)
      return withInstructions(usualRow, [outer], inner, false)
    }
    case "opened account": {
      const { inner, outer } = creation(second, mint, first, first)
      return withInstructions(usualRow, [outer], inner, true)
    }
    case "closed account":
      return withInstructions(usualRow, [closing(second, first)], [], true)
    case "wrap": {
      const { inner, outer } = creation(second, mint, first, first)
      const info = { source: first, destination: second, lamports: Number(wrappedCoins) }
      const filled = { ...system, parsed: { type: "transfer", info }, stackHeight: 1 }
      const counted = { ...tokens, parsed: { type: "syncNative", info: { account: second } }, stackHeight: 1 }
      return withInstructions(usualRow, [outer, filled, counted], inner, true)
    }
    case "unwrap":
      return withInstructions(usualRow, [closing(second, first)], [], true)
    default:
      return usualRow
  }
}
