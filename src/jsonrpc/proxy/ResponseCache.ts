import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import type { RpcReply } from "../Rpc.ts"
import type { CacheLifetime } from "./MethodPolicy.ts"

/** Replies of one network that are cached, and their size. */
const max = { entries: 5_000, bytes: 16 * 1024 * 1024, entryBytes: 512 * 1024 }

/** One new reply of so many is stored once a block has filled the cache. */
const admittedOf = 32

interface CachedReply {
  readonly reply: RpcReply
  /** Undefined for ever; else it is current until then, ms, and as long as there is no newer block. */
  readonly until: number | undefined
  readonly block: number
}

export type ProxyResponseCache = ReturnType<typeof make>

/**
 * The results of one network that may be returned again; the least recently used ones are dropped first. If more is read
 * during one block than it has room for, only some of the new replies are stored: frequent reads get in quickly, one-off
 * reads do not evict them.
 */
export const make = (blockTime: number) => {
  const sizeOf = (key: string, { text }: RpcReply) => key.length + text.length
  const entries = BoundedMap.make<string, CachedReply>({
    capacity: max.entries,
    maxWeight: max.bytes,
    weigh: (key, { reply }) => sizeOf(key, reply)
  })
  /** Counts what makes earlier reads outdated: blocks, and transactions that go into one. */
  let block = 0
  /** What was stored since then, ms, or since the newest block. */
  const filled = { entries: 0, bytes: 0, since: 0 }
  let skipped = 0

  const fillAgain = (since: number): void => {
    filled.entries = 0
    filled.bytes = 0
    filled.since = since
  }

  /** Whether there is room for a new reply, or it is one of those that are stored all the same. */
  const admits = (size: number, now: number): boolean => {
    if (now - filled.since >= blockTime || now < filled.since) fillAgain(now)
    const isFull = filled.entries >= max.entries || filled.bytes >= max.bytes
    if (isFull && skipped++ % admittedOf !== 0) return false
    filled.entries++
    filled.bytes += size
    return true
  }

  return {
    /** The newest block, counted here. */
    block: (): number => block,
    /** Earlier reads are not returned any more. */
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
    /** `requestedAt` is when the node was called, and `of` the block that was the newest then. */
    put: (key: string, reply: RpcReply, lifetime: CacheLifetime, requestedAt: number, of: number): void => {
      const size = sizeOf(key, reply)
      if (lifetime === "never" || size > max.entryBytes || (lifetime === "moment" && of !== block)) return
      if (!entries.has(key) && !admits(size, requestedAt)) return
      entries.set(key, { reply, until: lifetime === "forever" ? undefined : requestedAt + blockTime, block: of })
    }
  }
}
