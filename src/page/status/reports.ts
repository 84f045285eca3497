import { type components, WalletDataError } from "../../client/Client.ts"
import type { PageClient } from "../state/client.ts"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { problemOf } from "../text/reasons.ts"

export type Health = components["schemas"]["Ready"] | components["schemas"]["NotReady"]
export type UpstreamHealth = components["schemas"]["UpstreamHealth"]

/** The latest data. After a failed read, earlier values are kept, and `problem` has the reason. */
export interface StatusReading {
  readonly networks: ReadonlyArray<KnownNetwork>
  readonly health: Health | undefined
  /** When all of it was last read, UNIX time in ms. */
  readonly at: number | undefined
  readonly problem: string | undefined
}

export const unread: StatusReading = { networks: [], health: undefined, at: undefined, problem: undefined }

/** The error if a proxy in front of the service returns other JSON. */
const notHealth = new WalletDataError({ kind: "response", message: "the response is not the health of the service" })

/** Reads networks and health once. Never fails: `failed` receives every error. */
export const readStatus = async (
  client: PageClient,
  before: StatusReading,
  failed: (error: unknown) => void,
  signal: AbortSignal
): Promise<StatusReading> => {
  const [networks, health] = await Promise.allSettled([
    client.networks({ signal }),
    client.status.ready({ signal }).then((read) => (read.upstreams ? read : Promise.reject(notHealth)))
  ])
  const errors = [networks, health].flatMap((result) => (result.status === "rejected" ? [result.reason] : []))
  if (!signal.aborted) for (const error of errors) failed(error)
  const [error] = errors
  return {
    networks: networks.status === "fulfilled" ? networks.value : before.networks,
    health: health.status === "fulfilled" ? health.value : before.health,
    at: error === undefined ? Date.now() : before.at,
    problem: error === undefined ? undefined : problemOf(error)
  }
}

export type AvailabilityReport = components["schemas"]["AvailabilityReport"]

/** The calls of a day; null for a day without a call. */
export type Day = { readonly calls: number; readonly failed: number } | null

/** The calls of several sources by day; null if none of them was ever called. */
export const daysOf = (
  { days, sources }: AvailabilityReport,
  names: ReadonlyArray<string>
): ReadonlyArray<Day> | null => {
  const lists = names.flatMap((name) => (Object.hasOwn(sources, name) ? [sources[name] ?? []] : []))
  if (lists.every((list) => list.length === 0)) return null
  return days.map((_, index) => {
    const counts = lists.flatMap((list) => list[index] ?? [])
    if (counts.length === 0) return null
    return {
      calls: counts.reduce((sum, { calls }) => sum + calls, 0),
      failed: counts.reduce((sum, { failed }) => sum + failed, 0)
    }
  })
}

/** The share of calls that succeeded; undefined without a call. */
export const successOf = (days: ReadonlyArray<Day>): number | undefined => {
  const calls = days.reduce((sum, day) => sum + (day?.calls ?? 0), 0)
  const failed = days.reduce((sum, day) => sum + (day?.failed ?? 0), 0)
  return calls > 0 ? (calls - failed) / calls : undefined
}
