import { createHash } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { parsedJson } from "../../kernel/tryOrElse.ts"
import { leakedUntil, maxSkew } from "../../storage/quota/Quota.ts"
import { LimitSharing } from "../../storage/quota/SharedQuotas.ts"
import { Store, skippingFailures } from "../../storage/Store.ts"
import type { RpcReply } from "../Rpc.ts"
import type { ReadRule } from "./MethodPolicy.ts"

/** How long a reply is stored. Not longer, because a node may have misled the process that stored it. */
const timeToLive = Duration.toMillis("1 hour")

/** Maximum length of a stored result, characters. */
const maxLength = 64 * 1024

/** Maximum length of what all processes store, in characters: leaks in the time for which a reply is stored. */
const maxStored = 32 * 1024 * 1024

/** A read of a network's nodes. */
interface Read {
  /** Equal for equal calls. */
  readonly key: string
  readonly rule: ReadRule
}

/** The replies of nodes that never change, of one source. Processes that share a store request each of them once. */
export interface SharedReplies {
  /** True if another process may have stored the reply. */
  readonly mayHave: (read: Read) => boolean
  /** The stored replies, by the keys of their reads. Cannot fail. */
  readonly find: (reads: ReadonlyArray<Read>) => Effect.Effect<ReadonlyMap<string, RpcReply>>
  /** Stores a reply in the background if it is final. */
  readonly put: (read: Read, reply: RpcReply, now: number) => void
}

const none: ReadonlyMap<string, RpcReply> = new Map()

const alone: SharedReplies = { mayHave: () => false, find: () => Effect.succeed(none), put: () => {} }

/** Returns the shared replies of a source, by its name and hosts. By default, processes share none. */
export class FinalReplies extends Context.Reference<FinalReplies>()("jsonrpc/FinalReplies", {
  defaultValue: (): ((name: string, hosts: ReadonlyArray<string>) => SharedReplies) => () => alone
}) {}

/** A result and when it was stored, ms. */
type StoredReply = readonly [at: number, result: string]

/** The result of a stored entry, which may have any form and time. */
const resultOf = (entry: unknown, now: number): string | undefined => {
  const [at, result] = (Array.isArray(entry) && entry.length === 2 ? entry : []) as ReadonlyArray<unknown>
  if (typeof at !== "number" || typeof result !== "string" || result.length > maxLength) return undefined
  const isValid = at <= now + maxSkew && now < at + timeToLive
  return isValid && parsedJson(result) !== undefined ? result : undefined
}

/** Whether a result is final for this process, which knows the newest block: another one may have been misled. */
const isFinal = ({ cacheFor, isImplausible }: ReadRule, result: string, now: number): boolean =>
  isImplausible?.(result, now) === undefined && cacheFor(result, now) === "forever"

/** Bounds what this process stores: its part of what all processes may store. */
const bounding = (live: () => number) => {
  let level = { filled: 0, at: 0 }
  return (length: number, now: number): boolean => {
    const part = maxStored / live()
    level = leakedUntil(level, timeToLive / part, now)
    if (level.filled + length > part) return false
    level = { ...level, filled: level.filled + length }
    return true
  }
}

/** The replies in the store, if it is shared. */
export const layer = Layer.scoped(
  FinalReplies,
  Effect.gen(function* () {
    const store = yield* Store
    const { live } = yield* LimitSharing
    const entries = store.open("final node replies", 1)
    const reads = skippingFailures("final replies of nodes: reading the store")
    const writes = skippingFailures("final replies of nodes: writing to the store")
    const run = yield* FiberSet.makeRuntime<never>()
    const admits = bounding(live)

    return (name, hosts) => {
      const source = `${name}\n${[...hosts].sort().join(" ")}`
      /** Has one length, and no address or name of a wallet. */
      const nameOf = ({ key }: Read) => createHash("sha256").update(`${source}\n${key}`).digest("base64url")
      const mayHave = ({ rule }: Read) => rule.mayBeFinal === true && store.take !== undefined && live() > 1
      return {
        mayHave,
        find: (all) =>
          Effect.gen(function* () {
            const wanted = new Map(all.filter(mayHave).map((read) => [nameOf(read), read]))
            if (wanted.size === 0) return none
            const stored = yield* reads(entries.getMany([...wanted.keys()]), new Map<string, unknown>())
            const now = yield* Clock.currentTimeMillis
            const found = new Map<string, RpcReply>()
            for (const [name, { key, rule }] of wanted) {
              const text = resultOf(stored.get(name), now)
              if (text !== undefined && isFinal(rule, text, now)) found.set(key, { member: "result", text })
            }
            return found
          }),
        put: (read, { member, more, text }, now) => {
          if (!mayHave(read) || member !== "result" || more !== undefined || text.length > maxLength) return
          if (!isFinal(read.rule, text, now) || !admits(text.length, now)) return
          const reply: StoredReply = [now, text]
          run(writes(entries.setMany(new Map([[nameOf(read), reply]]), timeToLive), undefined))
        }
      } satisfies SharedReplies
    }
  })
)
