import { availableParallelism } from "node:os"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { closest } from "../kernel/text/closest.ts"
import * as declare from "./declare.ts"
import { availableMemory } from "./runtime.ts"

// Variables that several folders read; other variables are declared where they are read.

/** Format of a key in clear. Pages, messages and references that stand in its place by mistake do not have it. */
export const keyForm = {
  pattern: /^[A-Za-z0-9._~+/=-]{16,512}$/,
  allowed: "16 to 512 letters, digits and characters of . _ ~ + / = -"
}

/** A reference that the program which wrote the environment, such as a reader of `.env` files, did not expand. */
const isReference = (text: string) => /^\$(\w+|\{[^}]*\})$/.test(text)

const keyVariables = ["API_KEYS", "API_KEYS_FILE"]

/**
 * Whether the operator says that clients need no keys. Otherwise what may be a mistake in one of the variables with keys
 * stops the start, because it would open the service.
 */
const isOpen = Effect.map(
  declare.choice({
    name: "ACCESS",
    default: "auto",
    choices: ["auto", "open"],
    meaning:
      "open says that clients need no keys; with auto an empty API_KEYS or API_KEYS_FILE, or a name like theirs, stops the start",
    conflict: (value, present) => {
      const keyed = keyVariables.find((name) => present.includes(name))
      if (value === "open") return keyed && `open is not allowed while ${keyed} is set`
      const meant = present.flatMap((name) => {
        const known = closest(name, keyVariables)
        return known === undefined ? [] : [`${name} is set but is not a known variable: did you mean ${known}?`]
      })
      return keyed === undefined && meant[0] !== undefined
        ? `${meant[0]} Without keys every client can use the service; set ACCESS=open if that is meant`
        : undefined
    }
  }),
  (value) => value === "open"
)

const unlessOpen = "; an empty value only with ACCESS=open"

/** Keys without names and individual quotas. */
export const apiKeys = Effect.flatMap(isOpen, (open) =>
  declare.secrets({
    name: "API_KEYS",
    allowed: `keys of ${keyForm.allowed}, separated by commas${unlessOpen}`,
    meaning: "Accepted x-api-key values; without them, and without API_KEYS_FILE, the service is open",
    rejectsBlanks: !open,
    separateFile: true,
    check: (item) => {
      if (isReference(item)) return "is a reference, which is not expanded here"
      return keyForm.pattern.test(item) ? undefined : "is not a key"
    }
  })
)

/** Path of the file with keys; empty if not set. */
export const apiKeysFile = Effect.flatMap(isOpen, (open) =>
  declare.text({
    name: "API_KEYS_FILE",
    default: "",
    allowed: `the path of a file: a JSON list of keys with name, hash, perMinute, perDay and routes, or plain keys${unlessOpen}`,
    meaning: "A file of accepted keys, reloaded when it changes and on SIGHUP; see Access",
    rejectsBlanks: !open,
    check: (path) => path !== "" && !isReference(path)
  })
)

/** Path of the file with levers; empty if not set. */
export const leversFile = declare.text({
  name: "LEVERS_FILE",
  default: "",
  allowed: "the path of a file: a JSON list of levers with state, source, network, ability and reason",
  meaning: "A file of sources that are switched off or on, reloaded when it changes and on SIGHUP; see Levers",
  check: (path) => path !== ""
})

/** Whether clients need keys. Read by access control, and by responses, which shared caches must then not store. */
export const isKeyed = Effect.zipWith(apiKeys, apiKeysFile, (keys, file) => keys.length > 0 || file !== "")

/** Read by the HTTP layer, and by use cases that return partial results before it expires. */
export const requestDeadline = declare.integer({
  name: "REQUEST_DEADLINE_MS",
  default: 15_000,
  min: 100,
  max: 240_000,
  meaning: "Deadline of a whole request in milliseconds; parts that are not ready by then are reported as missing"
})

/** How long one attempt at one address of an upstream may take, ms. */
export const upstreamTimeout = declare.integer({
  name: "UPSTREAM_TIMEOUT_MS",
  default: 5_000,
  min: 1,
  max: 120_000,
  meaning: "Timeout of one attempt at an upstream, in milliseconds"
})

/** Bounds of the age limits of prices, ms. */
export const priceAgeBounds = { min: 1_000, max: 86_400_000 } as const

/** The default age limit of prices, counted from their last update by the source, ms. */
export const priceMaxAge = declare.integer({
  ...priceAgeBounds,
  name: "PRICE_MAX_AGE_MS",
  default: 900_000,
  meaning: "Maximum age of a served price since its source last changed it, in milliseconds"
})

/** Largest number of addresses in one request, over all its networks. */
export const maxAddresses = declare.integer({
  name: "MAX_ADDRESSES",
  default: 500,
  min: 1,
  max: 100_000,
  meaning: "Largest number of addresses in one request; requests with more are rejected with 413"
})

const maxWorkers = 256

const isAuto = (text: string) => text.toLowerCase() === "auto"

/** Number of processes that serve on the port. */
export const workers = Effect.map(
  declare.text({
    name: "WORKERS",
    default: "1",
    allowed: `auto (one per processor), or a whole number from 1 to ${maxWorkers}`,
    check: (value) => isAuto(value) || Either.isRight(declare.wholeNumber(value, 1, maxWorkers)),
    meaning: "How many processes serve on one port; they share limits and responses through CACHE=sqlite or redis"
  }),
  (value) => (isAuto(value) ? Math.min(maxWorkers, availableParallelism()) : Number(value))
)

const mebibyte = 1024 * 1024

/** The most that a process uses by itself for its caches, bytes: the collector of garbage visits their objects. */
const maxCached = 512 * mebibyte

/**
 * Bytes for what all of these processes cache, if this much memory is available and the operator sets no number. For each
 * byte the collector of garbage leaves up to two more, and a process needs 300 MB without its caches.
 */
export const usualMemory = (available: number, processes: number) => Math.min(available / 8, processes * maxCached)

const megabytes = { min: 16, max: 1_000_000 }

/** Bytes for everything that this process caches in memory. */
export const memoryBudget = Effect.flatMap(workers, (count) => {
  const usual = Math.max(megabytes.min, Math.floor(usualMemory(availableMemory(), count) / mebibyte))
  return Effect.map(
    declare.custom<number | undefined>({
      name: "MEMORY_MB",
      default: undefined,
      allowed: `auto (an eighth of the memory of the container or the machine, at most 512 for each of WORKERS), or a whole number from ${megabytes.min} to ${megabytes.max}`,
      meaning:
        "Megabytes for everything that is cached in memory, of which each of WORKERS has an equal part; the process needs more for itself, see Sizing",
      parse: (text) =>
        isAuto(text) ? Either.right(undefined) : declare.wholeNumber(text, megabytes.min, megabytes.max),
      show: (value) => (value === undefined ? "auto" : String(value)),
      explain: (value) => (value === undefined ? `${usual} MB` : undefined)
    }),
    (value = usual) => (value * mebibyte) / count
  )
})

/** Number of instances of the service, each with its WORKERS. */
export const replicas = declare.integer({
  name: "REPLICAS",
  default: 1,
  min: 1,
  max: 10_000,
  meaning:
    "The least number of instances that share the limits of clients and upstreams: if they cannot share counts in the store (CACHE=memory, or the store is down), each gets an equal part of every limit. A store counts the live processes itself"
})

/** Number of processes that share every limit. */
export const processes = Effect.zipWith(workers, replicas, (workers, replicas) => workers * replicas)
