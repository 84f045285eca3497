import { type Document, routesOf } from "./parts.ts"

/** An index of the service for language models, in Markdown (llmstxt.org): its purpose, documents and routes. */
export const llmsOf = (document: Document): string => {
  const { info, tags } = document
  const groups = tags.map(({ name }) => {
    const lines = routesOf(document)
      .filter(({ operation }) => operation.tags.includes(name) && operation.deprecated !== true)
      .map(
        ({ method, operation: { operationId, summary }, path }) =>
          `- [${method} ${path.replace(/#.*$/, "")}](/docs#${operationId}): ${summary}`
      )
    return `## ${name}\n\n${lines.join("\n")}\n`
  })
  return `# ${info.title}\n\n> ${info.description}\n\n- [OpenAPI 3.1 document](/openapi.json): every route, request and response\n- [Reference](/docs): the same for people, with samples\n\n${groups.join("\n")}`
}
