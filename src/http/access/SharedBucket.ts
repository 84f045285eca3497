import { createHash } from "node:crypto"
import { type Level, maxSkew } from "../../storage/quota/Quota.ts"
import type { Quota, SharedQuotas } from "../../storage/quota/SharedQuotas.ts"

/** A client in the store: neither a key nor an address is readable there. */
export const hashed = (client: string): string => createHash("sha256").update(client).digest("base64url")

interface BucketOptions {
  /** Made at the first request to the store. */
  readonly name: () => string
  readonly capacity: number
  /** The time in which one unit leaks, ms. */
  readonly interval: number
}

/** What this process has of the bucket of one client. */
export interface SharedBucket {
  readonly quota: Quota
  /** Units in the bucket by what the store reported last, and what was accepted here since. */
  readonly filled: (now: number) => number
  /** When the store reported last, ms; other processes may have given units back since. */
  readonly reportedAt: () => number
  /** The time until so many units more fit, ms. */
  readonly wait: (units: number, now: number) => number
  /** Units that were accepted since. */
  readonly add: (units: number) => void
}

/** A bucket of which all processes that share the store take. */
export const make = (quotas: SharedQuotas, { capacity, interval, name: nameOf }: BucketOptions): SharedBucket => {
  let name: string | undefined
  let level = 0
  let at = 0
  let reportedAt = 0
  const filled = (now: number) => {
    // A time that is left from a clock that was set back.
    if (at > now + maxSkew) at = now
    return Math.max(0, level - Math.max(0, now - at) / interval)
  }
  const quota = quotas.of(
    (now) => {
      name ??= nameOf()
      reportedAt = now
      return [{ name, capacity, interval, known: { filled: filled(now), since: now } }]
    },
    ([reported]: ReadonlyArray<Level>) => {
      if (reported !== undefined) ({ at, filled: level } = reported)
    }
  )
  return {
    quota,
    filled,
    reportedAt: () => reportedAt,
    wait: (units, now) => {
      const missing = filled(now) + units - capacity
      return missing <= 1e-6 ? 0 : missing * interval
    },
    add: (units) => {
      level += units
    }
  }
}
