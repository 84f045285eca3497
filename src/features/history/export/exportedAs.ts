import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Stream from "effect/Stream"

import * as Amount from "../../../domain/Amount.ts"
import { displayed, format, type Multiplier } from "../../../domain/Multiplier.ts"
import type { Movement, Transaction } from "../../../domain/Transaction.ts"
import { numberOf, toMillis } from "../../../domain/units.ts"
import { type StreamedPart, streamed } from "../../../http/response/streamed.ts"
import { type DisplayContext, toEntry } from "../entries.ts"
import type { ExportFailure, ExportPart } from "./exported.ts"

// RFC 4180: each record ends with CRLF and has the same number of fields; the first record has their names.

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

/** Fields that need no quotes, for any field separator of the reader. */
const plain = /^[\w.:/#?&%=+-]*$/

/** First characters that a spreadsheet treats as the start of a formula (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** An address of TON's masterchain starts with a minus. */
const rawAddress = /^-1:[0-9a-f]{64}$/i

/** Columns whose values others can choose; hashes, numbers and times have a fixed form. */
const untrustedColumns: ReadonlySet<string> = new Set(["address", "type", "party", "currency", "token", "note"])

/** Prevents formulas: a text that looks like a formula gets a leading apostrophe. */
export const withoutFormula = (text: string): string =>
  formula.test(text) && !rawAddress.test(text) ? `'${text}` : text

const field = (text: string): string => (plain.test(text) ? text : `"${text.replaceAll('"', '""')}"`)

const fieldOf = (column: string, text = ""): string => field(untrustedColumns.has(column) ? withoutFormula(text) : text)

const record = (row: CsvRow): string => `${columns.map((column) => fieldOf(column, row[column])).join(",")}\r\n`

export const header: string = `${columns.join(",")}\r\n`

/** Amount and currency of a movement. Without confirmed decimals, it has the base units only. */
const amountOf = ({ amount, token }: Movement, { info: { native }, multipliers, tokens }: DisplayContext): CsvRow => {
  const amountBaseUnits = String(amount)
  if (token === undefined)
    return { amount: Amount.format(amount, native.decimals), amountBaseUnits, currency: native.symbol }
  const listed = tokens?.byAddress.get(token)
  if (listed === undefined) return { amountBaseUnits, token }
  const decimals = tokens?.decimalsOf(token)
  const unit = multipliers.get(token)
  return {
    ...(decimals === undefined || unit === null
      ? {}
      : { amount: Amount.format(displayed(amount, unit?.multiplier), decimals) }),
    ...(unit === undefined ? {} : { note: noteOf(unit?.multiplier) }),
    amountBaseUnits,
    currency: listed.symbol.toUpperCase(),
    token: listed.address
  }
}

const noteOf = (multiplier: Multiplier | undefined): string =>
  multiplier === undefined
    ? "the multiplier of the amount could not be read"
    : `the amount is amountBaseUnits times the current multiplier ${format(multiplier)}`

/** One record per party, or one for a transaction without parties. Only the first record has the fee. */
const rowsOf = (transaction: Transaction, common: CsvRow, surroundings: DisplayContext): ReadonlyArray<CsvRow> => {
  const { fee, from, hash, order, status, timestamp, to, type } = transaction
  const { explorer, native } = surroundings.info
  const side = (direction: string, movements: ReadonlyArray<Movement>) =>
    movements.map((movement): CsvRow => ({ direction, party: movement.address, ...amountOf(movement, surroundings) }))
  const [first = {}, ...others] = [...side("from", from), ...side("to", to)]
  const paid = fee === null ? {} : { fee: Amount.format(fee, native.decimals), feeCurrency: native.symbol }
  return [{ ...first, ...paid }, ...others].map((row) => ({
    ...common,
    time: new Date(numberOf(toMillis(timestamp))).toISOString().replace(".000Z", "Z"),
    hash,
    type,
    status,
    explorer: explorer(hash, order),
    ...row
  }))
}

/** Movements without a source are missing from every export, also from a successful one. */
const isListed = ({ errorCode }: ExportFailure): boolean => errorCode !== "not_listed"

/** The row that reports a missing part. */
const missing = ({ address, message, network }: ExportFailure): CsvRow => ({
  network,
  address,
  type: "INCOMPLETE",
  note: message
})

const rowsIn = ({ failure, page }: ExportPart): ReadonlyArray<CsvRow> => {
  if (failure !== undefined) return [missing(failure)]
  const { name, surroundings, text, transactions } = page
  return transactions.flatMap(([transaction, labels]) =>
    rowsOf(transaction, { network: name, address: text, flags: labels.join(" ") }, surroundings)
  )
}

const written = (rows: ReadonlyArray<CsvRow>): string => rows.map(record).join("")

/** The records of a part. */
export const recordsOf = (part: ExportPart): string => written(rowsIn(part))

/** The records of all parts, and a last one that counts them and says whether the export is complete. */
const endedRecords = (parts: Stream.Stream<ExportPart>): Stream.Stream<string> =>
  Stream.mapAccum(
    Stream.concat(parts, Stream.succeed(undefined)),
    { count: 0, type: "COMPLETE" },
    ({ count, type }, part) => {
      if (part === undefined) return [{ count, type }, record({ type, note: String(count) })]
      const rows = rowsIn(part)
      const isMissing = part.failure !== undefined && isListed(part.failure)
      return [{ count: count + rows.length, type: isMissing ? "INCOMPLETE" : type }, written(rows)]
    }
  )

export type ExportFormat = "csv" | "ndjson"

/**
 * A response with the parts of an export, each read after the client has received the previous part. `hasEnd`: CSV ends
 * with a record that a file which was cut off does not have; NDJSON always does.
 */
export const exportedAs = (
  format: ExportFormat,
  parts: Stream.Stream<ExportPart>,
  hasEnd = false
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeader(
    format === "csv"
      ? asCsv(hasEnd ? endedRecords(parts) : Stream.map(parts, recordsOf))
      : streamed("application/x-ndjson", Stream.map(parts, toLines)),
    "content-disposition",
    `attachment; filename="history.${format}"`
  )

const asCsv = (records: Stream.Stream<string>) =>
  HttpServerResponse.stream(Stream.encodeText(Stream.concat(Stream.succeed(header), records)), {
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
    : { elements: [{ failures: [failure] }], failures: isListed(failure) ? 1 : 0 }
