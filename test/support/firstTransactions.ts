import * as Effect from "effect/Effect"
import { json, type Reply, type SentRequest } from "./http.ts"

export interface Row {
  readonly blockNumber: string
  readonly [member: string]: string
}

export const begin = 1_600_000_000

/** A row in a block; the time of block n is `begin` + n seconds. */
export const row = (block: number, more: Readonly<Record<string, string>> = {}): Row => ({
  hash: `0x${block.toString(16).padStart(64, "0")}`,
  blockNumber: String(block),
  timeStamp: String(begin + block),
  from: "0x00000000000000000000000000000000000000aa",
  to: "0x00000000000000000000000000000000000000bb",
  contractAddress: "",
  value: "5",
  nonce: "0",
  isError: "0",
  ...more
})

export interface Lists {
  readonly txlist?: Reply | ReadonlyArray<Row>
  readonly txlistinternal?: Reply | ReadonlyArray<Row>
  readonly tokentx?: Reply | ReadonlyArray<Row>
  readonly tokennfttx?: Reply | ReadonlyArray<Row>
  readonly token1155tx?: Reply | ReadonlyArray<Row>
  /** First block whose internal transfers are not indexed yet. */
  readonly unprocessed?: number
}

const isReply = (list: Reply | ReadonlyArray<Row>): list is Reply => Effect.isEffect(list)

/** Simulated explorer that sorts, pages and limits its lists as requested. */
export const explorer =
  (lists: Lists) =>
  ({ url }: SentRequest): Reply => {
    const query = url.searchParams
    const action = query.get("action") as Exclude<keyof Lists, "unprocessed">
    const list = lists[action] ?? []
    if (isReply(list)) return list
    const number = (name: string, otherwise: number) => Number(query.get(name) ?? otherwise)
    const end = number("endblock", 1e12)
    const inRange = list.filter(({ blockNumber }) => Number(blockNumber) <= end)
    const rows = inRange.sort((one, other) => Number(one.blockNumber) - Number(other.blockNumber))
    const ordered = query.get("sort") === "asc" ? rows : rows.reverse()
    const [size, page] = [number("offset", 10_000), number("page", 1)]
    const result = ordered.slice((page - 1) * size, page * size)
    if (action === "txlistinternal" && (lists.unprocessed ?? 1e13) <= end)
      return json({ status: "2", message: "Some internal transactions have not yet been processed", result })
    return json(
      result.length === 0
        ? { status: "0", message: "No transactions found", result }
        : { status: "1", message: "OK", result }
    )
  }

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<string>
}

/** A node that returns an address's nonce and balance, also at block 0; `forgotten` means that this state is pruned. */
export const node =
  (numbers: { readonly sent?: number; readonly balance?: number; readonly atFirst?: number | "forgotten" }) =>
  ({ body }: SentRequest): Reply => {
    const { id, method, params } = JSON.parse(body) as Call
    const { atFirst = 0, balance = 0, sent = 0 } = numbers
    const quantity = method === "eth_getTransactionCount" ? sent : params[1] === "0x0" ? atFirst : balance
    const error = { code: -32000, message: "missing trie node 3a (path ) state 0xd7 is not available" }
    return json({
      jsonrpc: "2.0",
      id,
      ...(quantity === "forgotten" ? { error } : { result: `0x${quantity.toString(16)}` })
    })
  }
