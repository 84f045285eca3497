import * as Effect from "effect/Effect"
import type { Chain } from "../../../src/chains/Chain.ts"
import * as CoinType from "../../../src/chains/sui/CoinType.ts"
import { seconds } from "../../../src/domain/units.ts"
import { withTexts } from "../../support/gaps.ts"
import { settled } from "../../support/settled.ts"
import { answering, long, type Query } from "./hosts.ts"

// Simulated Sui GraphQL hosts that have transactions.

export const historyOf = (pick: Pick<Chain["Type"], "history">, address: string, limit = 50, since?: number) =>
  settled(
    Effect.map(
      pick.history?.({ address, limit, ...(since === undefined ? {} : { since: seconds(since) }) }) ??
        Effect.die("no history"),
      withTexts
    )
  )

export const [alice, bob, carol] = [long("a11ce"), long("b0b"), long("ca401")]
export const usdc = `${long("dba")}::usdc::USDC`

export type Change = readonly [owner: string, amount: bigint | string, coinType?: unknown]

export const change = ([address, amount, coinType = { repr: CoinType.sui }]: Change) => ({
  owner: { address },
  coinType,
  amount: String(amount)
})

export const changesOf = (changes: ReadonlyArray<Change>, endCursor: string | null = null) => ({
  nodes: changes.map(change),
  pageInfo: { hasNextPage: endCursor !== null, endCursor }
})

export interface Row {
  readonly digest?: string
  readonly sender?: string | null
  readonly sponsor?: string | null
  readonly kind?: string
  readonly status?: string | null
  readonly timestamp?: string
  readonly checkpoint?: number
  readonly gas?: readonly [computation: number | string, storage: number | string, rebate: number | string] | null
  readonly changes?: ReadonlyArray<Change>
  readonly cursor?: string
}

export const row = (of: Row) => ({
  digest: of.digest ?? "x",
  sender: of.sender === null ? null : { address: of.sender ?? alice },
  gasInput: { gasSponsor: of.sponsor === null ? null : { address: of.sponsor ?? of.sender ?? alice } },
  kind: { __typename: of.kind ?? "ProgrammableTransaction" },
  effects: {
    status: of.status === undefined ? "SUCCESS" : of.status,
    timestamp: of.timestamp ?? "2026-01-02T03:04:05.678Z",
    checkpoint: { sequenceNumber: of.checkpoint ?? 7 },
    gasEffects: {
      gasSummary:
        of.gas === null
          ? null
          : {
              computationCost: of.gas?.[0] ?? 30,
              storageCost: of.gas?.[1] ?? 20,
              storageRebate: of.gas?.[2] ?? 10,
              nonRefundableStorageFee: 1
            }
    },
    balanceChanges: changesOf(of.changes ?? [], of.cursor ?? null)
  }
})

export const range = (sequenceNumber: number | null) => ({
  availableRange: {
    first: sequenceNumber && { sequenceNumber, timestamp: "2026-08-01T00:00:00Z" },
    ...(sequenceNumber === 0 ? { first: { sequenceNumber, timestamp: null } } : {})
  }
})

/** Host with these transactions, oldest first. */
export const hosting = (rows: ReadonlyArray<unknown>, requests: Array<Query> = [], first: number | null = 0) =>
  answering(({ variables }) => {
    const { before, last } = variables as { readonly before: string | null; readonly last: number }
    const end = before === null ? rows.length : Number(before)
    const start = Math.max(end - last, 0)
    return {
      data: {
        chainIdentifier: "35834a8a",
        serviceConfig: range(first),
        transactions: {
          nodes: rows.slice(start, end),
          pageInfo: { hasPreviousPage: start > 0, startCursor: rows.length === 0 ? null : String(start) }
        }
      }
    }
  }, requests)
