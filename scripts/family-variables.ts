import { writeFileSync } from "node:fs"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../src/App.ts"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import type { Family } from "../src/catalogue/NetworkFacts.ts"
import { Chains } from "../src/chains/Chains.ts"
import { type Environment, Settings } from "../src/settings/Settings.ts"
import * as Memory from "../src/storage/Memory.ts"

// Writes the names of the variables that each family of networks reads: `bun run docs`.

/** The file with the text of {@link familyVariablesText}. */
export const familyVariablesFile = "src/chains/variables.ts"

/** Names by family, in alphabetical order. */
export type FamilyVariables = Readonly<Record<Family, ReadonlyArray<string>>>

const families = [...new Set(Catalogue.all.map(({ family }) => family))].sort()

const noNetwork = HttpClient.make((request) => new HttpClientError.RequestError({ request, reason: "Transport" }))

/** What families read in this environment, and nothing before them does. */
const readIn = (environment: Environment) =>
  Effect.gen(function* () {
    let read = new Set<string>()
    const listening = Layer.effect(
      Settings,
      Effect.map(Settings, (settings) => ({
        ...settings,
        read: (setting) => {
          read.add(setting.name)
          return settings.read(setting)
        }
      }))
    )
    const layer = App.useCases.pipe(
      Layer.provide(Layer.merge(Memory.layer(), Layer.succeed(HttpClient.HttpClient, noNetwork))),
      Layer.provide(Layer.provide(listening, App.settings(environment)))
    )
    return yield* Effect.gen(function* () {
      const chains = yield* Chains
      const before = read
      return yield* Effect.forEach(families, (family) => {
        const names = Catalogue.all.flatMap((facts) => (facts.family === family ? [facts.id as string] : []))
        read = new Set()
        return Effect.map(chains.named(names), () => [family, [...read].filter((name) => !before.has(name))] as const)
      })
    }).pipe(Effect.provide(layer), Effect.map(Object.fromEntries<ReadonlyArray<string>>))
  }).pipe(Logger.withMinimumLogLevel(LogLevel.None))

/** What each family reads of an environment in which nothing is configured, or everything is. */
export const familyVariables: Effect.Effect<FamilyVariables, unknown> = Effect.map(
  Effect.forEach([{}, { UPSTREAMS: "sandbox" }], readIn),
  (all) =>
    Object.fromEntries(
      families.map((family) => [family, [...new Set(all.flatMap(({ [family]: names = [] }) => names))].sort()])
    ) as unknown as FamilyVariables
)

const head = `import type { Family } from "../catalogue/NetworkFacts.ts"

// Generated from the declarations by \`bun run docs\`; not to be edited.

/** The variables that a family of networks reads when it is built, by which a start decides whether to build it. */
export const variables: Readonly<Record<Family, ReadonlyArray<string>>> = {
`

/** As the formatter of this repository writes it. */
const member = ([family, names]: readonly [string, ReadonlyArray<string>]) => {
  const quoted = names.map((name) => JSON.stringify(name))
  const line = `  ${family}: [${quoted.join(", ")}]`
  return line.length < 120 ? line : `  ${family}: [\n    ${quoted.join(",\n    ")}\n  ]`
}

export const familyVariablesText = (variables: FamilyVariables): string =>
  `${head}${Object.entries(variables).map(member).join(",\n")}\n}\n`

if (import.meta.main) writeFileSync(familyVariablesFile, familyVariablesText(await Effect.runPromise(familyVariables)))
