import { readFileSync, statSync } from "node:fs"
import * as Either from "effect/Either"

/** Size limit, bytes: a larger file is not a settings file. */
const maxSize = 1_048_576

const codeOf = (cause: unknown) => (cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error")

/** Reads a small text file; left is the reason if that fails, which never contains the text. */
export const readText = (path: string): Either.Either<string, string> =>
  Either.try({
    try: () => {
      const { size } = statSync(path)
      return size > maxSize ? undefined : new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path))
    },
    catch: (cause) =>
      cause instanceof TypeError ? `"${path}" is not text in UTF-8` : `"${path}" cannot be read: ${codeOf(cause)}`
  }).pipe(
    Either.flatMap((text) =>
      text === undefined ? Either.left(`"${path}" is larger than ${maxSize} bytes`) : Either.right(text)
    )
  )

/** A value that changes when the file is written or replaced; undefined if there is no file. */
export const versionOf = (path: string): string | undefined =>
  Either.try(() => statSync(path)).pipe(
    Either.map(({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`),
    Either.getOrUndefined
  )
