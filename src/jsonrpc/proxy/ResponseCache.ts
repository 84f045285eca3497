import * as BoundedMap from "../../kernel/BoundedMap.ts"
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
  const sizeOf = (key: string, { text }: RpcReply) => key.length + text.length
  const entries = BoundedMap.make<string, Entry>({
    capacity: most.entries,
    maxWeight: most.bytes,
    weigh: (key, { reply }) => sizeOf(key, reply)
  })
  /** Counts what made earlier reads old: blocks, and what went out to be put into one. */
  let block = 0

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
        entries.delete(key)
        return undefined
      }
      return entry.reply
    },
    /** `asked` is when the node was asked, and `of` the block that was the newest then. */
    put: (key: string, reply: RpcReply, keep: CacheLifetime, asked: number, of: number): void => {
      if (keep === "never" || sizeOf(key, reply) > most.ofOne || (keep === "moment" && of !== block)) return
      entries.set(key, { reply, until: keep === "forever" ? undefined : asked + blockTime, block: of })
    }
  }
}
