import * as Effect from "effect/Effect"
import { Settings } from "../settings/Settings.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"

const keyEndings = ["_API_KEY", "_PROJECT_ID", "_ACCESS_KEY"]

/** The variables of an upstream: those of its addresses and of its key begin with its name. */
export interface UpstreamVariables {
  readonly address?: string
  readonly key?: string
}

/** Finds the declared variables of an upstream. `bitcoin-esplora` has BITCOIN_ESPLORA_URLS, `base-blockscout` the key of all. */
export const variablesOf = Effect.map(
  Effect.flatMap(Settings, ({ declared }) => declared),
  (declared) => {
    const names = new Set(declared.map(({ name }) => name))
    return (upstream: string): UpstreamVariables => {
      const parts = upstream.toUpperCase().split("-")
      const known = (prefix: string, endings: ReadonlyArray<string>) =>
        endings.map((ending) => `${prefix}${ending}`).find((name) => names.has(name))
      const address = known(parts.join("_"), ["_URLS", "_URL"])
      const key =
        known(parts.join("_"), keyEndings) ?? known(parts.at(-1) ?? "", keyEndings) ?? known(parts[0] ?? "", keyEndings)
      return { ...(address === undefined ? {} : { address }), ...(key === undefined ? {} : { key }) }
    }
  }
)

/** What an operator can set if an address of an upstream fails this way; undefined if it is not known. */
export const remedy = (
  { address, key }: UpstreamVariables,
  { reason, status }: Partial<Pick<UpstreamError, "reason" | "status">>,
  keyed: boolean
): string | undefined => {
  const isRefused = reason === "rate_limited" || status === 401 || status === 402 || status === 403
  if (isRefused && keyed && key !== undefined) return `check ${key}`
  const set = isRefused && !keyed && key !== undefined ? [key, address] : [address]
  const names = set.filter((name) => name !== undefined)
  return names.length === 0 ? undefined : `set ${names.join(" or ")}`
}
