import { readFileSync, statSync } from "node:fs"
import * as Either from "effect/Either"

/** No file of settings is larger, in bytes; what is larger is something else. */
const maxSize = 1_048_576

const codeOf = (cause: unknown) => (cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error")

/** The text of a small file, read at once; left is why there is none. The text is never part of the reason. */
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

/** What changes where the file is written or replaced; undefined while there is none. */
export const versionOf = (path: string): string | undefined =>
  Either.try(() => statSync(path)).pipe(
    Either.map(({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`),
    Either.getOrUndefined
  )
