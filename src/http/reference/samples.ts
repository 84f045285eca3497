import {
  bodyOf,
  type Document,
  type DocumentedRoute,
  exampleOf,
  type RequestParameter,
  requiredOf,
  valueOf
} from "./parts.ts"

/** Where the service of a sample is; the page replaces it by its own address. */
export const baseUrl = "http://localhost:3000"

/** The path of a request with the examples of its required parameters. */
export const targetOf = (route: DocumentedRoute): string => {
  const required = requiredOf(route)
  const path = required.reduce(
    (text, parameter) => text.replace(`{${parameter.name}}`, encodeURIComponent(valueOf(parameter))),
    route.path.replace(/#.*$/, "")
  )
  const query = required.filter((parameter) => parameter.in === "query").map((each) => `${each.name}=${valueOf(each)}`)
  return query.length === 0 ? path : `${path}?${query.join("&")}`
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A request as a curl command, with required members only. */
export const curlOf = (document: Document, route: DocumentedRoute): string => {
  const type = bodyOf(route.operation.requestBody)?.type
  return [
    `curl ${quoted(baseUrl + targetOf(route))}`,
    ...(type === undefined
      ? []
      : [`-H ${quoted(`content-type: ${type}`)}`, `-d ${quoted(JSON.stringify(exampleOf(document, route)))}`])
  ].join(" \\\n  ")
}

/** Lists are comma-separated in a path or query. */
const argumentOf = (parameter: RequestParameter) =>
  /_ids$|^coins$/.test(parameter.name) ? valueOf(parameter).split(",") : valueOf(parameter)

/** The call of the JavaScript client; undefined for operations that it only has the address of. */
export const callOf = (document: Document, route: DocumentedRoute): string | undefined => {
  const { operationId } = route.operation
  const [group, name] = operationId.split(".")
  const isAddress = route.method === "GET" && /^(stream|export|icon)$/.test(String(name))
  if (isAddress) return undefined
  const body = exampleOf(document, route)
  const values = [
    ...requiredOf(route)
      .filter((parameter) => body === undefined || parameter.in === "path")
      .map(argumentOf),
    ...(body === undefined ? [] : [body])
  ]
  const method = name === group || name === `${group}WithMeta` ? group : operationId
  return `client.${method}(${values.map((value) => JSON.stringify(value)).join(", ")})`
}

const library = "wallet-data/client"

/** A program that uses the JavaScript client. */
export const programOf = (call: string): string =>
  `import { make } from ${JSON.stringify(library)}\n\nconst client = make({ baseUrl: ${JSON.stringify(baseUrl)} })\nconsole.log(await ${call})`
