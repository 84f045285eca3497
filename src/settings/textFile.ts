import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs"
import * as Either from "effect/Either"

/** Size limit, bytes: a larger file is not a settings file. */
const maxSize = 1_048_576

const codeOf = (cause: unknown) => (cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error")

/** The bytes of an open file, at most one more than allowed: some files grow, or have a size of 0. */
const bytesOf = (descriptor: number): Uint8Array => {
  const bytes = Buffer.alloc(maxSize + 1)
  let length = 0
  for (let count = 1; count > 0; length += count)
    count = readSync(descriptor, bytes, length, bytes.length - length, null)
  return bytes.subarray(0, length)
}

/** Never waits for the writer of a named pipe. A byte order mark at the start is removed. */
const textOf = (descriptor: number): Either.Either<string, string> => {
  if (!fstatSync(descriptor).isFile()) return Either.left("is not a regular file")
  const bytes = bytesOf(descriptor)
  return bytes.length > maxSize
    ? Either.left(`is larger than ${maxSize} bytes`)
    : Either.right(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
}

const attempt = <A>(run: () => A): Either.Either<A, string> =>
  Either.try({
    try: run,
    catch: (cause) => (cause instanceof TypeError ? "is not text in UTF-8" : `cannot be read: ${codeOf(cause)}`)
  })

/** Reads a small regular text file; left is the reason if that fails, which never contains the text. */
export const readText = (path: string): Either.Either<string, string> =>
  attempt(() => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)).pipe(
    Either.flatMap((descriptor) => {
      const text = Either.flatMap(
        attempt(() => textOf(descriptor)),
        (read) => read
      )
      closeSync(descriptor)
      return text
    }),
    Either.mapLeft((problem) => `"${path}" ${problem}`)
  )

/** A value that changes when the file is written or replaced; undefined if there is no file. */
export const versionOf = (path: string): string | undefined =>
  Either.try(() => statSync(path)).pipe(
    Either.map(({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`),
    Either.getOrUndefined
  )
