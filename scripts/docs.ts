import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../src/App.ts"
import type { Abilities, AbilitySources, Chain } from "../src/chains/Chain.ts"
import { Chains } from "../src/chains/Chains.ts"
import { type OpenAbility, openAbilities, openCalls } from "../src/chains/openCalls.ts"
import { command } from "../src/cli/Command.ts"
import { placeholders } from "../src/sandbox/placeholders.ts"
import * as Memory from "../src/storage/Memory.ts"
import { LogOutput } from "../src/telemetry/LogSink.ts"
import { offered } from "../src/upstream/ProviderCalls.ts"
import { type Trial, Upstreams } from "../src/upstream/Upstreams.ts"

// Writes the generated parts of the documents, which are between `<!-- generated: NAME -->` and `<!-- end -->`, and the
// number of networks in their texts.

/** The files that have generated parts. */
export const documents = [
  "README.md",
  "docs/operating.md",
  "docs/networks.md",
  "docs/privacy.md",
  "package.json",
  "packages/client/README.md"
]

/** The text of each generated part, by its name. */
export type Parts = Readonly<Record<string, string>>

type Described = Context.Tag.Service<Chain> & {
  readonly abilitiesNow: Abilities
}

const row = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [row(head), `|${"---|".repeat(head.length)}`, ...rows.map(row)].join("\n")

const code = (text: string) => `\`${text}\``

const yes = (value: unknown) => (value === undefined ? "" : "yes")

/** A duration in the largest unit that gives a whole number. */
const duration = (seconds: number) =>
  seconds % 3600 === 0 ? `${seconds / 3600} h` : seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`

const list = (all: ReadonlyArray<Described>) =>
  `${all.length} networks: ${all.map(({ facts }) => code(facts.id)).join(", ")}.`

const factsTable = (all: ReadonlyArray<Described>) =>
  table(
    [
      "id",
      "name",
      "aliases",
      "family",
      "chain id",
      "native coin",
      "coin id",
      "decimals",
      "price platform",
      "final after"
    ],
    all.map(({ facts }) => [
      code(facts.id),
      facts.sunset === undefined ? facts.name : `${facts.name} (shut down on ${facts.sunset})`,
      facts.aliases.map(code).join(", "),
      facts.family,
      facts.chainId === undefined ? "" : String(facts.chainId),
      facts.native.symbol,
      code(facts.native.coinId),
      String(facts.native.decimals),
      facts.platform === undefined ? "" : code(facts.platform),
      duration(facts.finality)
    ])
  )

const abilities = (all: ReadonlyArray<Described>) =>
  table(
    [
      "network",
      "balances",
      "tokens",
      "history",
      "node proxy",
      "test network",
      "send raw",
      "look up raw",
      "first transaction"
    ],
    all.map(({ firstTransaction, history, facts, rawTransactions, rpc }) => [
      code(facts.id),
      "yes",
      yes(facts.platform),
      yes(history),
      yes(rpc),
      yes(rpc?.testnet),
      yes(rawTransactions?.prepareSend),
      yes(rawTransactions?.prepareLookup),
      yes(firstTransaction)
    ])
  )

const served = (ability: AbilitySources | undefined) =>
  ability === undefined
    ? ""
    : Either.match(ability, { onLeft: (reason) => `none: ${reason}`, onRight: (names) => names.map(code).join(", ") })

const sources = (all: ReadonlyArray<Described>) =>
  table(
    ["network", "balances", "history", "raw transactions", "first transaction"],
    all.map(({ abilitiesNow, firstTransaction, facts, rawTransactions }) => [
      code(facts.id),
      served(abilitiesNow.balance),
      served(abilitiesNow.history),
      rawTransactions === undefined ? "" : served(abilitiesNow.rawTransactions),
      firstTransaction === undefined ? "" : served(abilitiesNow.firstTransaction)
    ])
  )

const hosts = (trials: ReadonlyArray<Trial>) =>
  table(
    ["upstream", "hosts, in order of preference"],
    trials.flatMap(({ addresses, name }) =>
      addresses.length === 0 ? [] : [[code(name), addresses.map(({ host }) => code(host)).join(", ")]]
    )
  )

/** The hosts that see an address of each network, for its balances and its history. */
const seers = (all: ReadonlyArray<Described>, trials: ReadonlyArray<Trial>) => {
  const hostsOf = new Map(trials.map(({ addresses, name }) => [name, addresses.map(({ host }) => code(host))]))
  const of = (ability: AbilitySources | undefined) =>
    [
      ...new Set(Either.getOrElse(ability ?? Either.left(""), () => []).flatMap((name) => hostsOf.get(name) ?? []))
    ].join(", ")
  return table(
    ["network", "for balances", "for a history"],
    all.map(({ abilitiesNow: { balance, history }, facts }) => [code(facts.id), of(balance), of(history)])
  )
}

/** Only upstreams whose calls are limited. */
const opens = (all: ReadonlyArray<Described>, trials: ReadonlyArray<Trial>) => {
  const budgets = new Map(trials.map(({ budget, name }) => [name, budget?.(0)?.perHour]))
  const rows = all.flatMap(({ abilitiesNow, facts }) => {
    const namesOf = (ability: OpenAbility): ReadonlyArray<string> =>
      Either.getOrElse(abilitiesNow[ability] ?? Either.left(""), () => [])
    return [...new Set(openAbilities.flatMap(namesOf))].flatMap((name) => {
      const perHour = budgets.get(name)
      const calls = openAbilities.map((ability) =>
        namesOf(ability).includes(name) ? (openCalls(facts, ability, name) ?? 0) : 0
      )
      const sum = calls.reduce((all, count) => all + count, 0)
      return perHour === undefined || sum === 0
        ? []
        : [
            [
              code(facts.id),
              code(name),
              ...calls.map((count) => String(count || "")),
              String(Math.floor(perHour / sum))
            ]
          ]
    })
  })
  return table(["network", "upstream", "calls for balances", "calls for a history", "opens per hour"], rows)
}

const some = ([first = "", ...others]: ReadonlyArray<string>) =>
  others.length > 3 ? `${first} and ${others.length} more` : [first, ...others].join(", ")

/** The calls of each provider once, under the names of all its upstreams. */
const callsOf = (trials: ReadonlyArray<Trial>) =>
  table(
    ["upstream", "call", "balances", "history", "note"],
    [...Map.groupBy(trials, ({ calls }) => calls?.documentation)].flatMap(([documentation, same]) =>
      offered(same[0]?.calls).map(({ endpoint, note, perOpen }, index) => [
        index === 0 ? `[${some(same.map(({ name }) => code(name)))}](${documentation})` : "",
        code(endpoint),
        ...openAbilities.map((ability) => String(perOpen[ability] ?? "")),
        note
      ])
    )
  )

const noNetwork = HttpClient.make((request) => new HttpClientError.RequestError({ request, reason: "Transport" }))

/** Runs an effect in a service with these settings, which sends no requests. */
const offline = <A, E, R>(settings: Readonly<Record<string, string>>, use: Effect.Effect<A, E, R>) =>
  use.pipe(
    Effect.provide(
      App.useCases.pipe(
        Layer.provide(Layer.merge(Memory.layer(), Layer.succeed(HttpClient.HttpClient, noNetwork))),
        Layer.provide(App.settings(settings))
      )
    ),
    Logger.withMinimumLogLevel(LogLevel.None)
  )

const trialsNow = Effect.flatMap(Upstreams, ({ trials }) => trials)

/** The networks of the service with default settings, and the calls of all upstreams, also of those that need a key. */
const networkParts = Effect.gen(function* () {
  const described = yield* Effect.forEach(yield* (yield* Chains).all, (chain) =>
    Effect.map(chain.abilities, (abilitiesNow): Described => ({ ...chain, abilitiesNow }))
  )
  const trials = yield* trialsNow
  return {
    networks: list(described),
    facts: factsTable(described),
    abilities: abilities(described),
    sources: sources(described),
    hosts: hosts(trials),
    seers: seers(described, trials),
    opens: opens(described, trials),
    calls: callsOf(yield* offline({ ...placeholders, BLOCKFROST_PROJECT_ID: "mainnet" }, trialsNow))
  }
})

/** The output of `wallet-data config --markdown`. */
const variables = Effect.gen(function* () {
  const chunks: Array<Uint8Array> = []
  yield* Effect.provideService(command(["config", "--markdown"], Effect.succeed({})), LogOutput, {
    write: (bytes, done) => {
      chunks.push(bytes)
      done(null, bytes.length)
    }
  })
  return Buffer.concat(chunks).toString("utf8").trimEnd()
})

export const parts: Effect.Effect<Parts, unknown> = Effect.zipWith(
  offline({}, networkParts),
  variables,
  (networks, variables) => ({
    ...networks,
    variables
  })
)

const marked = /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g

/** A document with updated generated parts; throws for an unknown part. */
export const filled = (text: string, parts: Parts): string =>
  text
    .replace(marked, (_, start: string, name: string, end: string) => {
      const part = parts[name]
      if (part === undefined) throw new Error(`unknown part ${name}`)
      return `${start}\n${part}\n\n${end}`
    })
    .replace(/\b\d+ networks\b/g, `${parts.networks?.split(":")[0]}`)

const pathOf = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url))

if (import.meta.main) {
  const all = await Effect.runPromise(parts)
  for (const document of documents) {
    const path = pathOf(document)
    writeFileSync(path, filled(readFileSync(path, "utf8"), all))
  }
  process.exit(0)
}
