import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as OpenApiJsonSchema from "@effect/platform/OpenApiJsonSchema"
import type * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { number, optional, text } from "../domain/fields.ts"
import { Reason } from "../domain/Reason.ts"

/** The two forms of a streamed response, by the `Accept` header that requests it. */
export const streamTypes = { ndjson: "application/x-ndjson", events: "text/event-stream" } as const

/** Missing data of a streamed part; a plain response lists it in `x-partial-failures`. */
const Failure = Schema.Struct({
  network: text("The network, spelled as in the data of the part.", "ethereum"),
  address: optional(
    text("The address, spelled as in the request; absent if all addresses are affected.", "ltc1qexampleaddress")
  ),
  message: text("Human-readable: the missing data and the reason.", "blockscout: could not be reached"),
  errorCode: Schema.Literal(...Reason.literals, "unknown_network").annotations({
    description: "As beside a null; or unknown_network: the service does not have the network.",
    examples: ["timeout"]
  })
}).annotations({ description: "Data that is missing from the response." })
export type Failure = typeof Failure.Type

/** A member of a part, or a separate line; absent if nothing is missing. */
export const Failures = Schema.Array(Failure).annotations({
  description: "Missing data of this part that its rows do not report.",
  examples: [[{ network: "ethereum", message: "blockscout: could not be reached", errorCode: "upstream_error" }]]
})

/** The last line of every stream. */
const End = Schema.Struct({
  done: Schema.Literal(true).annotations({
    description: "The stream is complete. A stream without this line was cut off.",
    examples: [true]
  }),
  failures: number("Number of failures that the previous lines report.", 0)
}).annotations({ description: "The last line of the stream." })

const itemsOf = <A, I>(part: Schema.Schema<A, I>) =>
  // Its references name components that are in the document already.
  OpenApiJsonSchema.makeWithDefs(Schema.Union(part, End), {
    defs: {},
    defsPath: "#/components/schemas/",
    additionalPropertiesStrategy: "allow"
  })

/** Documents in `x-stream` that an endpoint can also stream its response: as these lines, or as one event per line. */
export const streams = <A, I>(options: {
  readonly part: Schema.Schema<A, I>
  readonly line: string
}): Context.Context<never> =>
  OpenApi.annotations({
    // Not as a content type of the response: generators make no usable client for several content types.
    transform: (operation) => ({
      ...operation,
      "x-stream": {
        [streamTypes.ndjson]: `Each line: ${options.line}`,
        [streamTypes.events]: `The data of each event: ${options.line} The last is the event \`done\`.`,
        itemSchema: itemsOf(options.part)
      }
    })
  })

/** The response of a stream for EventSource. */
export const EventStream = HttpApiSchema.withEncoding(
  Schema.String.annotations({
    description: "Server-sent events, each with a name, an id and JSON as its data.",
    examples: ['event: end\nid: end\ndata: {"done":true,"failures":0}\n\n']
  }),
  { kind: "Text", contentType: streamTypes.events }
)

/** Stops an EventSource that has received the last event; without it, the EventSource would read everything again. */
export const StreamIsOver = HttpApiSchema.Empty(204).annotations({
  description: "Response to a request with `Last-Event-ID: end`: the stream is complete, and an EventSource stops."
})

/** Documents the events of a stream for EventSource in `x-stream`. */
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
          end: "the last event."
        })
          .map(([name, data]) => `\`${name}\`: ${data}`)
          .join(" ")}`,
        itemSchema: itemsOf(options.part)
      }
    })
  })

/** Description of a stream for EventSource; `route` returns the same data in one response. */
export const eventsNote = (route: string, events: string) =>
  `The streamed form of \`${route}\` for the EventSource of browsers, always \`${streamTypes.events}\`. ${events} The last event is \`end\` with {"done": true, "failures": n}: close the EventSource then. A stream that ends without it was cut off. Every event has an id, but a stream cannot be resumed: a reconnection reads everything again, except after \`end\`, when the response is 204. An EventSource cannot send \`x-api-key\`: if API keys are required, use \`${route}\` with \`fetch\`.`

/** Part of the description of an endpoint with a streamed form. */
export const streamingNote = (line: string) =>
  `With \`Accept: ${streamTypes.ndjson}\` (or \`${streamTypes.events}\`) the status is 200, and the part of each network is sent as soon as it is available. Each line (each event's data): ${line} The last line is {"done": true, "failures": n} (the last event is \`done\`, with the same data), where n is the number of failures; a stream without it is incomplete.`
