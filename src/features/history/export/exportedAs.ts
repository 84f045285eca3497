import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Stream from "effect/Stream"
import { type StreamedPart, streamed } from "../../../kernel/streamed.ts"
import { toEntry } from "../entries.ts"
import { header, recordsOf } from "./csv.ts"
import type { ExportPart } from "./exported.ts"

export type ExportFormat = "csv" | "ndjson"

/** A response with the parts of an export, each read when the client has taken those before it. */
export const exportedAs = (
  format: ExportFormat,
  parts: Stream.Stream<ExportPart>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeader(
    format === "csv" ? asCsv(parts) : streamed("application/x-ndjson", Stream.map(parts, toLines)),
    "content-disposition",
    `attachment; filename="history.${format}"`
  )

const asCsv = (parts: Stream.Stream<ExportPart>) =>
  HttpServerResponse.stream(Stream.encodeText(Stream.concat(Stream.succeed(header), Stream.map(parts, recordsOf))), {
    contentType: "text/csv; charset=utf-8; header=present",
    headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
  })

const toLines = ({ failure, page }: ExportPart): StreamedPart =>
  failure === undefined
    ? {
        elements: page.transactions.map(([transaction, labels]) => ({
          network: page.name,
          address: page.text,
          ...toEntry(transaction, labels, page.surroundings)
        })),
        failures: 0
      }
    : { elements: [{ failures: [failure] }], failures: 1 }
