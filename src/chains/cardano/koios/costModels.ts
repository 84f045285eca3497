import * as Schema from "effect/Schema"
import { costNames } from "./costNames.ts"

// Script costs: a list of prices per language. Blockfrost also returns each price with its name.

/** Integers whose digits must be preserved. */
const Price = Schema.Union(Schema.Int, Schema.BigIntFromSelf)

const ByLanguage = Schema.Record({
  key: Schema.String,
  value: Schema.Union(Schema.Array(Price), Schema.Record({ key: Schema.String, value: Price }))
})

/** JSON, or JSON in a text; prices as a list, or by name. */
export const CostModels = Schema.Union(ByLanguage, Schema.parseJson(ByLanguage))

/** In both of Blockfrost's forms. A language with more prices than known names is only returned as a list. */
export const costModels = (byLanguage: typeof CostModels.Type) => {
  const languages = Object.entries(byLanguage).sort(([text], [other]) => (text < other ? -1 : 1))
  return {
    cost_models: Object.fromEntries(
      languages.flatMap(([language, prices]) => {
        if (!Array.isArray(prices)) return [[language, prices] as const]
        const names = costNames[language] ?? []
        return prices.length > names.length
          ? []
          : [[language, Object.fromEntries(prices.map((price, index) => [names[index], price]))] as const]
      })
    ),
    cost_models_raw: Object.fromEntries(
      languages.flatMap(([language, prices]) => {
        if (Array.isArray(prices)) return [[language, prices] as const]
        const named = prices as Readonly<Record<string, number | bigint>>
        const count = Object.keys(named).length
        const list = (costNames[language] ?? []).slice(0, count).map((name) => named[name])
        return list.length < count || list.includes(undefined) ? [] : [[language, list] as const]
      })
    )
  }
}

/** JSON that preserves all digits of integers. */
export const written = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? JSON.rawJSON(String(member)) : member))
