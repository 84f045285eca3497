import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import manifest from "#package.json" with { type: "json" }

/** Prints name and version. */
export const version = Effect.as(Console.log(`${manifest.name} ${manifest.version}`), true)
