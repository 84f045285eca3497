import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { choice, flag, integer, text } from "../settings/declare.ts"
import * as Memory from "./Memory.ts"
import * as Sqlite from "./Sqlite.ts"
import { Store, type StoreOpenError } from "./Store.ts"

type StoreKind = "memory" | "sqlite"

const kind = choice<StoreKind>({
  name: "CACHE",
  meaning: "where responses are cached: memory (until the process ends) or sqlite (a file, see SQLITE_PATH)",
  default: "sqlite",
  choices: ["memory", "sqlite"]
})

const path = text({
  name: "SQLITE_PATH",
  meaning: "the file of CACHE=sqlite, made if it is missing",
  allowed: "the path of a file in a folder that exists and can be written",
  default: "wallet-data.sqlite"
})

const megabytes = integer({
  name: "CACHE_MAX_MB",
  meaning:
    "how much the cache may take, in megabytes: the file with its write-ahead log, or memory where CACHE=memory. What " +
    "was written (in memory: used) longest ago goes first",
  default: 256,
  min: 8,
  max: 1_000_000
})

const strict = flag({
  name: "CACHE_STRICT",
  meaning:
    "whether a file of the cache that is damaged, locked, or cannot be written stops the start. Otherwise a damaged file " +
    "is renamed (.damaged is put behind its name) and a new one made",
  default: false
})

/** The chosen store; opens nothing. */
export const settings = Effect.all({
  kind,
  path,
  maxBytes: Effect.map(megabytes, (count) => count * 1024 * 1024),
  strict
})

type Chosen = Effect.Effect.Success<typeof settings>

/** One line per kind. */
const layers: Record<StoreKind, (chosen: Chosen) => Layer.Layer<Store, StoreOpenError>> = {
  memory: ({ maxBytes }) => Memory.layer({ maxBytes }),
  sqlite: (chosen) => Sqlite.layer(chosen.path, chosen)
}

export const layer = Layer.unwrapEffect(Effect.map(settings, (chosen) => layers[chosen.kind](chosen)))

/** The same store with a separate name space for each world: values of one world are never returned in another. */
export const apart = (world: string) =>
  Layer.effect(
    Store,
    Effect.map(Store, ({ claim, open, release }) => ({
      open: (name, version) => open(`${world}/${name}`, version),
      claim: (name, owner, time) => claim(`${world}/${name}`, owner, time),
      release: (name, owner) => release(`${world}/${name}`, owner)
    }))
  )
