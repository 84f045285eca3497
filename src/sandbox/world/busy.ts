import type { Family } from "../../catalogue/NetworkFacts.ts"
import * as Landmarks from "./Landmarks.ts"
import type { Contract } from "./World.ts"

/** Payments of a busy address: more than the longest page or window of a family's sources. */
const counts: Readonly<Partial<Record<Family, number>>> = { evm: 12_000 }

const usual = 1_000

/** Payments of the busy address that share a second, and so a block. */
export const paymentsPerBlock = 3

export const isBusy = (facts: Landmarks.LandmarkFacts, address: string): boolean => address === Landmarks.busy(facts)

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
  token: Contract | undefined
): ReadonlyArray<Payment> =>
  Array.from({ length: isBusy(facts, address) ? (counts[facts.family ?? "evm"] ?? usual) : 0 }, (_, index) => {
    const times = BigInt(1 + (Math.floor(index / 10) % 7))
    const payment = { direction: index % 2 === 0 ? "in" : "out", amount: least * times, failed: false } as const
    return token === undefined || index % 5 !== 0 ? payment : { ...payment, contract: token, amount: times }
  })
