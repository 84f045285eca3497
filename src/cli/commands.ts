import type * as Effect from "effect/Effect"
import type { Environment, Settings } from "../settings/Settings.ts"
import type { Arguments, CommandOptions } from "./arguments.ts"
import { check } from "./check.ts"
import { config, configMarkdown } from "./config.ts"
import { health } from "./health.ts"
import { key } from "./key.ts"
import { openapi } from "./openapi.ts"
import * as record from "./record.ts"
import { serve } from "./serve.ts"
import { version } from "./version.ts"

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
    run: check
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
