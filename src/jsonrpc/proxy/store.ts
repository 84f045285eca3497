import type { Settled } from "./judge.ts"
import type { MethodPolicy } from "./MethodPolicy.ts"
import type { ProxyRead } from "./ProxyRead.ts"
import type { ProxyResponseCache } from "./ResponseCache.ts"

/** Caches what may be returned again; a result of a newer block makes what was cached before outdated. */
export const store = (
  cache: ProxyResponseCache,
  { advances }: Pick<MethodPolicy, "advances">,
  { block, call, key, rule, start }: ProxyRead,
  { isSubstitute, reply }: Settled,
  now: number
): void => {
  if (reply.member === "error") return
  const isNewest = cache.block() === block
  if (!isSubstitute && advances?.(call, reply.text, now) === true) cache.advance()
  // The result that shows a new block is of that block.
  cache.put(key, reply, rule.cacheFor(reply.text, now), start, isNewest ? cache.block() : block)
}
