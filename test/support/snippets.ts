/** A block of code in a document. */
export interface Block {
  readonly language: string
  readonly text: string
  /** The paragraph before it. */
  readonly before: string
  /** The next block, if it shows the response to a request in this block. */
  readonly answer: string | undefined
}

/** A request in a document, and the printed response; undefined if the document prints no response. */
export interface Exchange {
  readonly path: string
  readonly init: RequestInit
  readonly before: string
  readonly printed: string | undefined
}

const dedented = (text: string) => text.replace(/^ {4}/gm, "").trimEnd()

/** All blocks of code: fenced blocks, and indented blocks, which are shell commands. */
export const blocksOf = (document: string): ReadonlyArray<Block> => {
  const found = [...document.matchAll(/^```(\w+)\n([\s\S]*?)^```$|(?<=\n\n)((?: {4}.*\n?)+)/gm)]
  return found.map(([whole, language, fenced = "", indented], index) => {
    const at = found[index]?.index ?? 0
    const next = found[index + 1]
    const between = next && document.slice(at + whole.length, next.index)
    return {
      language: language ?? "shell",
      text: indented === undefined ? fenced : dedented(indented),
      before: document.slice(0, at).trimEnd().split("\n\n").at(-1) ?? "",
      answer: next && /^(?:json|text)$/.test(next[1] ?? "") && !/^#/m.test(between ?? "") ? next[2] : undefined
    }
  })
}

/** The words of a command; quoted words may contain spaces and line breaks. */
const wordsOf = (command: string) =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain)

const ofCurl = ({ answer, before }: Block, command: string): Exchange => {
  const words = wordsOf(command)
  const after = (option: string) => words.flatMap((word, index) => (word === option ? [words[index + 1] ?? ""] : []))
  const [body] = after("-d")
  const url = words.find((word) => word.startsWith("localhost:3000")) ?? ""
  return {
    path: url.replace("localhost:3000", ""),
    init: {
      headers: after("-H").map((line) => line.split(": ", 2) as [string, string]),
      ...(body === undefined ? {} : { method: "POST", body })
    },
    before,
    printed: after("-o").length > 0 ? undefined : answer
  }
}

/** Parses `GET /path` or `POST /path    {…}` with the response below it. */
const ofText = (before: string, text: string): ReadonlyArray<Exchange> =>
  text.split("\n\n").flatMap((part) => {
    const [, method, path = "", body, printed] = /^(GET|POST) (\S+)(?: +(\S.*))?\n([\s\S]*)$/.exec(part) ?? []
    // Skips abridged requests: they cannot be sent.
    if (method === undefined || `${path}${body}`.includes("…")) return []
    const headers = { "content-type": "application/json" }
    return [{ path, init: { method, ...(body === undefined ? {} : { body, headers }) }, before, printed }]
  })

/** The requests to the service in a block. */
export const exchangesOf = (block: Block): ReadonlyArray<Exchange> => {
  if (block.language === "text") return ofText(block.before, block.text)
  if (block.language !== "shell") return []
  return [...block.text.matchAll(/^curl (?:'[^']*'|[^'\n])*/gm)].map(([command]) => ofCurl(block, command))
}

/** Placeholder for omitted parts. */
const ellipsis = "…"

/** Parses JSON in which `…` stands for omitted members or items. */
const parsed = (text: string): unknown =>
  JSON.parse(
    text
      .replace(/([[{])…([\]}])/g, (_, open, close) => (open === "{" ? `{"${ellipsis}":0}` : `["${ellipsis}"${close}`))
      .replace(/,\s*…(?=\s*\])/g, `,"${ellipsis}"`)
      .replace(/,\s*…(?=\s*[},])/g, `,"${ellipsis}":0`)
  )

const attempt = (text: string): unknown => {
  try {
    return parsed(text)
  } catch {
    return undefined
  }
}

export const isJson = (text: string): boolean => attempt(text) !== undefined

/** Replaces parts that differ at another time: numbers, hashes, request ids and cursors. */
const shapeOf = (text: string) =>
  text
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b0x[0-9a-f]+\b|\b[0-9a-f]{32,}\b|[\w-]{60,}/gi, "#")
    .replace(/-?\d+(?:\.\d+)?/g, "0")

const textFits = (printed: string, actual: string) => {
  // Abbreviated hashes differ too.
  const parts = shapeOf(printed.replace(/[0-9a-f]{8,}…/gi, ellipsis)).split(ellipsis)
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*")
  return new RegExp(`^${pattern}$`, "s").test(shapeOf(actual))
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Differences between a value and its printed form. */
const unlike = (printed: unknown, actual: unknown, mayLack: RegExp | undefined, at = ""): ReadonlyArray<string> => {
  if (Array.isArray(printed) && Array.isArray(actual)) {
    const isOpen = printed.at(-1) === ellipsis
    const items = isOpen ? printed.slice(0, -1) : printed
    if (isOpen ? actual.length < items.length : actual.length !== items.length)
      return [`${at} has ${actual.length} items`]
    return items.flatMap((expected, index) => unlike(expected, actual[index], mayLack, `${at}[${index}]`))
  }
  if (isObject(printed) && isObject(actual)) {
    const unprinted = Object.keys(actual).filter((name) => !(name in printed) && mayLack?.test(name) !== true)
    return [
      ...(ellipsis in printed ? [] : unprinted.map((name) => `${at}.${name} is not printed`)),
      ...Object.entries(printed).flatMap(([name, value]) => {
        if (name === ellipsis) return []
        return name in actual ? unlike(value, actual[name], mayLack, `${at}.${name}`) : [`${at}.${name} is missing`]
      })
    ]
  }
  if (typeof printed === "string" && typeof actual === "string")
    return textFits(printed, actual) ? [] : [`${at} is ${actual}, not ${printed}`]
  const fits = typeof printed === "number" ? typeof actual === "number" : printed === actual
  return fits ? [] : [`${at} is ${JSON.stringify(actual)}, not ${JSON.stringify(printed)}`]
}

/** Differences between a line of a response (JSON, or a line of an event) and its printed form. */
const lineUnlike = (printed: string, answer: string): ReadonlyArray<string> => {
  const [expected, actual] = [printed, answer].map((line) => attempt(line.replace(/^data: /, "")))
  if (expected !== undefined && actual !== undefined) return unlike(expected, actual, undefined)
  return textFits(printed, answer) ? [] : [`"${answer}" is printed as "${printed}"`]
}

/** Differences between a response and its printed form in a document; ignores numbers, times and hashes. */
export const differences = (printed: string | undefined, answer: string, mayLack?: RegExp): ReadonlyArray<string> => {
  if (printed === undefined) return []
  const [expected, actual] = [attempt(printed), attempt(answer)]
  if (expected === undefined || actual === undefined) {
    const [lines, others] = [printed.trim().split("\n"), answer.trim().split("\n")]
    if (lines.length !== others.length) return [`has ${others.length} lines, not ${lines.length}`]
    return lines.flatMap((line, index) => lineUnlike(line, others[index] ?? ""))
  }
  // The document prints a single row of a list.
  if (Array.isArray(actual) && isObject(expected)) {
    const rows = actual.map((row) => unlike(expected, row, mayLack))
    return rows.some((wrong) => wrong.length === 0) ? [] : (rows[0] ?? ["has no row"])
  }
  return unlike(expected, actual, mayLack)
}
