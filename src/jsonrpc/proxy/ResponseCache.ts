import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as MemoryBudget from "../../kernel/collections/MemoryBudget.ts"
import type { RpcReply } from "../Rpc.ts"
import type { CacheLifetime } from "./MethodPolicy.ts"

/** Limits of the cached replies of one network, of which all networks together are also in the memory budget. */
const max = { entries: 5_000, bytes: 16 * 1024 * 1024, entryBytes: 512 * 1024 }

/** Once the replies of one block fill the cache, one new reply in this many is stored. */
const admittedOf = 32

interface CachedReply {
  readonly reply: RpcReply
  /** Expiry, ms; a newer block invalidates the reply earlier. Undefined if it is valid forever. */
  readonly until: number | undefined
  readonly block: number
}

export type ProxyResponseCache = ReturnType<typeof make>

/**
 * Cache of the results of one network; evicts the least recently used first. If the reads of one block exceed the
 * capacity, only some new replies are stored: frequent reads are stored soon, and one-off reads do not evict them.
 */
export const make = (blockTime: number, whole?: MemoryBudget.MemoryBudget) => {
  const sizeOf = (key: string, { more = "", text }: RpcReply) =>
    BoundedMap.entryBytes + key.length + text.length + more.length
  const entries = BoundedMap.make<string, CachedReply>({
    name: "node replies",
    capacity: max.entries,
    budget: MemoryBudget.make(max.bytes, whole),
    weigh: (key, { reply }) => sizeOf(key, reply)
  })
  /** Counts the events that invalidate earlier reads: blocks and sent transactions. */
  let block = 0
  /** Stored since this time, ms, or since the newest block. */
  const filled = { entries: 0, bytes: 0, since: 0 }
  let skipped = 0

  const fillAgain = (since: number): void => {
    filled.entries = 0
    filled.bytes = 0
    filled.since = since
  }

  /** True if there is room for a new reply, or if it is one of the few that are stored without room. */
  const admits = (size: number, now: number): boolean => {
    if (now - filled.since >= blockTime || now < filled.since) fillAgain(now)
    const isFull = filled.entries >= max.entries || filled.bytes >= max.bytes
    if (isFull && skipped++ % admittedOf !== 0) return false
    filled.entries++
    filled.bytes += size
    return true
  }

  return {
    /** The newest block, as counted by this cache. */
    block: (): number => block,
    /** Invalidates earlier reads. */
    advance: (): void => {
      block++
      fillAgain(filled.since)
    },
    find: (key: string, now: number): RpcReply | undefined => {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry.until !== undefined && (entry.until < now || entry.until > now + blockTime || entry.block !== block)) {
        entries.delete(key)
        return undefined
      }
      return entry.reply
    },
    /** `requestedAt` is the time of the call to the node, and `of` the newest block at that time. */
    put: (key: string, reply: RpcReply, lifetime: CacheLifetime, requestedAt: number, of: number): void => {
      const size = sizeOf(key, reply)
      if (lifetime === "never" || size > max.entryBytes || (lifetime === "moment" && of !== block)) return
      if (!entries.has(key) && !admits(size, requestedAt)) return
      entries.set(key, { reply, until: lifetime === "forever" ? undefined : requestedAt + blockTime, block: of })
    }
  }
}
