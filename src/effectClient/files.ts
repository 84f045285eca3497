import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import { files } from "../client/Groups.ts"

interface File {
  readonly type: string
  readonly isWhole?: (text: string) => boolean
}

/** What a response to this path must be, if it is a file or a text. */
const expected = (path: string, parameters: ReadonlyMap<string, string>): File | undefined => {
  if (path === "/metrics") return files.metrics
  if (path.startsWith("/icon/")) return { type: "image/" }
  if (path !== "/history/export") return undefined
  if (parameters.get("format") !== "csv") return files.ndjson
  return parameters.get("end") === "true" ? files.csv : { type: files.csv.type }
}

/** Fails if a successful response is not the requested file, such as the page of a gateway, or half of it. */
export const requireFile = (
  response: HttpClientResponse.HttpClientResponse,
  path: string
): Effect.Effect<void, HttpClientError.ResponseError> => {
  const { headers, request, status } = response
  const file = status === 200 ? expected(path, new Map(request.urlParams)) : undefined
  if (file === undefined) return Effect.void
  const { isWhole, type } = file
  const wrong = (description: string) =>
    Effect.fail(new HttpClientError.ResponseError({ request, response, reason: "Decode", description }))
  if (headers["content-type"]?.toLowerCase().startsWith(type) !== true) return wrong(`The response is not ${type}`)
  if (isWhole === undefined) return Effect.void
  // Decoding reads the same bytes again.
  return Effect.flatMap(response.arrayBuffer, (bytes) =>
    isWhole(new TextDecoder().decode(bytes)) ? Effect.void : wrong("The response is cut off")
  )
}
