/** A block of code in a document. */
export interface Block {
  readonly language: string
  readonly text: string
  /** The paragraph before it. */
  readonly before: string
  /** The block that follows, where it is what a request returns. */
  readonly answer: string | undefined
}

/** A request of a document, and the answer that is printed there; undefined where there is none. */
export interface Exchange {
  readonly path: string
  readonly init: RequestInit
  readonly before: string
  readonly printed: string | undefined
}

const dedented = (text: string) => text.replace(/^ {4}/gm, "").trimEnd()

/** All blocks of code: those between fences, and those that are indented, which are for a shell. */
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

/** The words of a command; a quoted one may have spaces and lines. */
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

/** `GET /path` or `POST /path    {…}`, and the answer below it. */
const ofText = (before: string, text: string): ReadonlyArray<Exchange> =>
  text.split("\n\n").flatMap((part) => {
    const [, method, path = "", body, printed] = /^(GET|POST) (\S+)(?: +(\S.*))?\n([\s\S]*)$/.exec(part) ?? []
    // A request that is printed in part cannot be sent.
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

/** Stands for what is left out. */
const ellipsis = "…"

/** JSON in which `…` stands for members or items that are left out. */
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

/** Without what is different at another time: numbers, hashes, ids of requests and cursors. */
const shapeOf = (text: string) =>
  text
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b0x[0-9a-f]+\b|\b[0-9a-f]{32,}\b|[\w-]{60,}/gi, "#")
    .replace(/-?\d+(?:\.\d+)?/g, "0")

const textFits = (printed: string, actual: string) => {
  // A hash that is cut off is another one too.
  const parts = shapeOf(printed.replace(/[0-9a-f]{8,}…/gi, ellipsis)).split(ellipsis)
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*")
  return new RegExp(`^${pattern}$`, "s").test(shapeOf(actual))
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Where a value is not as it is printed. */
const unlike = (printed: unknown, actual: unknown, mayLack: RegExp | undefined, at = ""): ReadonlyArray<string> => {
  if (Array.isArray(printed) && Array.isArray(actual)) {
    const isOpen = printed.at(-1) === ellipsis
    const items = isOpen ? printed.slice(0, -1) : printed
    if (isOpen ? actual.length < items.length : actual.length !== items.length)
      return [`${at} has ${actual.length} items`]
    return items.flatMap((item, index) => unlike(item, actual[index], mayLack, `${at}[${index}]`))
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

/** Where a part of an answer, which is JSON or a line of an event, is not as it is printed. */
const lineUnlike = (printed: string, answer: string): ReadonlyArray<string> => {
  const [expected, actual] = [printed, answer].map((line) => attempt(line.replace(/^data: /, "")))
  if (expected !== undefined && actual !== undefined) return unlike(expected, actual, undefined)
  return textFits(printed, answer) ? [] : [`"${answer}" is printed as "${printed}"`]
}

/** Where an answer is not as a document prints it; numbers, times and hashes may be others. */
export const differences = (printed: string | undefined, answer: string, mayLack?: RegExp): ReadonlyArray<string> => {
  if (printed === undefined) return []
  const [expected, actual] = [attempt(printed), attempt(answer)]
  if (expected === undefined || actual === undefined) {
    const [lines, others] = [printed.trim().split("\n"), answer.trim().split("\n")]
    if (lines.length !== others.length) return [`has ${others.length} lines, not ${lines.length}`]
    return lines.flatMap((line, index) => lineUnlike(line, others[index] ?? ""))
  }
  // A row of a list.
  if (Array.isArray(actual) && isObject(expected)) {
    const rows = actual.map((row) => unlike(expected, row, mayLack))
    return rows.some((wrong) => wrong.length === 0) ? [] : (rows[0] ?? ["has no row"])
  }
  return unlike(expected, actual, mayLack)
}
