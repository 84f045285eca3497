import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Api } from "../../contract/Api.ts"
import { nearest } from "../../kernel/text/closest.ts"
import { keyForm } from "../../settings/variables.ts"
import { type ApiKey, plain, routeMatcher } from "./ApiKey.ts"

const count = Schema.Int.pipe(Schema.between(0, 1_000_000_000))

const Entry = Schema.Struct({
  name: Schema.String.pipe(
    Schema.pattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
      message: () => "must be 1 to 64 letters, digits, dots, hyphens or underscores"
    })
  ),
  hash: Schema.String.pipe(
    Schema.pattern(/^sha256:[0-9a-f]{64}$/, {
      // Omits the value, which may be a key by mistake.
      message: () => "must be sha256: and 64 hexadecimal digits in lower case"
    })
  ),
  perMinute: Schema.optional(count),
  perDay: Schema.optional(count),
  routes: Schema.optional(Schema.NonEmptyArray(Schema.String))
})

const decode = Schema.decodeUnknownEither(Schema.Array(Entry), { onExcessProperty: "error" })

/** Limit up to which keys are checked and shown without delay. */
const maxKeys = 10_000

const templates: ReadonlyArray<string> = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints as Readonly<Record<string, { readonly path: string }>>).map(({ path }) => path)
)

/** Finds a route that does not exist, which would silently lock out a client. */
const strangeRoute = (routes: ReadonlyArray<string> | undefined): string | undefined => {
  const strange = routes?.find((route) => !templates.some(routeMatcher([route])))
  if (strange === undefined) return undefined
  const meant = nearest(strange, templates)
  return `there is no route ${strange}${meant === undefined ? "" : `; did you mean ${meant}?`}`
}

const repeated = (texts: ReadonlyArray<string>) => {
  const before = new Set<string>()
  return texts.find((text) => before.size === before.add(text).size)
}

const problemOf = (entries: ReadonlyArray<typeof Entry.Type>): string | undefined => {
  const name = repeated(entries.map((entry) => entry.name))
  if (name !== undefined) return `the name ${name} is used twice`
  const hash = repeated(entries.map((entry) => entry.hash))
  if (hash !== undefined) return `${entries.findLast((entry) => entry.hash === hash)?.name} has the hash of another key`
  for (const [index, { routes }] of entries.entries()) {
    const strange = strangeRoute(routes)
    if (strange !== undefined) return `${index}.routes: ${strange}`
  }
  return undefined
}

const fromEntries = (entries: ReadonlyArray<typeof Entry.Type>): ReadonlyArray<ApiKey> =>
  entries.map(({ hash, name, perDay = 0, perMinute, routes }) => ({
    name,
    hash: hash.slice("sha256:".length),
    perMinute,
    perDay,
    allows: routeMatcher(routes)
  }))

/** First issue with its path. Issues of this schema contain no value of the file. */
const issueOf = (error: ParseResult.ParseError) => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  return issue === undefined ? "is not valid" : `${issue.path.join(".")}: ${issue.message.split(", actual")[0]}`
}

const fromJson = (text: string): Either.Either<ReadonlyArray<ApiKey>, string> =>
  Either.try({ try: () => JSON.parse(text) as unknown, catch: () => "is not valid JSON" }).pipe(
    Either.flatMap((value) => {
      if (!Array.isArray(value)) return Either.left("is not a list of keys")
      return value.length === 0 ? Either.left("has no key") : Either.mapLeft(decode(value), issueOf)
    }),
    Either.flatMap((entries) => {
      if (entries.length > maxKeys) return Either.left(`has more than ${maxKeys} keys`)
      const problem = problemOf(entries)
      return problem === undefined ? Either.right(fromEntries(entries)) : Either.left(problem)
    })
  )

/** Keys of a line; a comment has none. */
const keysOf = (line: string) =>
  line.trimStart().startsWith("#")
    ? []
    : line
        .split(",")
        .map((key) => key.trim())
        .filter((key) => key !== "")

/** Parses plain keys, on separate lines or separated by commas, as secrets are stored in files. */
const fromLines = (text: string): Either.Either<ReadonlyArray<ApiKey>, string> => {
  const keys = text.split("\n").flatMap(keysOf)
  if (keys.length === 0) return Either.left("has no key")
  const strange = text.split("\n").findIndex((line) => keysOf(line).some((key) => !keyForm.pattern.test(key)))
  if (strange !== -1) return Either.left(`line ${strange + 1} is not a key: a key has ${keyForm.allowed}`)
  if (keys.length > maxKeys) return Either.left(`has more than ${maxKeys} keys`)
  return Either.right([...new Set(keys)].map((key, index) => plain(key, `file-key-${index + 1}`)))
}

/** Parses the keys of a file: a JSON list of entries, or plain keys. Left is the problem, without any key. */
export const parse = (text: string): Either.Either<ReadonlyArray<ApiKey>, string> =>
  /^\s*[[{]/.test(text) ? fromJson(text) : fromLines(text)
