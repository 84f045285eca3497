import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Chunk from "effect/Chunk"
import * as Stream from "effect/Stream"

interface Form {
  readonly contentType: string
  /** `position` counts the elements of the stream from 1. */
  readonly element: (element: unknown, position: number) => string
  readonly done: (end: unknown) => string
}

const forms = {
  "application/x-ndjson": {
    contentType: "application/x-ndjson",
    element: (element) => `${JSON.stringify(element)}\n`,
    done: (end) => `${JSON.stringify(end)}\n`
  },
  "text/event-stream": {
    contentType: "text/event-stream",
    element: (element) => `data: ${JSON.stringify(element)}\n\n`,
    done: (end) => `event: done\ndata: ${JSON.stringify(end)}\n\n`
  }
} as const satisfies Readonly<Record<string, Form>>

/** The name and the id of the last event of {@link streamedEvents}. */
export const endEvent = "end"

/** Events with names and ids. */
const namedEvents = (nameOf: (element: unknown) => string): Form => {
  const event = (name: string, id: string | number, data: unknown) =>
    `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`
  return {
    contentType: forms["text/event-stream"].contentType,
    element: (element, position) => event(nameOf(element), position, element),
    done: (end) => event(endEvent, endEvent, end)
  }
}

/** Length limit in characters: a longer header names more types than exist, and the response is plain JSON. */
const maxAccept = 1000

/** Format in which the client wants a list streamed: the first in its Accept header; undefined for plain JSON. */
export const formOf = (accept: string | undefined): keyof typeof forms | undefined => {
  if (accept === undefined || accept.length > maxAccept) return undefined
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    if (parameters.includes("q=0")) continue
    if (type === "application/x-ndjson" || type === "text/event-stream") return type
    if (type === "application/json") return undefined
  }
  return undefined
}

/** Elements that are sent together. */
export interface StreamedPart {
  /** Each is a line or an event. */
  readonly elements: ReadonlyArray<unknown>
  /** Number of failures that they report. */
  readonly failures: number
}

const encoder = new TextEncoder()

const written = ({ contentType, done, element }: Form, parts: Stream.Stream<StreamedPart>) => {
  const bytes = Stream.suspend(() => {
    const sent = { elements: 0, failures: 0 }
    const text = ({ elements, failures }: StreamedPart) => {
      sent.failures += failures
      return elements.map((item) => element(item, ++sent.elements)).join("")
    }
    // One chunk of bytes for all parts that are available: each chunk costs as much as many elements.
    const chunks = Stream.mapChunks(parts, (some) =>
      Chunk.of(encoder.encode(Chunk.toReadonlyArray(some).map(text).join("")))
    )
    const end = Stream.sync(() => encoder.encode(done({ done: true, failures: sent.failures })))
    return Stream.concat(chunks, end)
  })
  return HttpServerResponse.stream(bytes, {
    contentType,
    headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
  })
}

/**
 * Sends each part when it is available: lines of NDJSON, or the data of server-sent events. The last line (the event
 * `done`) has the number of failures of all parts; a response without it is incomplete.
 */
export const streamed = (form: keyof typeof forms, parts: Stream.Stream<StreamedPart>) => written(forms[form], parts)

/**
 * Streams for EventSource: each event has a name and an id, and the last is `end`. An EventSource that is not closed
 * then reconnects with the id of the last event: the empty response (204) stops it.
 */
export const streamedEvents = (
  lastEventId: string | undefined,
  parts: Stream.Stream<StreamedPart>,
  nameOf: (element: unknown) => string
): HttpServerResponse.HttpServerResponse =>
  lastEventId === endEvent ? HttpServerResponse.empty({ status: 204 }) : written(namedEvents(nameOf), parts)
