import * as Schema from "effect/Schema"
import { enumOf, optional, text } from "../../domain/fields.ts"

/** The reason why one value of a request is invalid. */
export const Issue = Schema.Struct({
  path: text("The path of the value; empty for the whole body.", "networks.bitcoin.0"),
  message: text("Why the value was rejected.", "must be a string; it is 5")
}).annotations({ identifier: "Issue", description: "The reason why one value of a request is invalid." })
export type Issue = typeof Issue.Type

/** The body of a problem of one kind. */
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

/** Schemas of the further members of a problem's body. */
export type MemberSchemas<Members> = { readonly [Name in keyof Members]: Schema.Schema<Members[Name]> }

/** Schema of the body of these problems, which share one status. */
export const problemSchema = <
  const Types extends readonly [string, ...Array<string>],
  const Status extends number,
  Members
>(
  name: string,
  types: Types,
  status: Status,
  title: string,
  description: string,
  members?: MemberSchemas<Members>
) =>
  Schema.Struct({
    type: enumOf("Kind of the problem: a stable identifier for programs.", types),
    title: text("Human-readable kind of the problem.", title),
    status: Schema.Literal(status).annotations({
      description: "The HTTP status of the response.",
      examples: [status]
    }),
    detail: text("Human-readable description of this occurrence.", description),
    requestId: text("The id of the request, as in the header x-request-id.", requestId),
    issues: optional(
      Schema.Array(Issue).annotations({
        description: "The rejected values, each with its path and the reason.",
        examples: [refusal.issues]
      })
    ),
    ...members
  }).annotations({
    identifier: `${name}Problem`,
    description,
    ...(members === undefined
      ? {
          examples: [
            { type: types[0], title, status, detail: description, requestId, ...(status === 400 ? refusal : {}) }
          ]
        }
      : {})
  })
