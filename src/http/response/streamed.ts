import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** How a stream is written. */
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

/** A longer header, in characters, names more types than there are; the response is plain JSON. */
const maxAccept = 1000

/** The form in which a client wants a list sent piece by piece: the first in its Accept header; undefined for plain JSON. */
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

/** What is sent at once. */
export interface StreamedPart {
  /** A line or an event each. */
  readonly elements: ReadonlyArray<unknown>
  /** How many failures they report. */
  readonly failures: number
}

/** What was sent before. */
const nothing = { elements: 0, failures: 0 }

const written = (
  { contentType, done, element }: Form,
  parts: Stream.Stream<StreamedPart>
): HttpServerResponse.HttpServerResponse => {
  const texts = parts.pipe(
    Stream.map(Option.some),
    Stream.concat(Stream.succeed(Option.none<StreamedPart>())),
    Stream.mapAccum(nothing, (before, part): readonly [typeof nothing, ReadonlyArray<string>] =>
      Option.match(part, {
        onNone: () => [before, [done({ done: true, failures: before.failures })]],
        onSome: ({ elements, failures }) => [
          { elements: before.elements + elements.length, failures: before.failures + failures },
          elements.map((item, index) => element(item, before.elements + index + 1))
        ]
      })
    ),
    Stream.flattenIterables
  )
  return HttpServerResponse.stream(Stream.encodeText(texts), {
    contentType,
    headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
  })
}

/**
 * Sends each part as soon as it is there: lines of NDJSON, or the data of server-sent events. The last line (the event
 * `done`) counts the failures of all parts: a response without it was cut off.
 */
export const streamed = (form: keyof typeof forms, parts: Stream.Stream<StreamedPart>) => written(forms[form], parts)

/**
 * The same for EventSource: each event has a name and an id, and the last is `end`. After it an EventSource that is not
 * closed connects again, and says that it has the last event: the empty response (204) makes it stop.
 */
export const streamedEvents = (
  lastEventId: string | undefined,
  parts: Stream.Stream<StreamedPart>,
  nameOf: (element: unknown) => string
): HttpServerResponse.HttpServerResponse =>
  lastEventId === endEvent ? HttpServerResponse.empty({ status: 204 }) : written(namedEvents(nameOf), parts)
