import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { EvmFacts } from "../../src/catalogue/evm/EvmFacts.ts"
import { seconds } from "../../src/domain/units.ts"
import * as EvmHistory from "./EvmHistory.ts"
import { byHost, json, type Reply, type SentRequest } from "./http.ts"
import { settled } from "./settled.ts"

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

export const address = "0x00000000000000000000000000000000000000aa"

const settings = {
  ETHERSCAN_URL: "http://etherscan.test",
  ROUTESCAN_URL: "http://routescan.test",
  UPSTREAM_TIMEOUT_MS: "1000"
}

const urlsOf = ({ id }: EvmFacts) => {
  const name = id.toUpperCase()
  return { [`${name}_BLOCKSCOUT_URL`]: "http://blockscout.test", [`${name}_RPC_URLS`]: "http://node.test" }
}

type Hosts = Readonly<Record<string, (request: SentRequest) => Reply>>

/** A read of the first transaction over these hosts, and their requests. */
export const prepared = Effect.fnUntraced(function* (
  info: EvmFacts,
  hosts: Hosts,
  more: Readonly<Record<string, string>> = {},
  of = address
) {
  const made = yield* EvmHistory.network(info, { ...settings, ...urlsOf(info), ...more }, byHost(hosts))
  const first = yield* Effect.orDie(Effect.fromNullable(made.firstTransaction))
  const read = settled(Effect.either(first(of)), "200 millis")
  return { read, requests: made.requests, abilities: made.abilities }
})

export const found = (info: EvmFacts, hosts: Hosts, more?: Readonly<Record<string, string>>, of?: string) =>
  Effect.flatMap(prepared(info, hosts, more, of), ({ read }) => read)

export const exactly = (time: number) => Either.right(Option.some({ at: seconds(time) }))
export const at = (block: number) => exactly(begin + block)
export const none = Either.right(Option.none())
