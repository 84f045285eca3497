import * as Effect from "effect/Effect"
import * as Cors from "../access/Cors.ts"
import { Health } from "../Health.ts"
import { Mode } from "../Mode.ts"
import { ServerSettings } from "../ServerSettings.ts"
import type { HeaderFields } from "./HeaderFields.ts"

/** Header fields of all responses to a page of this origin: the same object per origin, except during shutdown. */
export const make = Effect.gen(function* () {
  const { corsOrigins } = yield* ServerSettings
  const health = yield* Health
  const { sandbox } = yield* Mode
  const cors = Cors.make(corsOrigins, {
    "x-content-type-options": "nosniff",
    ...(sandbox ? { "x-sandbox": "true" } : {})
  })
  const anyOrigin = corsOrigins.includes("*")
  return (origin: () => string | undefined): HeaderFields => {
    const fields = cors.headers(anyOrigin ? undefined : origin())
    const state = health.current()
    return state === "draining" || state === "stopping" ? { ...fields, connection: "close" } : fields
  }
})
