import { createHash, timingSafeEqual } from "node:crypto"
import * as Redacted from "effect/Redacted"

const digest = (key: string) => createHash("sha256").update(key).digest()

/**
 * Whether a key is one of the accepted ones. The time it takes reveals nothing: digests of one length are compared, and
 * all of them, also after a match.
 */
export const make = (keys: ReadonlyArray<Redacted.Redacted<string>>) => {
  const accepted = keys.map((key) => digest(Redacted.value(key)))
  return (candidate: string): boolean => {
    const given = digest(candidate)
    let found = false
    for (const key of accepted) found = timingSafeEqual(key, given) || found
    return found
  }
}
