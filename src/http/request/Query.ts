import type { Problem } from "../../contract/Problem.ts"
import type { Issue } from "../../contract/problem/body.ts"
import { allowedInstead, invalid } from "../../contract/problem/issues.ts"

/** No route has a parameter with a name of this length. */
const maxName = 100

/** The name of a parameter, from a part of a query. */
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
      : `is not a known query parameter; ${allowedInstead(name, allowed)}`
})

const repeated = (name: string): Issue => ({ path: name, message: "must be given only once" })

/** More than a reader would read. */
const maxIssues = 20

/** More parameters than any route has; what is left counts empty ones, which say nothing. */
const maxParts = 100

/** The parts of a query, one more at most than there may be. */
const partsOf = (query: string) => query.split("&", maxParts + 1)

/** Only a raw transaction is longer. */
const maxLength = 65_536

/** What a raw transaction is made of, and the parameters around it: nothing that takes time to decode. */
const plain = /^[A-Za-z0-9_=&-]*$/

/**
 * Why a request with this target (path and query) is refused whose route has only these parameters: what a client
 * misspells must not change the answer in silence. Costs next to nothing where there is no query; values are not read.
 */
export const refusal = (target: string, allowed: ReadonlyArray<string>): Problem | undefined => {
  const start = target.indexOf("?")
  if (start === -1) return undefined
  const seen = new Set<string>()
  const issues: Array<Issue> = []
  const query = target.slice(start + 1)
  if (query.length > maxLength && !plain.test(query)) {
    const message = `a query of more than ${maxLength} characters may have letters and digits alone in its values`
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
