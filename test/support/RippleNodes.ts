import * as Effect from "effect/Effect"

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
export const ledger = { ledger_index: 98_430_992, validated: true }

export const failed = (error: string) => ({ result: { error, error_code: 19, status: "error", ...ledger } })

/** A node's response to a call, with up to `pageSize` lines per page. */
export const answer = (accounts: Readonly<Record<string, Account>>, pageSize = 400) => {
  return ({ method, params: [params] }: Call): { readonly result: object } => {
    const account = accounts[params.account]
    if (account === undefined) return failed("actNotFound")
    if (method === "account_info")
      return {
        result: { account_data: { Account: params.account, Balance: account.drops }, ...ledger, status: "success" }
      }
    const lines = (account.lines ?? []).filter((line) => params.peer === undefined || line.account === params.peer)
    const start = Number(params.marker ?? 0)
    const end = start + Math.min(pageSize, params.limit ?? pageSize)
    const more = end < lines.length ? { marker: String(end) } : {}
    return {
      result: { account: params.account, lines: lines.slice(start, end), ...more, ...ledger, status: "success" }
    }
  }
}

export const speaking = (accounts: Readonly<Record<string, Account>>) => (call: Call) =>
  Effect.sync(() => Response.json(answer(accounts)(call)))
