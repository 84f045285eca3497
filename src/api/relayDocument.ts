import * as OpenApi from "@effect/platform/OpenApi"

/** Answers that are not ours to shape, and so not in the schemas: added to the document by hand. */
const alsoJson = (
  response: { readonly description?: string; readonly content?: object } | undefined,
  schema: object
) => ({
  ...response,
  content: { ...response?.content, "application/json": { schema } }
})

const jsonRpcError = (code: number, message: string) => ({
  type: "object",
  required: ["jsonrpc", "id", "error"],
  description: `A JSON-RPC error with the id of the request: ${message}.`,
  properties: {
    jsonrpc: { type: "string", description: "The version: 2.0.", examples: ["2.0"] },
    id: { description: "The id of the request.", examples: [1] },
    error: {
      type: "object",
      required: ["code", "message"],
      description: "What went wrong.",
      properties: {
        code: { type: "integer", description: "The kind of error.", examples: [code] },
        message: { type: "string", description: "The same in words.", examples: [message] }
      }
    }
  }
})

/** What the proxy itself has to say is JSON-RPC as well, so that a node client understands it. */
export const jsonRpc = OpenApi.annotations({
  transform: (operation) => ({
    ...operation,
    responses: {
      ...operation.responses,
      403: alsoJson(operation.responses[403], jsonRpcError(-32601, "the method administers a node and is refused")),
      502: alsoJson(
        { description: "No node answered.", ...operation.responses[502] },
        jsonRpcError(-32603, "no node answered")
      ),
      504: alsoJson(operation.responses[504], jsonRpcError(-32603, "no node answered in time"))
    }
  })
})

interface Parameter {
  readonly name: string
  readonly schema: object
}

const refusal = { description: "The node's own refusal, unchanged." }

const refused = (response: Parameters<typeof alsoJson>[0]) => {
  const described = alsoJson(response, refusal)
  return { ...described, content: { ...described.content, "text/plain": { schema: { type: "string", ...refusal } } } }
}

/** A raw transaction may come as a body, and the node's refusal is passed on as it is. */
export const rawTransaction = OpenApi.annotations({
  transform: (operation) => ({
    ...operation,
    requestBody: {
      required: false,
      description: "The same fields as in the query, for transactions that are too long for it.",
      content: {
        "application/json": {
          schema: {
            type: "object",
            description: "What the query does not say.",
            properties: Object.fromEntries(
              operation.parameters.map(({ name, schema }: Parameter) => [name, schema] as const)
            )
          }
        }
      }
    },
    responses: {
      ...operation.responses,
      400: refused(operation.responses[400]),
      404: refused(operation.responses[404])
    }
  })
})
