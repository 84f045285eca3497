import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
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

const itemsOf = <A, I>(part: Schema.Schema<A, I>) =>
  // Its references name components that are in the document already.
  OpenApiJsonSchema.makeWithDefs(Schema.Union(part, End), {
    defs: {},
    defsPath: "#/components/schemas/",
    additionalPropertiesStrategy: "allow"
  })

/** Documents as `x-stream` that an endpoint also streams: beside its JSON answer, these lines, or an event for each of them. */
export const streams = <A, I>(options: {
  readonly part: Schema.Schema<A, I>
  readonly line: string
}): Context.Context<never> =>
  OpenApi.annotations({
    // Beside the answer and not as one of its types: a response with several types gets no usable client.
    transform: (operation) => ({
      ...operation,
      "x-stream": {
        [streamTypes.ndjson]: `Each line: ${options.line}`,
        [streamTypes.events]: `The data of each event: ${options.line} The last is the event \`done\`.`,
        itemSchema: itemsOf(options.part)
      }
    })
  })

/** The answer of a stream for EventSource. */
export const EventStream = HttpApiSchema.withEncoding(
  Schema.String.annotations({
    description: "Server-sent events, each with a name, an id and JSON as its data.",
    examples: ['event: end\nid: end\ndata: {"done":true,"failures":0}\n\n']
  }),
  { kind: "Text", contentType: streamTypes.events }
)

/** The answer to an EventSource that has the last event already, and would read everything again. */
export const StreamIsOver = HttpApiSchema.Empty(204).annotations({
  description: "To a request with `Last-Event-ID: end`: the stream is complete, and an EventSource stops."
})

/** Documents the events of such a stream as `x-stream`. */
export const streamsEvents = <A, I>(options: {
  readonly part: Schema.Schema<A, I>
  readonly events: Readonly<Record<string, string>>
}): Context.Context<never> =>
  OpenApi.annotations({
    transform: (operation) => ({
      ...operation,
      "x-stream": {
        [streamTypes.events]: `The data of each event by its name. ${Object.entries({
          ...options.events,
          end: "the last."
        })
          .map(([name, data]) => `\`${name}\`: ${data}`)
          .join(" ")}`,
        itemSchema: itemsOf(options.part)
      }
    })
  })

/** For the description of a stream for EventSource; `route` is the one whose answer it has. */
export const eventsNote = (route: string, events: string) =>
  `The streamed form of \`${route}\` for the EventSource of browsers, always \`${streamTypes.events}\`. ${events} The last event is \`end\` with {"done": true, "failures": n}: close the EventSource then, a stream that ends without it was cut off. Every event has an id, but a stream is not resumed: a reconnection reads everything anew, except after \`end\`, where the answer is 204. An EventSource cannot send \`x-api-key\`: where keys are needed, use \`${route}\` with \`fetch\`.`

/** For the description of such an endpoint. */
export const streamingNote = (line: string) =>
  `With \`Accept: ${streamTypes.ndjson}\` (or \`${streamTypes.events}\`) the answer is 200 and the part of each network is sent as soon as it is available. Each line (each event's data): ${line} The last line is {"done": true, "failures": n} (the last event is \`done\`, with the same data), where n is the number of failures; a stream without it is incomplete.`
