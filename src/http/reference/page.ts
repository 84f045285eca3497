import { escaped, prose, sample } from "./markup.ts"
import {
  bodyOf,
  type Document,
  type DocumentedOperation,
  type DocumentedRoute,
  exampleOf,
  nameOf,
  routesOf,
  valueOf
} from "./parts.ts"
import { callOf, curlOf, programOf } from "./samples.ts"
import { script } from "./script.ts"
import { style } from "./style.ts"
import { memberOf, membersOf, typeOf } from "./types.ts"

const json = (value: unknown) => JSON.stringify(value, null, 2)

/** The answers without data, each with a link to its description. */
const refusals = ({ responses }: DocumentedOperation) => {
  const links = Object.entries(responses).flatMap(([status, { $ref }]) =>
    $ref === undefined ? [] : [`<a href="#answer-${nameOf($ref)}">${status}</a>`]
  )
  return links.length === 0 ? "" : `<p>Errors: ${links.join(", ")}</p>`
}

const input = (document: Document, route: DocumentedRoute) => {
  const { parameters = [], requestBody } = route.operation
  const body = bodyOf(requestBody)
  const rows = parameters.map(({ description, name, required, schema, ...parameter }) =>
    memberOf(`${name} (${parameter.in})`, schema, required === true, description)
  )
  const named = body && (document.components.schemas[nameOf(body.schema.$ref)] ?? body.schema)
  return [
    ...(rows.length === 0 ? [] : [`<h4>Parameters</h4><dl>${rows.join("")}</dl>`]),
    ...(body === undefined ? [] : [`<h4>Body <span class="type">${typeOf(body.schema)}</span></h4>`]),
    ...(named === undefined ? [] : [membersOf(named)])
  ].join("")
}

const output = ({ responses }: DocumentedOperation) =>
  Object.entries(responses)
    .filter(([, { $ref }]) => $ref === undefined)
    .map(([status, answer]) => {
      const body = bodyOf(answer)
      const type = body === undefined ? "" : ` <span class="type">${typeOf(body.schema)}</span>`
      const example =
        body?.example === undefined
          ? ""
          : sample("Example", typeof body.example === "string" ? body.example : json(body.example))
      return `<h4>Response ${status}${type}</h4>${prose(answer.description ?? "")}${body === undefined ? "" : membersOf(body.schema)}${example}`
    })
    .join("")

/** A form that sends the request to the service that served the page. */
const trial = (document: Document, route: DocumentedRoute) => {
  const { parameters = [], requestBody } = route.operation
  const fields = parameters
    .filter((parameter) => parameter.in !== "header")
    .map(
      (parameter) =>
        `<label>${escaped(parameter.name)} <input name="${escaped(parameter.name)}" data-in="${parameter.in}" value="${parameter.required === true ? escaped(valueOf(parameter)) : ""}"></label>`
    )
  const body =
    requestBody === undefined
      ? ""
      : `<label>Body <textarea rows="6" spellcheck="false">${escaped(json(exampleOf(document, route)) ?? "")}</textarea></label>`
  return `<details class="trial"><summary>Try it</summary><form data-method="${route.method}" data-path="${escaped(route.path.replace(/#.*$/, ""))}">${fields.join("")}${body}<button>Send</button><output></output></form></details>`
}

const section = (document: Document, route: DocumentedRoute) => {
  const { method, operation, path } = route
  const call = callOf(document, route)
  const title = `${escaped(operation.summary)}${operation.deprecated === true ? " (deprecated)" : ""}`
  return `<section id="${escaped(operation.operationId)}"><h3>${title}</h3><p class="route"><b class="${method}">${method}</b> <code>${escaped(path)}</code></p><div class="columns"><div>${prose(operation.description)}${input(document, route)}${output(operation)}${refusals(operation)}</div><div class="samples">${sample("curl", curlOf(document, route))}${call === undefined ? "" : sample("JavaScript client", programOf(call))}${trial(document, route)}</div></div></section>`
}

const groups = (document: Document) => {
  const routes = routesOf(document)
  return document.tags.map((tag) => ({
    ...tag,
    routes: routes.filter(({ operation: { tags } }) => tags.includes(tag.name))
  }))
}

const contents = (document: Document) =>
  groups(document)
    .map(
      ({ name, routes }) =>
        `<p><a href="#${escaped(name)}">${escaped(name)}</a></p><ul>${routes.map(({ operation: { operationId, summary } }) => `<li><a href="#${escaped(operationId)}">${escaped(summary)}</a></li>`).join("")}</ul>`
    )
    .join("")

/** The API reference: one HTML page without anything from other hosts. `hasPage` adds links to the page of the service. */
export const pageOf = (document: Document, hasPage: boolean): string => {
  const { components, info } = document
  const links = hasPage ? '<a href="/">Portfolio</a><a href="/#/status">Status</a>' : ""
  const sections = groups(document).map(
    ({ description, name, routes }) =>
      `<h2 id="${escaped(name)}">${escaped(name)}</h2><p>${escaped(description)}</p>${routes.map((route) => section(document, route)).join("")}`
  )
  const answers = Object.entries(components.responses).map(([name, answer]) => {
    const { example } = bodyOf(answer) ?? {}
    return `<section id="answer-${name}"><h3>${name}</h3>${prose(answer.description ?? "")}${example === undefined ? "" : sample("Example", json(example))}</section>`
  })
  const types = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<section id="type-${name}"><h3>${name}</h3>${typeof schema.description === "string" ? prose(schema.description) : ""}<p class="type">${schema.properties === undefined ? typeOf(schema) : ""}</p>${membersOf(schema)}</section>`
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(info.title)}: API reference</title><style>${style}</style></head><body><nav class="site" aria-label="Views"><b>wallet-data ${escaped(info.version)}</b>${links}<a href="/openapi.json">openapi.json</a><a href="/llms.txt">llms.txt</a></nav><nav class="contents" aria-label="Routes">${contents(document)}<p><a href="#errors">Errors</a></p><p><a href="#types">Types</a></p></nav><main><h1>${escaped(info.title)}</h1>${prose(info.description)}<p><label>API key, for requests of this page only <input id="key" type="password" autocomplete="off"></label></p>${sections.join("")}<h2 id="errors">Errors</h2>${answers.join("")}<h2 id="types">Types</h2>${types.join("")}</main><script>${script}</script></body></html>`
}
