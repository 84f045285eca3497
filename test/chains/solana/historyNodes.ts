import * as Effect from "effect/Effect"
import { seconds } from "../../../src/domain/units.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { withTexts } from "../../support/gaps.ts"
import { settled } from "../../support/settled.ts"
import { type network, programs, valued } from "./nodes.ts"

export type Network = Effect.Effect.Success<ReturnType<typeof network>>

export const historyOf = (solana: Network, address: string, limit = 50, since?: number) =>
  settled(
    Effect.map(
      solana.history?.({ address, limit, ...(since === undefined ? {} : { since: seconds(since) }) }) ??
        Effect.die("no history"),
      withTexts
    )
  )

/** Node that has only these transactions, and these lists of signatures by account. */
export const nodeWith = (
  transactions: Readonly<Record<string, unknown>>,
  lists: Readonly<Record<string, ReadonlyArray<unknown>>>,
  accounts: ReadonlyArray<unknown> = [],
  firstBlock: number | EvmNodes.Reply = 0,
  clock: unknown = null
) =>
  EvmNodes.rpcNode(({ method, params }) => {
    if (method === "getMultipleAccounts") return valued([clock])
    if (method === "getFirstAvailableBlock")
      return typeof firstBlock === "number" ? EvmNodes.result(firstBlock) : firstBlock
    const [account, second] = params
    const first = String(account)
    if (method === "getSignaturesForAddress") {
      const { before, limit, until } = second as {
        readonly before?: string
        readonly limit: number
        readonly until?: string
      }
      const rowsOf = (of: string) => (lists[of] ?? []) as ReadonlyArray<ReturnType<typeof listed>>
      const slotOf = (own: string | undefined) =>
        Object.keys(lists)
          .flatMap(rowsOf)
          .find(({ signature }) => signature === own)?.slot
      const [top = Number.POSITIVE_INFINITY, bottom = 0] = [slotOf(before), slotOf(until)]
      return EvmNodes.result(
        rowsOf(first)
          .filter(({ slot }) => slot < top && slot > bottom)
          .slice(0, limit)
      )
    }
    if (method === "getBlockTime") return EvmNodes.result(1_700_000_000 - 10_000 + Number(params[0]))
    if (method === "getTokenAccountsByOwner")
      return valued((second as { readonly programId: string }).programId === programs.token ? accounts : [])
    return EvmNodes.result(transactions[first] ?? null)
  })

export const listed = (signature: string, slot = 1, blockTime: number | null = 1_700_000_000, err: unknown = null) => ({
  signature,
  slot,
  blockTime,
  err
})

/** Transfer of coins between two addresses. */
export const transfer = (from: string, to: string, amount: number, more: object = {}) => ({
  slot: 1,
  blockTime: 1_700_000_000,
  meta: { err: null, fee: 5, preBalances: [amount + 5, 0, 1], postBalances: [0, amount, 1] },
  transaction: { message: { accountKeys: [from, to, "11111111111111111111111111111111"], instructions: [] } },
  ...more
})
