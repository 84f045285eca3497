import * as HttpApi from "@effect/platform/HttpApi"
import * as Context from "effect/Context"
import { Api } from "../contract/Api.ts"
import { HasSideEffect } from "../contract/HasSideEffect.ts"

/** The POSTs that only read. */
const readingPosts: ReadonlySet<string> = new Set([
  "/balance",
  "/balance/token",
  "/history",
  "/portfolio/chart",
  "/utils/getrawtransaction",
  "/utils/first-tx",
  "/utils/transaction-context"
])

const patterns = (): ReadonlyArray<readonly [method: string, path: RegExp]> => {
  const found: Array<readonly [string, RegExp]> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { annotations, method, path }, successes }) => {
      const isRead = method === "GET" ? !Context.get(annotations, HasSideEffect) : readingPosts.has(path)
      // Where 503 is an answer like any other, it is no refusal.
      if (isRead && !successes.has(503)) found.push([method, new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`)])
    }
  })
  return found
}

const reads = patterns()

/** Whether a second request to this path changes nothing. */
export const isRepeatable = (method: string, path: string): boolean =>
  reads.some(([ofRoute, pattern]) => ofRoute === method && pattern.test(path))
