import * as Schema from "effect/Schema"
import { optional, text, word } from "../../domain/fields.ts"

/** What is wrong with one value of a request. */
export const Issue = Schema.Struct({
  path: text("The path of the value; empty for the whole body.", "networks.bitcoin.0"),
  message: text("Why it was refused.", "must be a string; it is 5")
}).annotations({ identifier: "Issue", description: "What is wrong with one value of a request." })
export type Issue = typeof Issue.Type

/** The document of a problem of one kind. */
export interface ProblemBody<Slug extends string, Status extends number> {
  readonly type: `urn:problem-type:${Slug}`
  readonly title: string
  readonly status: Status
  readonly detail: string
  readonly requestId: string
  readonly issues?: ReadonlyArray<Issue>
}

const requestId = "9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11"

const refusal = {
  detail: "The request is not valid: networks: is missing",
  issues: [{ path: "networks", message: "is missing" }]
} as const

/** The body of the answers with this status that are these problems. */
export const wireOf = <const Types extends readonly [string, ...Array<string>], const Status extends number>(
  name: string,
  types: Types,
  status: Status,
  title: string,
  description: string
) =>
  Schema.Struct({
    type: word("What kind of problem it is; stable, to be compared by programs.", types),
    title: text("The same in words.", title),
    status: Schema.Literal(status).annotations({
      description: "The HTTP status of the answer.",
      examples: [status]
    }),
    detail: text("What happened to this request.", description),
    requestId: text("The id of the request, as in the header x-request-id.", requestId),
    issues: optional(
      Schema.Array(Issue).annotations({
        description: "The values that were refused, each with its place and the reason.",
        examples: [refusal.issues]
      })
    )
  }).annotations({
    identifier: `${name}Problem`,
    description,
    examples: [{ type: types[0], title, status, detail: description, requestId, ...(status === 400 ? refusal : {}) }]
  })
