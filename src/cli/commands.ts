import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { forGenerators } from "../contract/document/generators.ts"
import { describe } from "../contract/openapi.ts"
import { hashOf } from "../http/access/ApiKey.ts"
import * as KeyFile from "../http/access/KeyFile.ts"
import { localUrl } from "../http/localUrl.ts"
import { settings } from "../http/ServerSettings.ts"
import { timeoutFail } from "../kernel/timeout.ts"
import { release, title } from "../settings/build.ts"
import * as proxies from "../settings/proxies.ts"
import type { Environment, Settings } from "../settings/Settings.ts"
import { check } from "./check.ts"
import { config } from "./config.ts"
import { checkFacts } from "./facts.ts"
import { lever } from "./lever.ts"
import { print } from "./print.ts"
import * as record from "./record.ts"
import { serve } from "./serve.ts"

/** An option of a command. */
interface CommandOption {
  /** One letter. */
  readonly short?: string
  /** Placeholder for the value in the usage; an option without it is a switch. */
  readonly value?: string
  readonly meaning: string
}

export type CommandOptions = Readonly<Record<string, CommandOption>>

/** The parsed arguments of a command. */
export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly rest: ReadonlyArray<string>
}

/** A command of the binary. */
export interface Command {
  readonly meaning: string
  /** The required positional arguments, as shown in the usage. */
  readonly words: ReadonlyArray<string>
  readonly options: CommandOptions
  /** Variables that its options set, and variables that are fixed while it runs. */
  readonly variables?: (given: Arguments) => Environment
  /** Whether it continues if a variable has an invalid value. */
  readonly lenient?: boolean
  /** Returns whether it succeeded. */
  readonly run: (given: Arguments) => Effect.Effect<boolean, unknown, Settings>
}

/** Prints name, version, commit and runtime in one line. */
export const version = Effect.as(print(title), true)

/** Prints the OpenAPI document. */
const openapi = ({ values }: Arguments) =>
  settings.pipe(
    Effect.flatMap(({ appName }) => describe({ appName, version: release.version })),
    Effect.map((spec) => (values.generators === true ? forGenerators(spec) : spec)),
    Effect.flatMap((document) => print(JSON.stringify(document, undefined, 2))),
    Effect.as(true)
  )

/** Prints a new random key, which is not stored, and its entry for API_KEYS_FILE, which contains only the hash. */
const key = (name: string) =>
  Effect.gen(function* () {
    const text = `wd_${Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url")}`
    const entry = JSON.stringify({ name, hash: `sha256:${hashOf(text)}` })
    const problem = Either.getLeft(KeyFile.parse(`[${entry}]`))
    if (problem._tag === "Some") return yield* Effect.fail(`NAME: ${problem.value.replace(/^0\.name: /, "")}`)
    yield* print(`key, for the client alone:  ${text}\nentry, for API_KEYS_FILE:   ${entry}`)
    return true
  })

const longest = 3600

/** Converts an option in seconds to milliseconds; fails with the allowed range. */
const milliseconds = (option: string, given: Arguments["values"][string], otherwise: number) => {
  if (given === undefined) return Effect.succeed(otherwise * 1000)
  const seconds = Number(given)
  return /^\d+(\.\d+)?$/.test(String(given)) && seconds > 0 && seconds <= longest
    ? Effect.succeed(seconds * 1000)
    : Effect.fail(`--${option}: "${given}" is not allowed; allowed: seconds, above 0 and up to ${longest}`)
}

/** Checks whether the service at HOST and PORT is ready (with `--live`: running), and prints the result in one line. */
const health = ({ values }: Arguments) =>
  Effect.gen(function* () {
    const limit = yield* milliseconds("timeout", values.timeout, 5)
    const { host, port } = yield* settings
    const url = `${localUrl(host, port)}/health/${values.live === true ? "live" : "ready"}`
    const client = yield* HttpClient.HttpClient
    const status = yield* client.get(url).pipe(
      Effect.map((response) => response.status),
      Effect.scoped,
      Effect.mapError(() => `no response from ${url}`),
      (answer) => timeoutFail(answer, { duration: limit, onTimeout: () => `no response in time from ${url}` })
    )
    const word = values.live === true ? "live" : "ready"
    yield* print(status === 200 ? word : `not ${word}: ${url} responded with status ${status}`)
    return status === 200
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** Options for the address of the service; they override the variables of the same names. */
const address: CommandOptions = {
  port: { short: "p", value: "PORT", meaning: "overrides the variable PORT" },
  host: { value: "HOST", meaning: "overrides the variable HOST" }
}

const addressVariables = ({ values: { host, port } }: Arguments): Environment => ({
  ...(typeof port === "string" ? { PORT: port } : {}),
  ...(typeof host === "string" ? { HOST: host } : {})
})

/** The commands by name, in the order of the usage. */
export const commands: Readonly<Record<string, Command>> = {
  serve: {
    meaning: "serve requests until stopped (the default)",
    words: [],
    options: address,
    variables: addressVariables,
    run: () => serve
  },
  health: {
    meaning: "check whether the service on this machine is ready; exit 1 if it is not",
    words: [],
    options: {
      ...address,
      live: { meaning: "only check that it is running" },
      timeout: { value: "SECONDS", meaning: "timeout, 5 by default" }
    },
    variables: addressVariables,
    run: health
  },
  check: {
    meaning: "call every upstream once; exit 1 if an ability of a network has no working upstream",
    words: [],
    options: {
      timeout: { value: "SECONDS", meaning: "timeout per address, 10 by default" },
      network: { value: "ID", meaning: "only the upstreams of this network" },
      strict: { meaning: "exit 1 if any address is down" },
      facts: { meaning: "only compare the facts of networks with what their chains say; exit 1 if one differs" },
      json: { meaning: "print the result as JSON" }
    },
    // A file that root created would not be usable for the service.
    variables: () => ({ CACHE: "memory" }),
    run: ({ values: { facts, json, network, strict, timeout } }) =>
      Effect.gen(function* () {
        if (facts === true && strict === true)
          return yield* Effect.fail("check: of --facts and --strict only one is allowed")
        const limit = yield* milliseconds("timeout", timeout, 10)
        const options = { limit, json: json === true, network: network === undefined ? undefined : String(network) }
        yield* proxies.proxies
        return yield* facts === true ? checkFacts(options) : check({ ...options, strict: strict === true })
      })
  },
  record: {
    meaning:
      "send typical queries to every upstream, write the exchanges to DIR; exit 1 if a response has an unexpected form or none comes",
    words: ["DIR"],
    options: { strict: { meaning: "exit 1 if any upstream is unreachable" } },
    variables: () => record.variables,
    run: ({ rest: [directory = ""], values: { strict } }) =>
      Effect.zipRight(proxies.proxies, record.recordInto(directory, { strict: strict === true }))
  },
  config: {
    meaning: "list every variable with its meaning, default and value; exit 1 if a value is not allowed",
    words: [],
    options: {
      set: { meaning: "only variables that are set, with the place where" },
      check: { meaning: "only print what is wrong" },
      json: { meaning: "print as JSON" },
      markdown: { meaning: "print defaults and meanings as markdown tables" }
    },
    lenient: true,
    run: ({ values }) => {
      const [form = "text", other] = (["check", "json", "markdown"] as const).filter((name) => values[name] === true)
      if (other !== undefined || (form === "markdown" && values.set === true))
        return Effect.fail(
          `config: of --check, --json and --markdown only one is allowed, and --set not with --markdown`
        )
      return config({ onlySet: values.set === true, form })
    }
  },
  lever: {
    meaning:
      "switch sources off or on for all processes that share the store, or list what is switched: off, on or list",
    words: ["ACTION"],
    options: {
      source: { value: "NAME", meaning: "this source, by its name in GET /networks; all of the network without it" },
      network: { value: "ID", meaning: "only on this network" },
      ability: { value: "NAME", meaning: "only for this ability of networks" },
      reason: { value: "TEXT", meaning: "why; required by off, and shown to clients" }
    },
    run: ({ rest: [action = ""], values: { ability, network, reason, source } }) => {
      const text = (value: Arguments["values"][string]) => (typeof value === "string" ? value : undefined)
      return lever(action, {
        ability: text(ability),
        network: text(network),
        reason: text(reason),
        source: text(source)
      })
    }
  },
  key: {
    meaning: "generate an API key and its entry for API_KEYS_FILE",
    words: ["NAME"],
    options: {},
    run: ({ rest: [name = ""] }) => key(name)
  },
  openapi: {
    meaning: "print the OpenAPI document",
    words: [],
    options: { generators: { meaning: "as OpenAPI 3.0, for generators of Swift and Kotlin" } },
    run: openapi
  },
  licenses: {
    meaning: "print the licenses of the program and of everything in it",
    words: [],
    options: {},
    // Loaded only here, because the texts are large.
    run: () =>
      Effect.promise(() => import("./licenses.ts")).pipe(
        Effect.flatMap(({ licenses }) => licenses),
        Effect.flatMap(print),
        Effect.as(true)
      )
  },
  version: { meaning: "print version, commit and runtime", words: [], options: {}, run: () => version }
}
