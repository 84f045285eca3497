import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import type { RpcReply } from "../Rpc.ts"
import type { CacheLifetime } from "./MethodPolicy.ts"

/** Replies of one network that are cached, and their size. */
const max = { entries: 5_000, bytes: 16 * 1024 * 1024, entryBytes: 512 * 1024 }

interface CachedReply {
  readonly reply: RpcReply
  /** Undefined for ever; else it is current until then, ms, and as long as there is no newer block. */
  readonly until: number | undefined
  readonly block: number
}

export type ProxyResponseCache = ReturnType<typeof make>

/** The results of one network that may be returned again; the least recently used ones are dropped first. */
export const make = (blockTime: number) => {
  const sizeOf = (key: string, { text }: RpcReply) => key.length + text.length
  const entries = BoundedMap.make<string, CachedReply>({
    capacity: max.entries,
    maxWeight: max.bytes,
    weigh: (key, { reply }) => sizeOf(key, reply)
  })
  /** Counts what makes earlier reads outdated: blocks, and transactions that go into one. */
  let block = 0

  return {
    /** The newest block, counted here. */
    block: (): number => block,
    /** Earlier reads are not returned any more. */
    advance: (): void => {
      block++
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
      if (lifetime === "never" || sizeOf(key, reply) > max.entryBytes || (lifetime === "moment" && of !== block)) return
      entries.set(key, { reply, until: lifetime === "forever" ? undefined : requestedAt + blockTime, block: of })
    }
  }
}
