import * as OpenApi from "@effect/platform/OpenApi"
import * as OpenApiJsonSchema from "@effect/platform/OpenApiJsonSchema"
import type * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { errorCode, number, optional, text } from "../domain/fields.ts"

/** The two forms of a streamed response, by the `Accept` header that requests it. */
export const streamTypes = { ndjson: "application/x-ndjson", events: "text/event-stream" } as const

/** Something that is missing from a streamed part; a plain response names it in `x-partial-failures`. */
const Failure = Schema.Struct({
  network: text("The network, as the part beside it names it.", "ethereum"),
  address: optional(
    text("The address, as the request gave it; absent where all of them are meant.", "ltc1qexampleaddress")
  ),
  message: text("What is missing and why, for people.", "blockscout: could not be reached"),
  errorCode
}).annotations({ description: "Something that is missing from the answer." })
export type Failure = typeof Failure.Type

/** Beside the data of a part, or a line of its own; left out where nothing is missing. */
export const Failures = Schema.Array(Failure).annotations({
  description: "What is missing from this part beyond what its rows say.",
  examples: [[{ network: "ethereum", message: "blockscout: could not be reached", errorCode: "upstream_error" }]]
})

/** The last line of every stream. */
const End = Schema.Struct({
  done: Schema.Literal(true).annotations({
    description: "The stream is complete. Without this line it was cut off.",
    examples: [true]
  }),
  failures: number("How many failures the lines before report.", 0)
}).annotations({ description: "The last line." })

/** Documents as `x-stream` that an endpoint also streams: beside its JSON answer, these lines, or an event for each of them. */
export const streams = <A, I>(options: {
  readonly part: Schema.Schema<A, I>
  readonly line: string
}): Context.Context<never> => {
  // Its references name components that are in the document already.
  const itemSchema = OpenApiJsonSchema.makeWithDefs(Schema.Union(options.part, End), {
    defs: {},
    defsPath: "#/components/schemas/",
    additionalPropertiesStrategy: "allow"
  })
  return OpenApi.annotations({
    // Beside the answer and not as one of its types: a response with several types gets no usable client.
    transform: (operation) => ({
      ...operation,
      "x-stream": {
        [streamTypes.ndjson]: `Each line: ${options.line}`,
        [streamTypes.events]: `The data of each event: ${options.line} The last is the event \`done\`.`,
        itemSchema
      }
    })
  })
}

/** For the description of such an endpoint. */
export const streamingNote = (line: string) =>
  `With \`Accept: ${streamTypes.ndjson}\` (or \`${streamTypes.events}\`) the answer is 200 and the part of each network is sent as soon as it is available. Each line (each event's data): ${line} The last line is {"done": true, "failures": n} (the last event is \`done\`, with the same data), where n is the number of failures; a stream without it is incomplete.`
