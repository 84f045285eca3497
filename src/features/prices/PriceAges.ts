import * as Effect from "effect/Effect"
import type { Price } from "../../domain/Price.ts"
import * as declare from "../../settings/declare.ts"

const bounds = { min: 1_000, max: 86_400_000 } as const

/** Maximum age of prices, counted from the last update by their source. */
export const make = Effect.fnUntraced(function* (
  sources: ReadonlyArray<{ readonly name: string; readonly maxAge?: number }>
) {
  const maxAge = yield* declare.integer({
    ...bounds,
    name: "PRICE_MAX_AGE_MS",
    default: 900_000,
    meaning: "Maximum age of a served price since its source last changed it, in milliseconds"
  })
  const ages = new Map<string, number>()
  for (const source of sources)
    ages.set(
      source.name,
      yield* declare.integer({
        ...bounds,
        name: `${source.name.toUpperCase()}_PRICE_MAX_AGE_MS`,
        default: source.maxAge ?? maxAge,
        meaning: `PRICE_MAX_AGE_MS for the prices of ${source.name}`
      })
    )
  return {
    /** The default limit, for sources without a separate limit, ms. */
    maxAge,
    /** The longest limit of all sources, ms. */
    longest: Math.max(maxAge, ...ages.values()),
    /** The age limit of a price, ms. */
    ageLimit: ({ source }: Price): number => ages.get(source) ?? maxAge
  }
})
