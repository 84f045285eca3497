import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe } from "@effect/vitest"
import { type Reply, text } from "./http.ts"

/** One recorded exchange with an upstream. */
export interface Exchange {
  readonly provider: string
  readonly request: {
    readonly method: string
    readonly host?: string
    readonly path: string
    readonly query: Readonly<Record<string, string>>
    readonly body: unknown
  }
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: unknown
  }
}

const folder = resolve(process.cwd(), "../shared/fixtures")

/** A suite over recorded answers; it is skipped, and says so, where they do not lie beside the project. */
export const recorded = (name: string, suite: () => void) =>
  existsSync(folder)
    ? describe(name, suite)
    : describe.skip(`${name} (skipped: there are no recorded answers beside the project)`, suite)

/** The names of all cases of a provider; none where there are no recorded answers. */
export const cases = (provider: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(resolve(folder, provider))
        .filter((file) => file.endsWith(".json"))
        .map((file) => file.slice(0, -".json".length))
        .sort()
    : []

export const fixture = (provider: string, name: string): Exchange =>
  JSON.parse(readFileSync(resolve(folder, provider, `${name}.json`), "utf8"))

/** The answer as it came; a test may change its status or headers. */
export const replay = (
  { response }: Exchange,
  changes: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {}
): Reply =>
  text(typeof response.body === "string" ? response.body : JSON.stringify(response.body), {
    status: response.status,
    headers: response.headers,
    ...changes
  })
