import type * as Effect from "effect/Effect"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { bounds, now } from "./bounds.ts"
import type { Lie } from "./lies.ts"

// Lies of upstreams about what the routes return, and what of them no response may contain.

const seconds = (ms: number) => Math.floor(ms / 1000)

/** Members of upstreams with the time of a transaction, in seconds, in ms or as text. */
const times =
  /\.(timeStamp|timestamp|block_time|blockTime|blockTimestamp|block_timestamp|tx_timestamp|time|received|confirmed|utime|now|date|effectiveTimestamp)$/

const writtenLike = (right: unknown, ms: number): unknown => {
  if (typeof right === "number") return right > 1e11 ? ms : right > 1e8 ? seconds(ms) : right
  if (typeof right !== "string") return right
  if (/^\d{9,10}$/.test(right)) return String(seconds(ms))
  return /^\d{4}-\d\d-\d\d/.test(right) ? new Date(ms).toISOString() : right
}

export interface RouteLie {
  readonly name: string
  readonly lies: ReadonlyArray<Lie>
  /** What no response contains; by default responses must only be valid. */
  readonly isBelieved?: (response: string) => boolean
}

const years = (ms: number) => {
  const year = new Date(ms).getUTCFullYear()
  return (response: string) =>
    [...response.matchAll(/"(?:timestamp|time|date|at)":\s*"?(\d{9,13}|\d{4}-)/g)].some(([, text = ""]) => {
      const value = text.endsWith("-")
        ? Date.UTC(Number.parseInt(text, 10), 1)
        : Number(text) * (text.length > 11 ? 1 : 1000)
      return new Date(value).getUTCFullYear() === year
    })
}

export const timeLies = [Date.UTC(2126, 5), Date.UTC(1975, 5)].map(
  (ms): RouteLie => ({
    name: `times of ${new Date(ms).getUTCFullYear()}`,
    lies: [{ at: times, value: (right: unknown) => writtenLike(right, ms) }],
    isBelieved: years(ms)
  })
)

/** Every lie of the table of bounds, for its network, and the lies about what histories and balances contain. */
export const routeLies: ReadonlyArray<RouteLie> = [
  ...timeLies,
  {
    name: "receipts of another status",
    lies: [{ at: /eth_getTransactionReceipt\.result\.status$/, value: "0x2" }]
  },
  {
    name: "transactions without inputs",
    lies: [{ at: /\.(vin|inputs)$/, value: [] }]
  },
  {
    name: "inputs that are listed twice",
    lies: [{ at: /\.(vin|inputs)$/, value: (right: unknown) => (Array.isArray(right) ? [...right, ...right] : right) }]
  },
  ...bounds.flatMap(({ at, network, wrong }) =>
    wrong.map(
      (value): RouteLie => ({ name: `${network}: ${at.source} is ${JSON.stringify(value)}`, lies: [{ at, value }] })
    )
  )
]

interface Routes {
  readonly get: (path: string) => Effect.Effect<Response>
  readonly post: (path: string, body: unknown) => Effect.Effect<Response>
}

/** Every route that returns a number which an upstream of these networks made. */
export const numberRoutes = (
  { get, post }: Routes,
  addresses: Readonly<Record<string, ReadonlyArray<string>>>
): ReadonlyArray<readonly [name: string, Effect.Effect<Response>]> => {
  const networks = Object.keys(addresses)
  const evm = Object.fromEntries(
    Catalogue.firstTransactions.flatMap((id) => (addresses[id] === undefined ? [] : [[id, addresses[id][0]]]))
  )
  return [
    ["POST /balance", post("/balance?detail=true", { networks: addresses })],
    ["POST /history", post("/history", { networks: addresses, limit: 5 })],
    ["POST /utils/transaction-context", post("/utils/transaction-context", { networks: addresses })],
    ...networks.map((id) => [`GET /utils/fees/${id}`, get(`/utils/fees/${id}`)] as const),
    ...Object.entries(evm).map(
      ([id, address]) => [`POST /utils/first-tx (${id})`, post("/utils/first-tx", { [id]: address })] as const
    )
  ]
}

export { now }
