/** What a response states at one place: a number, or a word that decides what a person does. */
export interface Fact {
  /** Keys from the root; rows are named by what identifies them, not by their index. */
  readonly path: string
  readonly value: string | number | boolean | null
}

/** Members that identify the row which contains them, in order. */
const identities = [
  "hash",
  "txid",
  "network",
  "blockchain",
  "holderAddress",
  "address",
  "contractAddress",
  "coinId",
  "vout",
  "id"
]

/** Members whose values differ rightly between sources and between times. */
const volatile =
  /price|usd|value|total|confirmations|thumbnail|img|name|symbol|label|flags|change|message|errorCode|requestId|sources|asOf|updated|age|^(since|oldest|at|next)$/i

/** Words that are statements. */
const statements = /^(status|type|final|complete|approximate|found|kind|direction|omitted|reason)$/

const isNumber = (value: unknown) =>
  typeof value === "number" || (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value))

const nameOf = (value: unknown, index: number): string => {
  if (typeof value !== "object" || value === null) return String(index)
  const row = value as Readonly<Record<string, unknown>>
  const own = identities.flatMap((key) => (key in row && typeof row[key] !== "object" ? [String(row[key])] : []))
  return own.length === 0 ? String(index) : own.join("/")
}

/** All facts of a JSON value. */
export const factsOf = (value: unknown, path = ""): ReadonlyArray<Fact> => {
  if (Array.isArray(value)) {
    const seen = new Map<string, number>()
    return value.flatMap((item, index) => {
      const name = nameOf(item, index)
      const count = (seen.get(name) ?? 0) + 1
      seen.set(name, count)
      return factsOf(item, `${path}/${name}${count === 1 ? "" : `#${count}`}`)
    })
  }
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, item]) => (volatile.test(key) ? [] : factsOf(item, `${path}/${key}`)))
  const key = path.slice(path.lastIndexOf("/") + 1)
  if (isNumber(value) || typeof value === "boolean" || (statements.test(key) && typeof value === "string"))
    return [{ path, value: value as Fact["value"] }]
  return value === null ? [{ path, value }] : []
}

/** Whether a fact admits that something is not known, which any response may say. */
export const isAdmission = ({ path, value }: Fact): boolean =>
  value === null ||
  (path.endsWith("/complete") && value === false) ||
  (path.endsWith("/approximate") && value === true) ||
  (path.endsWith("/status") && (value === "Unknown" || value === "unknown")) ||
  (path.endsWith("/final") && value === false) ||
  path.endsWith("/reason")

/** Whether a response says that something is missing from it. */
export const hasReason = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(hasReason)
  if (typeof value !== "object" || value === null) return false
  return Object.entries(value).some(
    ([key, item]) =>
      (/^(errorCode|error|message|reason|approximate)$/.test(key) && item !== null && item !== "" && item !== false) ||
      (/^(missing|reasons|unavailable|failures|issues)$/.test(key) && Array.isArray(item) && item.length > 0) ||
      (key === "complete" && item === false) ||
      hasReason(item)
  )
}
