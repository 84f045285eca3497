import { hash } from "node:crypto"
import * as Either from "effect/Either"
import type { Hex } from "viem"
import { numberToHex } from "viem/utils"
import type * as JsonRpc from "../world/JsonRpc.ts"
import { remembered } from "../world/memoized.ts"
import { refused } from "../world/wire.ts"
import * as EvmChain from "./EvmChain.ts"
import type { EvmLedger } from "./EvmLedger.ts"
import * as EvmLogs from "./EvmLogs.ts"

/** Time after which go-ethereum drops an unread filter, ms. */
const timeout = 5 * 60_000

interface Filter {
  readonly kind: "logs" | "blocks" | "pending"
  readonly criteria: object
  /** First block that was not reported yet. */
  readonly since: bigint
  /** Reported transactions that are in no earlier block. */
  readonly reported: ReadonlyArray<Hex>
}

const unknown = Either.left(refused(-32000, "filter not found"))

/** Filters of a node, with the errors of go-ethereum (eth/filters/api.go). */
export const filters = (chain: EvmLedger): JsonRpc.Methods => {
  const opened = remembered<Filter>(1_000)
  let count = 0

  const waiting = (first: bigint, last: bigint) =>
    chain.between(first, last).flatMap(({ hash, signed }) => (signed === undefined ? [] : [hash]))

  const open = (kind: Filter["kind"], criteria: object, now: number) => {
    const since = EvmChain.newest(now) + 1n
    const id = `0x${hash("sha256", `${chain.facts.id} filter ${count++}`).slice(0, 32)}`
    opened.set(id, { kind, criteria, since, reported: waiting(since, since) }, now + timeout)
    return id
  }

  /** Events of these blocks that the criteria select. */
  const events = (criteria: object, first: bigint, last: bigint, now: number) => {
    const range = { blockHash: undefined, fromBlock: numberToHex(first), toBlock: numberToHex(last) }
    return EvmLogs.logs(chain, { address: undefined, topics: undefined, ...criteria, ...range }, now)
  }

  const changes = (id: string, { criteria, kind, reported, since }: Filter, now: number) => {
    const newest = EvmChain.newest(now)
    const next = newest + 1n
    const seen = waiting(since, next)
    opened.set(id, { kind, criteria, since: next, reported: waiting(next, next) }, now + timeout)
    if (kind === "pending") return seen.filter((hash) => !reported.includes(hash))
    if (since > newest) return []
    if (kind === "logs") return events(criteria, since, newest, now)
    return Array.from({ length: Number(next - since) }, (_, index) =>
      EvmChain.hashOf(chain.facts, since + BigInt(index))
    )
  }

  return {
    eth_newFilter: ([given], now) => {
      const criteria = Object(given)
      const newest = EvmChain.newest(now)
      return Either.map(events(criteria, newest, newest, now), () => open("logs", criteria, now))
    },
    eth_newBlockFilter: (_, now) => open("blocks", {}, now),
    eth_newPendingTransactionFilter: (_, now) => open("pending", {}, now),
    eth_getFilterChanges: ([id], now) => {
      const filter = opened.get(String(id), now)
      return filter === undefined ? unknown : changes(String(id), filter, now)
    },
    eth_getFilterLogs: ([id], now) => {
      const filter = opened.get(String(id), now)
      return filter?.kind === "logs" ? EvmLogs.logs(chain, Object(filter.criteria), now) : unknown
    },
    eth_uninstallFilter: ([id]) => opened.delete(String(id))
  }
}
