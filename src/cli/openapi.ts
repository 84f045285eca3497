import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import manifest from "#package.json" with { type: "json" }
import { describe } from "../contract/openapi.ts"
import { settings } from "../http/ServerSettings.ts"

/** Prints the OpenAPI document. */
export const openapi = Effect.flatMap(settings, ({ appName }) =>
  Effect.as(Console.log(JSON.stringify(describe({ appName, version: manifest.version }).spec, undefined, 2)), true)
)
