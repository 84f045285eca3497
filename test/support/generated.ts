import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createClient } from "@hey-api/openapi-ts"
import openapiTypescript, { astToString, type OpenAPI3 } from "openapi-typescript"
import ts from "typescript"
import { spec } from "./document.ts"

// Third-party clients: generated from the OpenAPI document, type-checked, and then called.

/** A wallet's code with both clients: the compiler checks it, and tests run `main`. */
const usage = `
import createFetchClient from "openapi-fetch"
import { createClient } from "./hey/client"
import * as sdk from "./hey/sdk.gen.ts"
import type { AddressContext, Balance, HistoryEntry, TransactionReplacement } from "./hey/types.gen.ts"
import type { components, paths } from "./paths.ts"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <T extends true>(value: T) => value

type Entry = components["schemas"]["HistoryEntry"]
type Lists<A> = { [network: string]: { [address: string]: A } }

const defined = <A>(value: A | undefined): A => {
  if (value === undefined) throw new Error("there is no answer")
  return value
}

/** Members determine the variant of a union. */
export const nonceOf = (context: components["schemas"]["AddressContext"]["context"]): number | undefined =>
  context !== null && "pendingNonce" in context ? context.pendingNonce : undefined
export const heyNonceOf = (context: AddressContext["context"]): number | undefined =>
  context !== null && "pendingNonce" in context ? context.pendingNonce : undefined

type Minimum = components["schemas"]["TransactionReplacement"]["minimum"]
export const leastNonceOf = (minimum: Minimum): number | undefined =>
  minimum !== null && "nonce" in minimum ? minimum.nonce : undefined
export const heyLeastNonceOf = (minimum: TransactionReplacement["minimum"]): number | undefined =>
  minimum !== null && "nonce" in minimum ? minimum.nonce : undefined

export const main = async (baseUrl: string, networks: Record<string, Array<string>>) => {
  const fetched = createFetchClient<paths>({ baseUrl })
  const rows = defined((await fetched.POST("/balance", { body: { networks } })).data)
  same<Same<typeof rows, Array<components["schemas"]["Balance"]>>>(true)
  const lists = defined((await fetched.POST("/history", { body: { networks, limit: 2 } })).data)
  same<Same<typeof lists, Lists<Array<Entry>>>>(true)
  const both = defined((await fetched.POST("/history#meta", { body: { networks, limit: 2, meta: true } })).data)
  same<Same<typeof both.data, Lists<Array<Entry>>>>(true)
  same<Same<typeof both.meta, Lists<components["schemas"]["HistoryMeta"]>>>(true)
  // @ts-expect-error the plain form is the one without meta
  await fetched.POST("/history", { body: { networks, limit: 2, meta: true } })
  const refused = await fetched.GET("/price", { params: { query: { network_ids: "x" } } })
  const problem: string | undefined =
    refused.error?.status === 400 ? refused.error.type : undefined

  const client = createClient({ baseUrl })
  const rows2 = defined((await sdk.balancesBalances({ client, body: { networks } })).data)
  same<Same<typeof rows2, Array<Balance>>>(true)
  const lists2 = defined((await sdk.historyHistory({ client, body: { networks, limit: 2 } })).data)
  same<Same<typeof lists2, Lists<Array<HistoryEntry>>>>(true)
  const both2 = defined((await sdk.historyHistoryWithMeta({ client, body: { networks, limit: 2, meta: true } })).data)
  same<Same<typeof both2.data, Lists<Array<HistoryEntry>>>>(true)
  const candles = defined((await sdk.chartsItem({ client, path: { coin: "bitcoin", period: "30" } })).data)
  return { rows, lists, both, problem, rows2, lists2, both2, candle: candles[0] }
}
`

export interface Generated {
  /** The folder of the clients. */
  readonly folder: string
  readonly remove: () => void
}

/** Writes both clients and the program that uses them. */
export const generate = async (): Promise<Generated> => {
  const folder = mkdtempSync(join(tmpdir(), "wallet-data-clients-"))
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"))
  const input = structuredClone(spec) as unknown as OpenAPI3
  writeFileSync(join(folder, "paths.ts"), astToString(await openapiTypescript(input)))
  await createClient({
    input: structuredClone(spec) as never,
    output: { path: join(folder, "hey") },
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
    logs: { level: "silent" }
  })
  writeFileSync(join(folder, "usage.ts"), usage)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The compiler's diagnostics for the whole program, with `strict`. */
export const diagnostics = ({ folder }: Generated): ReadonlyArray<string> => {
  const program = ts.createProgram([join(folder, "usage.ts")], {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true
  })
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText, start }) =>
        `${file?.fileName.slice(folder.length)}:${file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`
    )
}
