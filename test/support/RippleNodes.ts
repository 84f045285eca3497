import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as calls from "../../src/chains/ripple/providers/rippled/calls.ts"
import { answeredRpc, rpcAnswerOf } from "../../src/sandbox/world/answers.ts"

// Simulated nodes of the XRP Ledger with responses from memory.

export interface Line {
  readonly account: string
  readonly currency: string
  readonly balance: string
}

export interface Account {
  readonly drops: string
  readonly lines?: ReadonlyArray<Line>
}

export interface Call {
  readonly method: string
  readonly params: readonly [
    {
      readonly account: string
      readonly peer?: string
      readonly limit?: number
      readonly marker?: string
      readonly ledger_index: string | number
    }
  ]
}

/** The validated ledger in these tests. */
export const ledger = { ledger_index: 98_430_992, validated: true as const }

export const failed = (error: string) => ({ result: { error, error_code: 19, status: "error", ...ledger } })

const answersOf = (accounts: Readonly<Record<string, Account>>, pageSize: number) => [
  answeredRpc(calls.accountInfo, ({ params: { account = "" } }) => {
    const found = accounts[account]
    return found && { account_data: { Account: account, Balance: found.drops }, ...ledger, status: "success" }
  }),
  answeredRpc(calls.accountLines, ({ params: { account = "", limit = pageSize, marker, peer } }) => {
    const found = accounts[account]
    const lines = (found?.lines ?? []).filter((line) => peer === undefined || line.account === peer)
    const start = Number(marker ?? 0)
    const end = start + Math.min(pageSize, limit)
    const more = end < lines.length ? { marker: String(end) } : {}
    return found && { account, lines: lines.slice(start, end), ...more, ...ledger, status: "success" }
  })
]

/** A node's response to a call, with up to `pageSize` lines per page. */
export const answer = (accounts: Readonly<Record<string, Account>>, pageSize = 400) => {
  const answers = answersOf(accounts, pageSize)
  return ({ method, params: [params] }: Call): { readonly result: object } => {
    const result = rpcAnswerOf(answers, method, params, 0)
    return Predicate.isRecord(result) ? { result } : failed("actNotFound")
  }
}

export const speaking = (accounts: Readonly<Record<string, Account>>) => (call: Call) =>
  Effect.sync(() => Response.json(answer(accounts)(call)))
