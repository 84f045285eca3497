import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import manifest from "#package.json" with { type: "json" }
import { describe } from "../contract/openapi.ts"
import { hashOf } from "../http/access/ApiKey.ts"
import * as KeyFile from "../http/access/KeyFile.ts"
import { localUrl } from "../http/localUrl.ts"
import { settings } from "../http/ServerSettings.ts"
import { timeoutFail } from "../kernel/timeout.ts"
import type { Environment, Settings } from "../settings/Settings.ts"
import { check } from "./check.ts"
import { config, configMarkdown } from "./config.ts"
import * as record from "./record.ts"
import { serve } from "./serve.ts"

/** An option of a command. */
interface CommandOption {
  /** One letter. */
  readonly short?: string
  /** What stands in the usage for its value; an option without it is a switch. */
  readonly value?: string
  readonly meaning: string
}

export type CommandOptions = Readonly<Record<string, CommandOption>>

/** What was given to a command. */
export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly rest: ReadonlyArray<string>
}

/** A command of the binary. */
export interface Command {
  readonly meaning: string
  /** The words that it needs, as they stand in its usage. */
  readonly words: ReadonlyArray<string>
  readonly options: CommandOptions
  /** The variables that its options stand for, and those that hold while it runs. */
  readonly variables?: (given: Arguments) => Environment
  /** Whether values that are not allowed are noted, and do not stop it. */
  readonly lenient?: boolean
  /** Whether it succeeded. */
  readonly run: (given: Arguments) => Effect.Effect<boolean, unknown, Settings>
}

/** Prints name and version. */
export const version = Effect.as(Console.log(`${manifest.name} ${manifest.version}`), true)

/** Prints the OpenAPI document. */
const openapi = Effect.flatMap(settings, ({ appName }) =>
  Effect.as(Console.log(JSON.stringify(describe({ appName, version: manifest.version }).spec, undefined, 2)), true)
)

/** Prints a new random key, which is stored nowhere, and the entry by which the service knows it. */
const key = (name: string) =>
  Effect.gen(function* () {
    const text = `wd_${Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url")}`
    const entry = JSON.stringify({ name, hash: `sha256:${hashOf(text)}` })
    const problem = Either.getLeft(KeyFile.parse(`[${entry}]`))
    if (problem._tag === "Some") return yield* Effect.fail(`NAME: ${problem.value.replace(/^0\.name: /, "")}`)
    yield* Console.log(`key, for the client alone:  ${text}\nentry, for API_KEYS_FILE:   ${entry}`)
    return true
  })

const longest = 3600

/** The number of seconds that an option gives, as milliseconds; fails with what is allowed. */
const milliseconds = (
  option: string,
  given: Arguments["values"][string],
  otherwise: number
): Effect.Effect<number, string> => {
  if (given === undefined) return Effect.succeed(otherwise * 1000)
  const seconds = Number(given)
  return /^\d+(\.\d+)?$/.test(String(given)) && seconds > 0 && seconds <= longest
    ? Effect.succeed(seconds * 1000)
    : Effect.fail(`--${option}: "${given}" is not allowed; allowed: seconds, above 0 and up to ${longest}`)
}

/** Asks the service at HOST and PORT whether it is ready, or with `--live` whether it runs, and says so in one line. */
const health = ({ values }: Arguments) =>
  Effect.gen(function* () {
    const limit = yield* milliseconds("timeout", values.timeout, 5)
    const { host, port } = yield* settings
    const url = `${localUrl(host, port)}/health/${values.live === true ? "live" : "ready"}`
    const client = yield* HttpClient.HttpClient
    const status = yield* client.get(url).pipe(
      Effect.map((response) => response.status),
      Effect.scoped,
      Effect.mapError(() => `nothing answers at ${url}`),
      (answer) => timeoutFail(answer, { duration: limit, onTimeout: () => `no answer in time from ${url}` })
    )
    const word = values.live === true ? "live" : "ready"
    yield* Console.log(status === 200 ? word : `not ${word}: ${url} answered with status ${status}`)
    return status === 200
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** Where the service listens, or is looked for: in place of the variables of the same names. */
const address: CommandOptions = {
  port: { short: "p", value: "PORT", meaning: "in place of the variable PORT" },
  host: { value: "HOST", meaning: "in place of the variable HOST" }
}

const addressVariables = ({ values: { host, port } }: Arguments): Environment => ({
  ...(typeof port === "string" ? { PORT: port } : {}),
  ...(typeof host === "string" ? { HOST: host } : {})
})

/** The commands by name, in the order of the usage. */
export const commands: Readonly<Record<string, Command>> = {
  serve: {
    meaning: "answer requests until stopped (the default)",
    words: [],
    options: address,
    variables: addressVariables,
    run: () => serve
  },
  health: {
    meaning: "ask the service that runs here whether it is ready; exit 1 if it is not",
    words: [],
    options: {
      ...address,
      live: { meaning: "whether it runs at all" },
      timeout: { value: "SECONDS", meaning: "how long it may take, 5 by default" }
    },
    variables: addressVariables,
    run: health
  },
  check: {
    meaning: "try every upstream; exit 1 if an ability of a network has none that works",
    words: [],
    options: {
      timeout: { value: "SECONDS", meaning: "how long an address may take, 10 by default" },
      strict: { meaning: "exit 1 if any address is down" },
      json: { meaning: "print the result as JSON" }
    },
    run: ({ values: { json, strict, timeout } }) =>
      Effect.flatMap(milliseconds("timeout", timeout, 10), (limit) =>
        check({ limit, json: json === true, strict: strict === true })
      )
  },
  record: {
    meaning: "send every upstream typical queries, write the exchanges to DIR; exit 1 if a response no longer fits",
    words: ["DIR"],
    options: {},
    variables: () => record.variables,
    run: ({ rest: [directory = ""] }) => record.into(directory)
  },
  config: {
    meaning: "list every variable with its meaning, default and value; exit 1 if one is not allowed",
    words: [],
    options: { markdown: { meaning: "their defaults and meanings as markdown tables" } },
    lenient: true,
    run: ({ values }) => (values.markdown === true ? configMarkdown : config)
  },
  key: {
    meaning: "make an API key, and its entry for API_KEYS_FILE",
    words: ["NAME"],
    options: {},
    run: ({ rest: [name = ""] }) => key(name)
  },
  openapi: { meaning: "print the OpenAPI document", words: [], options: {}, run: () => openapi },
  version: { meaning: "print the version", words: [], options: {}, run: () => version }
}
