import { availableParallelism } from "node:os"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as declare from "./declare.ts"

// Variables that several folders read; every other one is declared where it is read.

/** Keys without names and quotas of their own. */
export const apiKeys = declare.secrets({
  name: "API_KEYS",
  allowed: "keys separated by commas, none of them empty",
  meaning: "Accepted x-api-key values; without them, and without API_KEYS_FILE, the service is open",
  ownFile: true
})

/** The path of the file with keys, or the empty text. */
export const apiKeysFile = declare.text({
  name: "API_KEYS_FILE",
  default: "",
  allowed: "the path of a file: a JSON list of keys with name, hash, perMinute, perDay and routes, or plain keys",
  meaning: "A file of accepted keys, read again when it changes and on SIGHUP; see Access"
})

/** Read by the gate, and by the answers, which no shared cache may keep where there are keys. */
export const isKeyed = Effect.zipWith(apiKeys, apiKeysFile, (keys, file) => keys.length > 0 || file !== "")

/** Read by the edge, and by the use cases that answer with what they have before it is over. */
export const requestDeadline = declare.integer({
  name: "REQUEST_DEADLINE_MS",
  default: 15_000,
  min: 100,
  max: 240_000,
  meaning: "Time for a whole request in milliseconds; what is not ready by then is reported as missing"
})

/** How long one attempt at one address of an upstream may take, ms. */
export const upstreamTimeout = declare.integer({
  name: "UPSTREAM_TIMEOUT_MS",
  default: 5_000,
  min: 1,
  max: 120_000,
  meaning: "How long one attempt at an upstream may take, in milliseconds"
})

/** How many addresses one request may name, over all its networks. */
export const maxAddresses = declare.integer({
  name: "MAX_ADDRESSES",
  default: 500,
  min: 1,
  max: 100_000,
  meaning: "Addresses in one request at most; more are refused with 413"
})

const maxWorkers = 256

/** How many processes serve on the port; a text that is not `auto` is a whole number. */
export const workers = Effect.map(
  declare.text({
    name: "WORKERS",
    default: "1",
    allowed: `auto (one for each processor), or a whole number from 1 to ${maxWorkers}`,
    check: (value) => value === "auto" || Either.isRight(declare.wholeNumber(value, 1, maxWorkers)),
    meaning: "How many processes serve on one port; they share limits and responses through CACHE=sqlite or redis"
  }),
  (value) => (value === "auto" ? Math.min(maxWorkers, availableParallelism()) : Number(value))
)

/** How many instances of the service there are, each with its WORKERS. */
export const replicas = declare.integer({
  name: "REPLICAS",
  default: 1,
  min: 1,
  max: 10_000,
  meaning:
    "How many instances share the limits of clients and upstreams: where they cannot agree through the store, as with CACHE=memory or while it is away, each takes its share"
})

/** How many processes share every limit. */
export const processes = Effect.zipWith(workers, replicas, (workers, replicas) => workers * replicas)
