import { parseEnv } from "node:util"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { SettingError } from "./Settings.ts"

type Variables = Readonly<Record<string, string | undefined>>

const fileName = ".env"

const refused = (problem: string) => new SettingError({ variable: fileName, problem })

/** Size limit, bytes: a larger file is not a settings file. */
const maxSize = 1_048_576

/**
 * The variables in the file `.env` of the working directory; none if the file does not exist. Fails if the file cannot
 * be read or parsed: if a setting such as `API_KEYS` were silently ignored, the service would be open.
 */
export const readEnvFile: Effect.Effect<Variables, SettingError, FileSystem.FileSystem> = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  if (!(yield* files.exists(fileName))) return {}
  const { size, type } = yield* files.stat(fileName)
  if (type !== "File") return yield* refused("is not a file")
  if (size > maxSize) return yield* refused(`is larger than ${maxSize} bytes`)
  const bytes = yield* files.readFile(fileName)
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => refused("is not text in UTF-8")
  })
  return yield* parseEnvFile(text)
}).pipe(
  Effect.mapError((error) => (error._tag === "SettingError" ? error : refused(`cannot be read: ${error.message}`)))
)

/**
 * Parses lines of the form `NAME=value`, optionally after `export`. A quoted value ('…', "…" or `…`) may span several
 * lines, and `\n` in double quotes is a line break. A comment starts with `#`; after a value, a blank must precede it.
 * Variables in values are not expanded. Left: the first line of another form. A `#` inside an unquoted value is
 * rejected, because it would cut off the rest of a password.
 */
export const parseEnvFile = (file: string): Either.Either<Variables, SettingError> => {
  const text = file.replaceAll("\r\n", "\n")
  // The check of a quoted value only needs its line breaks.
  const outline = text.replace(quoted, (_, begin: string, value: string) => begin + value.replace(/[^\n]/g, ""))
  const wrong = outline.split("\n").findIndex((line) => !allowed.test(line))
  return wrong < 0
    ? Either.right({ ...parseEnv(text) } as Variables)
    : Either.left(
        refused(
          `line ${wrong + 1} cannot be parsed; allowed: NAME=value (quoted if the value contains # or quotation marks), # and a comment, or an empty line`
        )
      )
}

const assignment = String.raw`\uFEFF?\s*(?:export\s+)?[A-Za-z_][A-Za-z0-9_]*[^\S\n]*=[^\S\n]*`
const comment = String.raw`[^\S\n]*(?:(?<=\s)#.*)?`

const quoted = new RegExp(`^(${assignment})("[^"]*"|'[^']*'|\`[^\`]*\`)${comment}$`, "gm")

const allowed = new RegExp(String.raw`^\s*(#.*|${assignment}([^\s"'\`#]((?<=\s)#.*|[^#])*|#.*)?)?$`)
