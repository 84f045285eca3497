import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe } from "@effect/vitest"
import { parse } from "../../src/upstream/record/Exchange.ts"
import { noteRead } from "./assertions.ts"
import type { Reply as RpcReply } from "./EvmNodes.ts"
import { type Reply, text } from "./http.ts"
import { recordingFolders } from "./recordingFolders.ts"
import { isListed } from "./uncompared.ts"

/** One exchange with an upstream. */
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

/** The project's samples: invented values in the formats that the providers document, one case per file. */
const samples = resolve(import.meta.dirname, "../fixtures")

/** Declares a suite over recorded responses, for the second tier; does nothing without FIXTURES. */
export const recorded = (name: string, suite: () => void): void => {
  if (recordingFolders.length > 0) describe(name, suite)
}

const jsonIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length))
    .sort()

/** The names of all recorded cases of a provider, without those that test/uncompared.json lists. */
export const cases = (provider: string): ReadonlyArray<string> =>
  recordingFolders
    .map((folder) => resolve(folder, provider))
    .filter((folder) => existsSync(folder))
    .flatMap(jsonIn)
    .filter((name) => !isListed(`${provider}/${name}`))
    .sort()

/** The names of all samples of a provider. */
export const samplesOf = (provider: string): ReadonlyArray<string> => jsonIn(resolve(samples, provider))

/** Maps a parsed body to its JSON text with the exact digits of the file. */
const exactTexts = new WeakMap<object, string>()

const read = (folder: string, provider: string, name: string): Exchange => {
  const path = resolve(folder, provider, `${name}.json`)
  noteRead(path)
  const file = readFileSync(path, "utf8")
  const exchange: Exchange = JSON.parse(file)
  const { body } = exchange.response
  if (typeof body === "object" && body !== null)
    exactTexts.set(body, JSON.stringify((parse(file) as Exchange).response.body))
  return exchange
}

/** A recorded exchange. Only suites of {@link recorded} may read one. */
export const fixture = (provider: string, name: string): Exchange => {
  const folder = recordingFolders.find((each) => existsSync(resolve(each, provider, `${name}.json`)))
  if (folder === undefined) throw new Error(`${provider}/${name} is in no folder of FIXTURES`)
  return read(folder, provider, name)
}

/** The recorded exchange at a path, `provider/name.json`. */
export const fixtureAt = (path: string): Exchange => {
  const [, provider, name] = /^([\w-]+)\/([\w-]+)\.json$/.exec(path) ?? []
  if (provider === undefined || name === undefined) throw new Error(`${path} is no path of a recording`)
  return fixture(provider, name)
}

/** All recorded exchanges of a folder by `provider/name`, with exact numbers. To read them does not compare them. */
export const exchangesIn = (folder: string): ReadonlyMap<string, Exchange> =>
  new Map(
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name: provider }) =>
        jsonIn(resolve(folder, provider)).map((name) => [
          `${provider}/${name}`,
          parse(readFileSync(resolve(folder, provider, `${name}.json`), "utf8")) as Exchange
        ])
      )
  )

/** A sample of the project. Fills in default members that its file omits. */
export const sample = (provider: string, name: string): Exchange => {
  const { request, response } = read(samples, provider, name)
  return {
    provider,
    request: { ...{ method: "GET", query: {}, body: null }, ...request },
    response: { ...{ status: 200, headers: {} }, ...response }
  }
}

/** The text of a response with the exact digits of its file. */
export const exactText = ({ response: { body } }: Exchange): string => {
  const exact = typeof body === "object" && body !== null ? exactTexts.get(body) : undefined
  return typeof body === "string" ? body : (exact ?? JSON.stringify(body))
}

/** The response with the exact digits of its file; a test may change its status or headers. */
export const replay = (
  exchange: Exchange,
  changes: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {}
): Reply => {
  const { headers, status } = exchange.response
  return text(exactText(exchange), { status, headers, ...changes })
}

/** The body of a response with the exact numbers of its file, for tests that embed it in another body. */
export const exactBody = ({ response: { body } }: Exchange): unknown =>
  typeof body === "object" && body !== null ? parse(exactTexts.get(body) ?? JSON.stringify(body)) : body

/** The reply to a JSON-RPC call with its exact digits, without its id. */
export const replyOf = (exchange: Exchange): RpcReply => {
  const { id: _, ...reply } = exactBody(exchange) as RpcReply & { readonly id?: unknown }
  return reply
}
