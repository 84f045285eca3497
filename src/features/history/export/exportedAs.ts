import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Stream from "effect/Stream"

import * as Amount from "../../../domain/Amount.ts"
import type { Movement, Transaction } from "../../../domain/Transaction.ts"
import { type StreamedPart, streamed } from "../../../http/response/streamed.ts"
import { type Surroundings, toEntry } from "../entries.ts"
import type { ExportFailure, ExportPart } from "./exported.ts"

// RFC 4180: records of equally many fields, each ended by CRLF, the first with their names.

/** One record for each party of a transaction. */
const columns = [
  "network",
  "address",
  "time",
  "hash",
  "type",
  "status",
  "direction",
  "party",
  "amount",
  "amountBaseUnits",
  "currency",
  "token",
  "fee",
  "feeCurrency",
  "flags",
  "explorer",
  "note"
] as const

type CsvRow = Partial<Record<(typeof columns)[number], string>>

/** Such texts need no quotes, wherever a reader separates fields. */
const plain = /^[\w.:/#?&%=+-]*$/

/** What a spreadsheet takes for a formula at the beginning of a field (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** An address of TON's masterchain begins with a minus. */
const rawAddress = /^-1:[0-9a-f]{64}$/i

/** What strangers may choose; hashes, numbers and times have a form of their own. */
const foreign: ReadonlySet<string> = new Set(["address", "type", "party", "currency", "token", "note"])

/** What no spreadsheet computes: a text that looks like a formula begins with an apostrophe. */
export const defused = (text: string): string => (formula.test(text) && !rawAddress.test(text) ? `'${text}` : text)

const field = (text: string): string => (plain.test(text) ? text : `"${text.replaceAll('"', '""')}"`)

const fieldOf = (column: string, text = ""): string => field(foreign.has(column) ? defused(text) : text)

const record = (row: CsvRow): string => `${columns.map((column) => fieldOf(column, row[column])).join(",")}\r\n`

export const header: string = `${columns.join(",")}\r\n`

/** Amount and currency of a movement; of tokens that are not in the registry the decimals are not known. */
const amountOf = ({ amount, token }: Movement, { info: { native }, tokens }: Surroundings): CsvRow => {
  const amountBaseUnits = String(amount)
  if (token === undefined)
    return { amount: Amount.format(amount, native.decimals), amountBaseUnits, currency: native.symbol }
  const listed = tokens?.byAddress.get(token)
  if (listed === undefined) return { amountBaseUnits, token }
  return {
    amount: Amount.format(amount, listed.decimals),
    amountBaseUnits,
    currency: listed.symbol.toUpperCase(),
    token: listed.address
  }
}

/** A transaction without parties has one record, too; the fee is on the first one only. */
const rowsOf = (transaction: Transaction, common: CsvRow, surroundings: Surroundings): ReadonlyArray<CsvRow> => {
  const { fee, from, hash, order, status, timestamp, to, type } = transaction
  const { explorer, native } = surroundings.info
  const side = (direction: string, movements: ReadonlyArray<Movement>) =>
    movements.map((movement): CsvRow => ({ direction, party: movement.address, ...amountOf(movement, surroundings) }))
  const [first = {}, ...others] = [...side("from", from), ...side("to", to)]
  const paid = fee === null ? {} : { fee: Amount.format(fee, native.decimals), feeCurrency: native.symbol }
  return [{ ...first, ...paid }, ...others].map((row) => ({
    ...common,
    time: new Date(timestamp * 1000).toISOString().replace(".000Z", "Z"),
    hash,
    type,
    status,
    explorer: explorer(hash, order),
    ...row
  }))
}

/** What marks a record that says what is missing. */
const incomplete = "INCOMPLETE"

const missing = ({ address, message, network }: ExportFailure): string =>
  record({ network, address, type: incomplete, note: message })

/** The records of a part. */
export const recordsOf = ({ failure, page }: ExportPart): string => {
  if (failure !== undefined) return missing(failure)
  const { name, surroundings, text, transactions } = page
  return transactions
    .flatMap(([transaction, labels]) =>
      rowsOf(transaction, { network: name, address: text, flags: labels.join(" ") }, surroundings)
    )
    .map(record)
    .join("")
}

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
