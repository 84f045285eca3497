import type { CacheLifetime } from "./MethodPolicy.ts"
import type { RpcReply } from "./Rpc.ts"

/** Answers of one network that are kept, and how much of them. */
const most = { entries: 5_000, bytes: 16 * 1024 * 1024, ofOne: 512 * 1024 }

interface Entry {
  readonly reply: RpcReply
  /** Undefined for ever; else it holds until then, ms, and as long as there is no newer block. */
  readonly until: number | undefined
  readonly block: number
}

export type ProxyResponseCache = ReturnType<typeof make>

/** The results of one network that may be told again; the ones that were not asked for the longest go first. */
export const make = (blockTime: number) => {
  const entries = new Map<string, Entry>()
  let bytes = 0
  /** Counts what made earlier reads old: blocks, and what went out to be put into one. */
  let block = 0

  const sizeOf = (key: string, { text }: RpcReply) => key.length + text.length

  const drop = (key: string, { reply }: Entry) => {
    entries.delete(key)
    bytes -= sizeOf(key, reply)
  }

  return {
    /** The newest block, by a number of ours. */
    block: (): number => block,
    /** What was read before is told no more. */
    advance: (): void => {
      block++
    },
    find: (key: string, now: number): RpcReply | undefined => {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry.until !== undefined && (entry.until < now || entry.until > now + blockTime || entry.block !== block)) {
        drop(key, entry)
        return undefined
      }
      entries.delete(key)
      entries.set(key, entry)
      return entry.reply
    },
    /** `asked` is when the node was asked, and `of` the block that was the newest then. */
    put: (key: string, reply: RpcReply, keep: CacheLifetime, asked: number, of: number): void => {
      const size = sizeOf(key, reply)
      if (keep === "never" || size > most.ofOne || (keep === "moment" && of !== block)) return
      const old = entries.get(key)
      if (old !== undefined) drop(key, old)
      entries.set(key, { reply, until: keep === "forever" ? undefined : asked + blockTime, block: of })
      bytes += size
      for (const [oldest, entry] of entries) {
        if (entries.size <= most.entries && bytes <= most.bytes) break
        drop(oldest, entry)
      }
    }
  }
}
