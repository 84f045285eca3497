import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { choice, text } from "../settings/declare.ts"
import * as Memory from "./Memory.ts"
import * as Sqlite from "./Sqlite.ts"
import { Store, type StoreOpenError } from "./Store.ts"

type Kind = "memory" | "sqlite"

const kind = choice<Kind>({
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

/** Which store there is to be; opens nothing. */
export const settings = Effect.all({ kind, path })

/** One line a kind. */
const layers: Record<Kind, (path: string) => Layer.Layer<Store, StoreOpenError>> = {
  memory: () => Memory.layer(),
  sqlite: Sqlite.layer
}

export const layer = Layer.unwrapEffect(Effect.map(settings, ({ kind, path }) => layers[kind](path)))

/** The same store under names of its own: what was kept for one world is never answered in another. */
export const apart = (world: string) =>
  Layer.effect(
    Store,
    Effect.map(Store, ({ claim, open, release }) => ({
      open: (name, version) => open(`${world}/${name}`, version),
      claim: (name, owner, time) => claim(`${world}/${name}`, owner, time),
      release: (name, owner) => release(`${world}/${name}`, owner)
    }))
  )
