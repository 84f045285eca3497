import type { Family } from "../../catalogue/NetworkFacts.ts"
import * as Landmarks from "./Landmarks.ts"
import type { Contract } from "./World.ts"

/** Payments of a busy address: more than the longest page or window of a family's sources. */
const counts: Readonly<Partial<Record<Family, number>>> = { evm: 12_000, solana: 1_500 }

const usual = 1_000

/** Payments of the busy address that share a second, and so a block. */
export const paymentsPerBlock = 3

/** Payments in one of the blocks: more than the smallest pages that a family's adapter requests. */
const crowds: Readonly<Partial<Record<Family, number>>> = { evm: 250 }

/** Number of newer payments, at least, than those in that block. */
const newerThanCrowd = 100

export const isBusy = (facts: Landmarks.LandmarkFacts, address: string): boolean => address === Landmarks.busy(facts)

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
}

/**
 * Payments of a busy address, oldest first; empty for other addresses. One in five moves the token. The amounts that
 * come in go out again. `least` is the smallest amount of the native coin that the network accepts.
 */
export const busyPayments = (
  facts: Landmarks.LandmarkFacts,
  address: string,
  least: bigint,
  tokenOf: () => Contract | undefined
): ReadonlyArray<Payment> => {
  if (!isBusy(facts, address)) return []
  const token = tokenOf()
  return Array.from({ length: counts[facts.family ?? "evm"] ?? usual }, (_, index) => {
    const times = BigInt(1 + (Math.floor(index / 10) % 7))
    const payment = { direction: index % 2 === 0 ? "in" : "out", amount: least * times, failed: false } as const
    return token === undefined || index % 5 !== 0 ? payment : { ...payment, contract: token, amount: times }
  })
}
