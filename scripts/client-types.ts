import { writeFileSync } from "node:fs"
import * as HttpApi from "@effect/platform/HttpApi"
import * as Effect from "effect/Effect"
import openapiTypescript, { astToString, type OpenAPI3, type SchemaObject } from "openapi-typescript"
import ts from "typescript"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { Api } from "../src/contract/Api.ts"
import { isOther } from "../src/contract/document/words.ts"
import { describe } from "../src/contract/openapi.ts"
import { mayBeRepeated } from "../src/contract/wire.ts"

// Generates the types of the promise client from the OpenAPI document: `bun run client-types`.

const note =
  "// Generated from the OpenAPI document by `bun run client-types`; not to be edited, and not in the repository.\n\n"

/** `balances.balances` -> `BalancesLine`, `history.transactions` -> `HistoryLine` */
const lineName = (operationId: string) => {
  const [group = ""] = operationId.split(".")
  return `${group.charAt(0).toUpperCase()}${group.slice(1)}Line`
}

interface Streamed {
  readonly operationId: string
  readonly "x-stream"?: { readonly itemSchema: SchemaObject }
}

/** The schemas of stream lines, which are not among the schemas of the document. */
const linesOf = (paths: object) =>
  Object.values(paths).flatMap(({ post }: { readonly post?: Streamed }) => {
    const stream = post?.["x-stream"]
    return post === undefined || stream === undefined ? [] : [[lineName(post.operationId), stream.itemSchema] as const]
  })

/** True for examples of whole messages, which are left out because each would become a comment of twenty lines. */
const isMessage = (name: string, value: unknown): boolean =>
  name === "examples"
    ? Object.values(value as object).some((example) => isMessage("example", example))
    : name === "example" && typeof value === "object"

/** A copy without these examples. */
const lean = (spec: object): unknown =>
  JSON.parse(JSON.stringify(spec), (name, value: unknown) => (isMessage(name, value) ? undefined : value))

/** The paths of POSTs without a side effect, as a type. */
const readPosts = (): string => {
  const paths: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { annotations, method, path } }) => {
      if (method === "POST" && mayBeRepeated(method, annotations)) paths.push(JSON.stringify(path))
    }
  })
  return `export type ReadPost = ${paths.join(" | ")};\n`
}

const wordTypes = `/** Any text: a later version may send words that this one does not know. \`NonNullable\` would make \`string\` of \`string & {}\`. */
export type AnyWord = string & Record<never, never>;
/** A word that this version does not know: it is equal to none that it knows. Only a type. */
export declare enum OtherWord { other = "" }
`

/** The ids of networks as types: editors complete them, and every other text is allowed, as services have more. */
const networkTypes = `/** A network that each service has unless its operator leaves it out. */
export type Network = ${Catalogue.all.map(({ id }) => JSON.stringify(id)).join(" | ")};
/** The name of a network: an id, an alias, a chain id (CAIP-2), or the id of an operator's own network. */
export type NetworkName = Network | AnyWord;
/** Values by the names of networks. */
export type ByNetwork<A> = { readonly [Id in Network]?: A } & { readonly [name: string]: A };
`

/** Gives names and keys that are networks the types above. */
const withNetworks = (types: string) =>
  types
    .replace(/readonly (network|blockchain|networkId): string;/g, "readonly $1: NetworkName;")
    .replace(/(readonly networks: )\{\s+readonly \[key: string\]: (readonly string\[\]);\s+\};/g, "$1ByNetwork<$2>;")

/** Open words: the known ones, which editors complete, or any other text. */
const openWords = (schema: SchemaObject & { readonly "x-extensible-enum"?: ReadonlyArray<string> }) => {
  const known = schema["x-extensible-enum"]?.map((word) =>
    ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(word))
  )
  return known && ts.factory.createUnionTypeNode([...known, ts.factory.createTypeReferenceNode("AnyWord")])
}

/** The types of the OpenAPI document and of the lines of its streams. */
export const clientTypes = async (): Promise<string> => {
  const spec = lean(Effect.runSync(describe({ appName: "app", version: "" }))) as OpenAPI3
  const named = Object.entries(spec.components?.schemas ?? {}).map(([name, schema]) =>
    // Unknown members are kept. Generated clients could not narrow unions with such a type, as their words are texts.
    isOther(name) && "required" in schema ? [name, { ...schema, additionalProperties: {} }] : [name, schema]
  )
  const schemas = Object.fromEntries([...named, ...linesOf(spec.paths ?? {})])
  const extended: OpenAPI3 = { ...spec, components: { ...spec.components, schemas } }
  const types = astToString(await openapiTypescript(extended, { immutable: true, transform: openWords }))
  return (
    note +
    withNetworks(types).replace("OtherWord: string;", "OtherWord: OtherWord;") +
    wordTypes +
    networkTypes +
    readPosts()
  )
}

export const writeClientTypes = async (): Promise<void> => writeFileSync("src/client/types.ts", await clientTypes())

if (import.meta.main) await writeClientTypes()
