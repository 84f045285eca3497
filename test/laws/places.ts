/** A value in the text of a JSON document. */
export interface Place {
  /** Keys and indexes from the root. */
  readonly path: ReadonlyArray<string | number>
  /** Span of the value in the text. */
  readonly start: number
  readonly end: number
  /** Start of its member, with the key; same as `start` in a list. */
  readonly from: number
  readonly children: ReadonlyArray<Place>
}

const space = /[ \t\r\n]*/y
const scalar = /"(?:[^"\\]|\\.)*"|[^,\]}\s]+/y

/** The values of a JSON text, each with its span: a change of one leaves the text of the others. Undefined if invalid. */
export const rootOf = (text: string): Place | undefined => {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  let at = 0
  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at
    const [found = ""] = pattern.exec(text) ?? []
    at += found.length
    return found
  }
  const list = (path: Place["path"], close: string): ReadonlyArray<Place> => {
    const children: Array<Place> = []
    for (at++, skip(space); text[at] !== close; skip(space)) {
      if (text[at] === ",") {
        at++
        skip(space)
      }
      const from = at
      let key: string | number = children.length
      if (close === "}") {
        key = String(JSON.parse(skip(scalar)))
        skip(space)
        at++
      }
      children.push(value([...path, key], from))
    }
    at++
    return children
  }
  const value = (path: Place["path"], from?: number): Place => {
    skip(space)
    const start = at
    const open = text[at]
    const children = open === "{" ? list(path, "}") : open === "[" ? list(path, "]") : []
    if (at === start) skip(scalar)
    return { path, start, end: at, from: from ?? start, children }
  }
  return value([])
}

/** All places below a place, with it. */
export const within = (place: Place): ReadonlyArray<Place> => [place, ...place.children.flatMap(within)]

/** Keys that are data, such as addresses, and indexes are the same kind of place. */
const isName = /^[A-Za-z_][\w-]{0,24}$/

/** The kind of a place: where it is in all responses of this form. */
export const kindOf = ({ path }: Place): string =>
  path.map((key) => (typeof key === "number" ? "[]" : isName.test(key) ? key : "{}")).join(".")

/** The text with other texts for some places, which do not contain each other. */
export const spliced = (
  text: string,
  changes: ReadonlyArray<readonly [Pick<Place, "start" | "end">, string]>
): string =>
  changes
    .toSorted(([a], [b]) => b.start - a.start)
    .reduce((whole, [{ end, start }, value]) => whole.slice(0, start) + value + whole.slice(end), text)
