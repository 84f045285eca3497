import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Stream from "effect/Stream"

const forms = {
  "application/x-ndjson": (element: unknown) => `${JSON.stringify(element)}\n`,
  "text/event-stream": (element: unknown) => `data: ${JSON.stringify(element)}\n\n`
}

/** The form in which a client wants a list sent piece by piece: the first in its Accept header; undefined for plain JSON. */
export const formOf = (accept: string | undefined): keyof typeof forms | undefined => {
  for (const range of accept?.split(",") ?? []) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    if (parameters.includes("q=0")) continue
    if (type === "application/x-ndjson" || type === "text/event-stream") return type
    if (type === "application/json") return undefined
  }
  return undefined
}

/** Sends each element as soon as it is there: a line of NDJSON, or the data of a server-sent event. */
export const streamed = <A>(
  form: keyof typeof forms,
  elements: Stream.Stream<A>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(elements.pipe(Stream.map(forms[form]), Stream.encodeText), {
    contentType: form,
    headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
  })
