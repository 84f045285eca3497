import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { choice, flag, integer, secret, text } from "../settings/declare.ts"
import { SettingError } from "../settings/Settings.ts"
import { processes } from "../settings/variables.ts"
import * as Memory from "./Memory.ts"
import * as Redis from "./redis/Redis.ts"
import * as Sqlite from "./Sqlite.ts"
import { Store, type StoreOpenError } from "./Store.ts"
import * as StoreHealth from "./StoreHealth.ts"

type StoreKind = "memory" | "sqlite" | "redis"

const kind = choice<StoreKind>({
  name: "CACHE",
  meaning:
    "where responses are cached: memory (until the process ends), sqlite (a file, see SQLITE_PATH) or redis (see REDIS_URL)",
  default: "sqlite",
  choices: ["memory", "sqlite", "redis"]
})

const path = text({
  name: "SQLITE_PATH",
  meaning: "the file of CACHE=sqlite, created if it is missing",
  allowed: "the path of a file in a folder that exists and can be written",
  default: "wallet-data.sqlite"
})

const redisUrl = secret({
  name: "REDIS_URL",
  meaning: "the server of CACHE=redis; with user and password if it requires them, rediss:// for TLS",
  allowed: "a redis:// or rediss:// address",
  check: (value) => ["redis:", "rediss:"].includes(URL.parse(value)?.protocol ?? "")
})

const megabytes = integer({
  name: "CACHE_MAX_MB",
  meaning:
    "maximum size of the cache in megabytes: the file with its write-ahead log, or memory if CACHE=memory. The entries " +
    "written (in memory: used) longest ago are evicted first",
  default: 256,
  min: 8,
  max: 1_000_000
})

const strict = flag({
  name: "CACHE_STRICT",
  meaning:
    "whether the start fails if the cache file is damaged, locked or not writable, or if Redis cannot be reached. " +
    "Otherwise a damaged file is renamed (.damaged is appended to its name) and a new file is created",
  default: false
})

/** The chosen store and the number of processes that share it; does not open the store. */
export const settings = Effect.all({
  processes,
  kind,
  path,
  redisUrl,
  maxBytes: Effect.map(megabytes, (count) => count * 1024 * 1024),
  strict
})

type Chosen = Effect.Effect.Success<typeof settings>

const layers: Record<StoreKind, (chosen: Chosen) => Layer.Layer<Store, StoreOpenError | SettingError>> = {
  memory: ({ maxBytes }) => Memory.layer({ maxBytes }),
  sqlite: (chosen) => Sqlite.layer(chosen.path, chosen),
  redis: ({ redisUrl, strict }) =>
    redisUrl === undefined
      ? Layer.fail(new SettingError({ variable: "REDIS_URL", problem: "CACHE=redis needs the address of a server" }))
      : Redis.layer(redisUrl, { strict })
}

export const layer = Layer.unwrapEffect(
  Effect.map(settings, (chosen) => StoreHealth.layer(chosen.kind, layers[chosen.kind](chosen)))
)

/** The same store with a separate namespace for each world: values of one world are never returned in another. */
export const namespaced = (world: string) =>
  Layer.effect(
    Store,
    Effect.map(Store, ({ claim, health, open, release, take }) => ({
      ...(health === undefined ? {} : { health }),
      ...(take === undefined
        ? {}
        : {
            take: (taking) =>
              take({
                ...taking,
                buckets: taking.buckets.map((bucket) => ({ ...bucket, name: `${world}/${bucket.name}` }))
              })
          }),
      open: (name, version) => open(`${world}/${name}`, version),
      claim: (name, owner, time) => claim(`${world}/${name}`, owner, time),
      release: (name, owner) => release(`${world}/${name}`, owner)
    }))
  )
