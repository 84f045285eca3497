import { parseEnv } from "node:util"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { SettingError } from "./Settings.ts"

type Variables = Readonly<Record<string, string | undefined>>

const fileName = ".env"

const refused = (problem: string) => new SettingError({ variable: fileName, problem })

/** No file of settings is larger, in bytes; what is larger is something else. */
const maxSize = 1_048_576

/**
 * The variables in the file `.env` of the working directory; none where there is no such file. Fails where there is one
 * that cannot be read or understood: a setting that is lost in silence, such as `API_KEYS`, would open the service.
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
 * `NAME=value` on a line each, with or without `export` before it. The value is bare, or is between quotation marks
 * ('…', "…" or `…`), where it may go over several lines, and `\n` between double ones is a line break. A comment begins
 * with `#`, after a blank where it follows a value. Nothing is expanded in a value. Left: the first line that is
 * something else; a bare `#` inside of a value is refused, since a password would be cut there.
 */
export const parseEnvFile = (file: string): Either.Either<Variables, SettingError> => {
  const text = file.replaceAll("\r\n", "\n")
  // Of what is between quotation marks the check needs only the number of lines.
  const outline = text.replace(quoted, (_, begin: string, value: string) => begin + value.replace(/[^\n]/g, ""))
  const wrong = outline.split("\n").findIndex((line) => !allowed.test(line))
  return wrong < 0
    ? Either.right({ ...parseEnv(text) } as Variables)
    : Either.left(
        refused(
          `line ${wrong + 1} is not understood; allowed: NAME=value (a value with # or quotation marks in it between quotation marks), # and a comment, or nothing`
        )
      )
}

const assignment = String.raw`\uFEFF?\s*(?:export\s+)?[A-Za-z_][A-Za-z0-9_]*[^\S\n]*=[^\S\n]*`
const comment = String.raw`[^\S\n]*(?:(?<=\s)#.*)?`

const quoted = new RegExp(`^(${assignment})("[^"]*"|'[^']*'|\`[^\`]*\`)${comment}$`, "gm")

const allowed = new RegExp(String.raw`^\s*(#.*|${assignment}([^\s"'\`#]((?<=\s)#.*|[^#])*|#.*)?)?$`)
