import { availableParallelism } from "node:os"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as declare from "./declare.ts"

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
