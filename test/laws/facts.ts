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
  "id",
  "at"
]

/** Members whose values differ rightly between sources and between times, or are words for people. */
const volatile =
  /^(confirmations|thumbnail|explorer|flags|error|message|errorCode|requestId|sources|asOf|updatedAt|age|since|oldest|next|lastKnown|done|failures|name|symbol|label|\w*(Name|Symbol))$/

/** Members that depend on prices, which differ rightly between sources. */
export const isPriced = (path: string): boolean =>
  /\/(values?|price|tokenPrice|priceChange\w*|fdv|marketCap\w*|volume\w*|\w*Usd)(\/-\d+)?$/.test(path)

/** Words that are statements. */
const statements = /^(status|type|final|complete|approximate|found|kind|direction|omitted|reason)$/

const isNumber = (value: unknown) =>
  typeof value === "number" || (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value))

/** The name of an item of a list: what identifies it, or how far it is from the end, because columns grow at the start. */
const nameOf = (value: unknown, index: number, { length }: ReadonlyArray<unknown>): string => {
  if (typeof value !== "object" || value === null) return String(index - length)
  const row = value as Readonly<Record<string, unknown>>
  const own = identities.flatMap((key) => (key in row && typeof row[key] !== "object" ? [String(row[key])] : []))
  return own.length === 0 ? String(index) : own.join("|")
}

/** All facts of a JSON value. */
export const factsOf = (value: unknown, path = ""): ReadonlyArray<Fact> => {
  if (Array.isArray(value)) {
    const seen = new Map<string, number>()
    return value.flatMap((member, index) => {
      const name = nameOf(member, index, value)
      const count = (seen.get(name) ?? 0) + 1
      seen.set(name, count)
      return factsOf(member, `${path}/${name}${count === 1 ? "" : `#${count}`}`)
    })
  }
  // A row without a balance states nothing else.
  if (Object(value).balance === null && Object(value).error !== undefined)
    return [{ path: `${path}/balance`, value: null }]
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, member]) =>
      volatile.test(key) ? [] : factsOf(member, `${path}/${key}`)
    )
  const key = path.slice(path.lastIndexOf("/") + 1)
  // A transaction, in hexadecimal digits.
  const isRaw = typeof value === "string" && /^[0-9a-f]{100,}$/i.test(value)
  // The id of a token that no list describes may consist of digits.
  if (key === "currency" && typeof value === "string") return []
  if (isRaw || isNumber(value) || typeof value === "boolean" || (statements.test(key) && typeof value === "string"))
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
  (path.endsWith("/spendable") && value === false) ||
  path.endsWith("/reason")

/** Whether a chart says that what it states at a path is approximate. */
export const isVagueIn = (body: unknown) => {
  const { points = [] } = Object(body) as { points?: ReadonlyArray<{ approximate?: boolean; at: number }> }
  const vague = points.flatMap(({ approximate, at }, index) =>
    approximate === true ? [at, index - points.length] : []
  )
  return (path: string): boolean => {
    const [, at, column] = /^\/points\/(\d+)\/value$|\/(?:balances|values)\/(-\d+)$/.exec(path) ?? []
    return vague.includes(Number(at ?? column ?? 0))
  }
}

const isStated = (value: unknown) => value !== undefined && value !== null && value !== "" && value !== false

/** What a response says about data that it lacks, and where it says so. */
export interface Reason {
  readonly at: string
  readonly text: string
}

/** What a response says about data that it lacks. */
export const reasonsIn = (value: unknown, at = ""): ReadonlyArray<Reason> => {
  if (Array.isArray(value))
    return value.flatMap((member, index) => reasonsIn(member, `${at}/${nameOf(member, index, value)}`))
  if (typeof value !== "object" || value === null) return []
  const textsOf = (key: string, member: unknown): ReadonlyArray<string> | undefined => {
    if (/^(errorCode|error|\w+Error|message|reason|approximate|omitted)$/.test(key) && isStated(member))
      return [`${key} ${member}`]
    if (/^(missing|reasons|unavailable|failures|issues)$/.test(key) && Array.isArray(member))
      return member.map((each) => (typeof each === "object" ? JSON.stringify(each) : String(each)))
    // The price of a token has the unit of its multiplier.
    if (key === "multiplier" && member === null) return ["multiplier unknown"]
    if (key === "status" && /^unknown$/i.test(String(member))) return ["unknown"]
    const isTold = isStated(Object(value).missing) && Object(value).missing.length > 0
    return key === "complete" && member === false && !isTold ? ["incomplete"] : undefined
  }
  return Object.entries(value).flatMap(
    ([key, member]) => textsOf(key, member)?.map((text) => ({ at, text })) ?? reasonsIn(member, `${at}/${key}`)
  )
}

/** Whether a reason is about what is at a path: if it names an address or a hash, it is about no other one. */
export const isAbout = (names: ReadonlyArray<string>, { at, text }: Reason, path: string): boolean => {
  const [own, those] = [`${at} ${text}`, path].map((words) => names.filter((name) => words.includes(name)))
  return own?.length === 0 || those?.length === 0 || those?.some((name) => own?.includes(name)) === true
}

const aboutMembers =
  /^(the )?(fees|delivered amounts|decimals) |"message":"(the )?(fees|delivered amounts|decimals) |the decimals of the token are not confirmed/

/** Whether a reason is only about members of rows: it does not excuse that a row is missing. */
export const isAboutMembers = ({ text }: Reason): boolean => aboutMembers.test(text)

const partsOf = (path: string): ReadonlyArray<string> => {
  const keys = path.split("/")
  return keys.map((_, index) => keys.slice(0, index + 1).join("/")).slice(1)
}

/** Returns the row or the object that a fact is missing with: the first part of its path that no other path has. */
export const lackingIn = (others: Iterable<string>) => {
  const existing = new Set([...others].flatMap(partsOf))
  return (path: string): string => partsOf(path).find((part) => !existing.has(part)) ?? path
}
