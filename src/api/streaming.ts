import * as OpenApi from "@effect/platform/OpenApi"
import type * as Context from "effect/Context"

/** The two forms of an answer that comes in parts, by the `Accept` header that asks for it. */
export const streamTypes = { ndjson: "application/x-ndjson", events: "text/event-stream" } as const

/** Documents that an endpoint also streams: beside its JSON answer, one line or one event for each part. */
export const streams = (options: {
  /** The schema of a part, out of the schema of the whole. */
  readonly part: (whole: Record<string, unknown>) => unknown
  readonly line: string
}): Context.Context<never> =>
  OpenApi.annotations({
    transform: (operation) => {
      const answer = operation.responses[200]
      const schema = options.part(answer.content["application/json"].schema)
      return {
        ...operation,
        responses: {
          ...operation.responses,
          200: {
            ...answer,
            content: {
              ...answer.content,
              [streamTypes.ndjson]: { schema },
              [streamTypes.events]: {
                schema: { type: "string", description: `Server-sent events. The data of each: ${options.line}` }
              }
            }
          }
        }
      }
    }
  })

/** For the description of such an endpoint. */
export const streamingNote = (line: string) =>
  `With \`Accept: ${streamTypes.ndjson}\` (or \`${streamTypes.events}\`) the part of each network is sent as soon as it is there. Each line (each event's data): ${line}`
