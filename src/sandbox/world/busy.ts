import type { Family } from "../../catalogue/NetworkFacts.ts"
import * as Landmarks from "./Landmarks.ts"
import type { Contract } from "./World.ts"

/** Payments of a busy address: more than the longest page or window of a family's sources. */
const counts: Readonly<Partial<Record<Family, number>>> = { evm: 12_000, polkadot: 700, solana: 1_500 }

const usual = 1_000

/** Payments of the busy address that share a second, and so a block. */
export const paymentsPerBlock = 3

/** Payments in one of the blocks: more of each kind than the smallest pages that a family's adapter requests. */
const crowds: Readonly<Partial<Record<Family, number>>> = { evm: 360 }

/** Number of newer payments, at least, than those in that block. */
const newerThanCrowd = 100

/** Coins in a call of a contract, tokens, or else coins. */
type PaymentKind = "calls" | "tokens" | "coins"

/** The payments after this number of newer ones, up to another: in turn ten of each of these kinds. */
interface PaymentRun {
  readonly newer: number
  readonly end: number
  readonly kinds: ReadonlyArray<PaymentKind>
}

/**
 * More payments of some kinds than a page of the list of that kind has. Adapters on EVM networks request 100 rows more
 * than transactions, so their rows there are in parts.
 */
const runs: Readonly<Partial<Record<Family, PaymentRun>>> = {
  evm: { newer: 220, end: 460, kinds: ["tokens", "calls"] },
  tron: { newer: 20, end: 320, kinds: ["tokens"] }
}

/** Equal transfers in a transaction that brings tokens or coins of a call: more rows than an adapter expects. */
const partsOf = (family: Family, kind: PaymentKind, isInRun: boolean): number => {
  if (family === "evm") return isInRun ? { calls: 5, coins: 1, tokens: 8 }[kind] : 1
  return family === "ton" && kind === "tokens" ? 30 : 1
}

/** The kind of a payment, and whether it is in the run. */
const kindOf = (family: Family, index: number, count: number): readonly [PaymentKind, boolean] => {
  const { end, kinds, newer } = runs[family] ?? { end: 0, newer: 0, kinds: [] }
  const isInRun = newer < count - index && count - index <= end
  const kind = isInRun ? kinds[Math.floor(index / 10) % kinds.length] : index % 5 === 0 ? "tokens" : undefined
  return [kind ?? "coins", isInRun]
}

export const isBusy = (facts: Landmarks.LandmarkFacts, address: string): boolean =>
  address === Landmarks.busy(facts) || address === Landmarks.busyAccount

/**
 * Spreads the rows of a busy address evenly among `count` others, so that a list that has one page for other addresses
 * has several for this one, and its last row is one of `rows`.
 */
export const spread = <A, B = A>(
  facts: Landmarks.LandmarkFacts,
  address: string,
  rows: ReadonlyArray<A>,
  count: number,
  other: (index: number) => B
): ReadonlyArray<A | B> => {
  if (!isBusy(facts, address)) return rows
  const size = Math.ceil(count / rows.length)
  return rows.flatMap((row, part) => [...Array.from({ length: size }, (_, index) => other(part * size + index)), row])
}

/** Index of the block of each transaction of an address: each has its own, unless the address is busy. */
export const blocksOf = (facts: Landmarks.LandmarkFacts, address: string, length: number): ReadonlyArray<number> => {
  if (!isBusy(facts, address)) return Array.from({ length }, (_, index) => index)
  const crowd = crowds[facts.family ?? "evm"] ?? paymentsPerBlock
  const before = Math.floor((length - crowd - newerThanCrowd) / paymentsPerBlock)
  return Array.from({ length }, (_, index) => {
    const beyond = Math.floor((index - before * paymentsPerBlock - crowd) / paymentsPerBlock)
    return beyond < 0 ? Math.min(Math.floor(index / paymentsPerBlock), before) : before + 1 + beyond
  })
}

/** A payment of a busy address. */
interface Payment {
  readonly direction: "in" | "out"
  readonly amount: bigint
  readonly failed: boolean
  readonly contract?: Contract
  readonly kind?: "call" | "empty"
  readonly exhibit?: string
  readonly parts?: number
}

/** Rows that do not count as use of an address: more than a page of the list of its first transactions. */
const uncounted = 24

/**
 * Payments before the first coins of a busy address on EVM networks: transfers of no tokens and failed calls, then the
 * first tokens and the first coins of a contract, either first. Each of these two is in another block.
 */
export const firstPayments = (
  facts: Landmarks.LandmarkFacts,
  address: string,
  tokenOf: () => Contract | undefined,
  isTokenFirst: () => boolean
): ReadonlyArray<Payment> => {
  const token = isBusy(facts, address) && (facts.family ?? "evm") === "evm" ? tokenOf() : undefined
  if (token === undefined) return []
  const payment = { direction: "in", amount: 0n, failed: false } as const
  const empty = { ...payment, contract: token, kind: "empty" } as const
  const failed = { ...payment, kind: "empty", exhibit: "failed internal call" } as const
  const counted = [
    { ...payment, contract: token, amount: firstTokens },
    { ...payment, amount: 1n, kind: "call" }
  ] as const
  const rows = (row: Payment) => Array.from({ length: uncounted }, () => row)
  const block = (row: Payment) => [row, ...Array.from({ length: paymentsPerBlock - 1 }, () => empty)]
  return [...rows(empty), ...rows(failed), ...(isTokenFirst() ? counted : counted.toReversed()).flatMap(block)]
}

/** Base units of the first tokens. */
const firstTokens = 1n

/**
 * Payments of a busy address, oldest first; empty for other addresses. One in five moves the token, or all in a run. The
 * amounts of tokens that come in go out again. `least` is the smallest amount of the native coin that the network
 * accepts.
 */
export const busyPayments = (
  facts: Landmarks.LandmarkFacts,
  address: string,
  least: bigint,
  tokenOf: () => Contract | undefined
): ReadonlyArray<Payment> => {
  if (!isBusy(facts, address)) return []
  const family = facts.family ?? "evm"
  const [token, count] = [tokenOf(), counts[family] ?? usual]
  return Array.from({ length: count }, (_, index) => {
    const [kind, isInRun] = kindOf(family, index, count)
    const direction = index % 2 === 0 || kind === "calls" ? "in" : "out"
    const parts = direction === "in" ? partsOf(family, kind, isInRun) : 1
    const times = BigInt(1 + (Math.floor(index / 10) % 7))
    const payment = { direction, amount: least * times, failed: false } as const
    if (kind === "calls") return { ...payment, amount: payment.amount * BigInt(parts), kind: "call", parts }
    if (token === undefined || kind === "coins") return payment
    // The first tokens came earlier.
    const came = index === 0 && family === "evm" ? firstTokens : 0n
    return { ...payment, contract: token, amount: times * divisible - came, parts }
  })
}

/** A multiple of all numbers of parts of tokens. */
const divisible = 240n
