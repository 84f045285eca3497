import * as Effect from "effect/Effect"
import type { ArrayFormatterIssue } from "effect/ParseResult"
import type { Reason } from "../../domain/Reason.ts"
import { closest } from "../../kernel/text/closest.ts"
import { measure } from "../../kernel/text/jsonText.ts"
import { InvalidRequest, type Issue, NotImplemented, TooLarge, UpstreamFailed } from "../Problem.ts"

/** Truncates a path or message, which quotes the request and may be as long as a body. */
const shortened = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}…` : text)

/** Limits the response: a body of invalid values would otherwise produce a response several times as long. */
const maxIssues = 100

/** For an unknown name: the closest allowed name, and all allowed names. */
export const suggestion = (name: string, allowed: ReadonlyArray<string>): string => {
  const meant = closest(name, allowed)
  return `${meant === undefined ? "" : `did you mean "${meant}"? `}allowed: ${allowed.join(", ")}`
}

/** The names in the library's message for an unknown member of an object: `is unexpected, expected: "a" | "b"`. */
const namesIn = (message: string) => [...message.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name)

const messageOf = ({ _tag, message, path }: ArrayFormatterIssue): string => {
  if (_tag === "Unexpected") return `is not a known member; ${suggestion(String(path.at(-1)), namesIn(message))}`
  return path.length === 0 ? `the body ${message}` : message
}

/** No valid request nests deeper. Limited because parsing and traversal need stack for each level. */
export const maxDepth = 64

/** The issue of a body that is not valid JSON; `cause` is the parser's message. */
export const notJson = (text: string, cause: string | undefined): Issue => {
  const reason = cause === undefined ? "" : `: ${cause.replace(/^JSON Parse error: /, "")}`
  const empty = text.trim() === ""
  return {
    path: "",
    message: empty ? "the body is empty; this route expects JSON" : shortened(`the body is not valid JSON${reason}`)
  }
}

/** The problem of a request with these invalid values. */
export const invalid = (issues: ReadonlyArray<Issue>) =>
  new InvalidRequest({
    detail: `The request is not valid: ${shortened(
      issues.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`)).join("; ")
    )}`,
    issues
  })

/**
 * Checks a body before it is parsed. Returns a problem if it is nested too deeply or has more than `maxValues` values.
 * `extensions` returns further members of the problem document for a message.
 */
export const sizeProblem = (
  text: string,
  maxValues: number,
  extensions: (message: string) => Readonly<Record<string, unknown>> = () => ({})
): InvalidRequest | TooLarge | undefined => {
  const { depth, values } = measure(text, { depth: maxDepth, values: maxValues })
  if (depth > maxDepth) {
    const message = `the body is nested more than ${maxDepth} levels deep`
    const issues = [{ path: "", message }]
    return new InvalidRequest({ detail: invalid(issues).detail, issues, extensions: extensions(message) })
  }
  if (values <= maxValues) return undefined
  const message = `the body has more than ${maxValues} values`
  return new TooLarge({ detail: `The request is too large: ${message}.`, extensions: extensions(message) })
}

/** The problem of a request that does not match its schema. */
export const schemaProblem = (found: ReadonlyArray<ArrayFormatterIssue>) =>
  invalid(
    found.slice(0, maxIssues).map((arrayFormatterIssue) => ({
      path: shortened(arrayFormatterIssue.path.join(".")),
      message: shortened(messageOf(arrayFormatterIssue))
    }))
  )

/** Why a request about one network has no result; `member` is the path of a value that is not valid. */
interface NoResult {
  readonly member?: string
  readonly reason?: Reason
  readonly message: string
}

/** The problem of a request without a result; `what` introduces the message if no upstream has responded. */
export const withoutResult =
  (what = "") =>
  ({ member, message, reason }: NoResult) => {
    if (member !== undefined) return invalid([{ path: member, message }])
    return reason === "not_configured" || reason === "sunset"
      ? new NotImplemented({ detail: `${message}.` })
      : new UpstreamFailed({ detail: `${what}${message}.` })
  }

/** Fails for a request with more than `max` addresses, or other texts, over all networks. */
export const tooManyAddresses = (
  networks: Readonly<Record<string, ReadonlyArray<string>>>,
  max: number,
  texts = "addresses"
): Effect.Effect<void, TooLarge> => {
  const count = Object.values(networks).reduce((sum, addresses) => sum + addresses.length, 0)
  if (count <= max) return Effect.void
  return new TooLarge({ detail: `The request names ${count} ${texts}; at most ${max} are allowed.` })
}
