import * as Effect from "effect/Effect"
import type { Price } from "../../domain/Price.ts"
import * as declare from "../../settings/declare.ts"

const bounds = { min: 1_000, max: 86_400_000 } as const

/** How old prices may be, by the time at which their source last updated them. */
export const make = Effect.fnUntraced(function* (
  sources: ReadonlyArray<{ readonly name: string; readonly maxAge?: number }>
) {
  const maxAge = yield* declare.integer({
    ...bounds,
    name: "PRICE_MAX_AGE_MS",
    default: 900_000,
    meaning: "A price that its source last changed longer ago is not served, in milliseconds"
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
    /** Where a source has no limit of its own, ms. */
    maxAge,
    /** The longest of all, ms. */
    longest: Math.max(maxAge, ...ages.values()),
    /** How old this price may be, ms. */
    ageLimit: ({ source }: Price): number => ages.get(source) ?? maxAge
  }
})
