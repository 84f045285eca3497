import { allowedInstead, invalid } from "../api/issues.ts"
import type { Issue, Problem } from "../api/Problem.ts"

/** The name of a parameter, from a part of a query. */
const nameOf = (part: string): string => {
  const end = part.indexOf("=")
  const name = end === -1 ? part : part.slice(0, end)
  return /[%+]/.test(name) ? ([...new URLSearchParams(name).keys()][0] ?? "") : name
}

const unknown = (name: string, allowed: ReadonlyArray<string>): Issue => ({
  path: name.slice(0, 100),
  message:
    allowed.length === 0
      ? "is not a known query parameter; this route has none"
      : `is not a known query parameter; ${allowedInstead(name, allowed)}`
})

const repeated = (name: string): Issue => ({ path: name, message: "must be given only once" })

/** More than a reader would read. */
const maxIssues = 20

/**
 * Why a request with this target (path and query) is refused whose route has only these parameters: what a client
 * misspells must not change the answer in silence. Costs next to nothing where there is no query; values are not read.
 */
export const refusal = (target: string, allowed: ReadonlyArray<string>): Problem | undefined => {
  const start = target.indexOf("?")
  if (start === -1) return undefined
  const seen = new Set<string>()
  const issues: Array<Issue> = []
  for (const part of target.slice(start + 1).split("&")) {
    if (part === "" || issues.length === maxIssues) continue
    const name = nameOf(part)
    if (!allowed.includes(name)) issues.push(unknown(name, allowed))
    else if (seen.has(name)) issues.push(repeated(name))
    seen.add(name)
  }
  return issues.length === 0 ? undefined : invalid(issues)
}
