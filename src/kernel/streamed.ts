import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

const forms = {
  "application/x-ndjson": {
    element: (element: unknown) => `${JSON.stringify(element)}\n`,
    done: (end: unknown) => `${JSON.stringify(end)}\n`
  },
  "text/event-stream": {
    element: (element: unknown) => `data: ${JSON.stringify(element)}\n\n`,
    done: (end: unknown) => `event: done\ndata: ${JSON.stringify(end)}\n\n`
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

/**
 * Sends each part as soon as it is there: lines of NDJSON, or the data of server-sent events. The last line (the event
 * `done`) counts the failures of all parts: a response without it was cut off.
 */
export const streamed = (
  form: keyof typeof forms,
  parts: Stream.Stream<StreamedPart>
): HttpServerResponse.HttpServerResponse => {
  const { done, element } = forms[form]
  const texts = parts.pipe(
    Stream.map(Option.some),
    Stream.concat(Stream.succeed(Option.none<StreamedPart>())),
    Stream.mapAccum(0, (failures, part): readonly [number, ReadonlyArray<string>] =>
      Option.match(part, {
        onNone: () => [failures, [done({ done: true, failures })]],
        onSome: (streamedPart) => [failures + streamedPart.failures, streamedPart.elements.map(element)]
      })
    ),
    Stream.flattenIterables
  )
  return HttpServerResponse.stream(Stream.encodeText(texts), {
    contentType: form,
    headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
  })
}
