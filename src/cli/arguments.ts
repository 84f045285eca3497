import { parseArgs } from "node:util"
import * as Either from "effect/Either"
import { nearest } from "../kernel/text/closest.ts"

/** An option of a command. */
export interface CommandOption {
  /** One letter. */
  readonly short?: string
  /** What stands in the usage for its value; an option without it is a switch. */
  readonly value?: string
  readonly meaning: string
}

export type CommandOptions = Readonly<Record<string, CommandOption>>

/** What was given to a command. */
export interface Arguments {
  readonly values: Readonly<Record<string, string | true>>
  readonly rest: ReadonlyArray<string>
}

const withDashes = (name: string) => (name.length === 1 ? `-${name}` : `--${name}`)

const unknownOption = (name: string, options: CommandOptions) => {
  const meant = nearest(name, Object.keys(options))
  return `${withDashes(name)} is not an option${meant === undefined ? "" : `; did you mean --${meant}?`}`
}

/**
 * The options and further words of a command, of which there may be `most`. Left is what is wrong with them: nothing that
 * is misspelt is ignored.
 */
export const parse = (
  args: ReadonlyArray<string>,
  options: CommandOptions,
  most: number
): Either.Either<Arguments, string> => {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      Object.entries(options).map(([name, { short, value }]) => [
        name,
        {
          type: value === undefined ? ("boolean" as const) : ("string" as const),
          ...(short === undefined ? {} : { short })
        }
      ])
    )
  })
  const values: Record<string, string | true> = {}
  const rest: Array<string> = []
  for (const token of tokens) {
    if (token.kind === "positional") {
      rest.push(token.value)
      if (rest.length > most) return Either.left(`"${token.value}" is not expected`)
    }
    if (token.kind !== "option") continue
    const { name, value } = token
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (option === undefined) return Either.left(unknownOption(name, options))
    if (option.value === undefined && value !== undefined) return Either.left(`--${name} takes no value`)
    if (
      option.value !== undefined &&
      (value === undefined || value === "" || (!token.inlineValue && value.startsWith("-")))
    )
      return Either.left(`--${name} needs a value: --${name} ${option.value}`)
    values[name] = value ?? true
  }
  return Either.right({ values, rest })
}

/** The options as lines of a usage. */
export const usageOf = (options: CommandOptions): ReadonlyArray<string> => {
  const rows = Object.entries(options).map(([name, { meaning, short, value }]) => ({
    left: `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
    meaning
  }))
  const width = Math.max(...rows.map(({ left }) => left.length))
  return rows.map(({ left, meaning }) => `  ${left.padEnd(width)}  ${meaning}`)
}
