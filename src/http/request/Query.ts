import type { Issue, Problem } from "../../contract/Problem.ts"
import { invalid, suggestion } from "../../contract/problem/issues.ts"

/** Longer than the name of any parameter. */
const maxName = 100

/** Name of the parameter in a part of a query. */
const nameOf = (part: string): string => {
  const end = part.indexOf("=")
  const name = part.slice(0, Math.min(maxName, end === -1 ? part.length : end))
  return /[%+]/.test(name) ? ([...new URLSearchParams(name).keys()][0] ?? "") : name
}

const unknown = (name: string, allowed: ReadonlyArray<string>): Issue => ({
  path: name,
  message:
    allowed.length === 0
      ? "is not a known query parameter; this route has none"
      : `is not a known query parameter; ${suggestion(name, allowed)}`
})

const repeated = (name: string): Issue => ({ path: name, message: "must be given only once" })

const maxIssues = 20

/** More than the parameters of any route; includes some room for empty parts, which are ignored. */
const maxParts = 100

/** Parts of a query: at most one more than allowed. */
const partsOf = (query: string) => query.split("&", maxParts + 1)

/** Only queries with a raw transaction are longer. */
const maxLength = 65_536

/** Characters of a raw transaction and its parameters, which need no decoding. */
const plain = /^[A-Za-z0-9_=&-]*$/

/**
 * Rejects a target (path and query) with query parameters that its route does not have or that are repeated: a misspelt
 * parameter must not be ignored silently. Costs almost nothing without a query; values are not read.
 */
export const refusal = (target: string, allowed: ReadonlyArray<string>): Problem | undefined => {
  const start = target.indexOf("?")
  if (start === -1) return undefined
  const seen = new Set<string>()
  const issues: Array<Issue> = []
  const query = target.slice(start + 1)
  if (query.length > maxLength && !plain.test(query)) {
    const message = `a query of more than ${maxLength} characters may have only letters and digits in its values`
    return invalid([{ path: "", message }])
  }
  const parts = partsOf(query)
  if (parts.length > maxParts) return invalid([{ path: "", message: `the query has more than ${maxParts} parameters` }])
  for (const part of parts) {
    if (part === "" || issues.length === maxIssues) continue
    const name = nameOf(part)
    if (!allowed.includes(name)) issues.push(unknown(name, allowed))
    else if (seen.has(name)) issues.push(repeated(name))
    seen.add(name)
  }
  return issues.length === 0 ? undefined : invalid(issues)
}
