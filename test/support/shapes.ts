// The shapes of JSON bodies: by path of a member, the kinds of its values; and how two lists of bodies differ.

const isRaw = (value: unknown) => JSON.isRawJSON(value)

/** A time in seconds or in milliseconds, of this century, in a member with the name of a time. */
const unitOf = (number: number, path: string) => {
  if (!/(time|date|utime|_at|seen)[^.]*$|\.t$/i.test(path)) return ""
  if (number > 1.2e9 && number < 2.2e9) return " of seconds"
  return number > 1.2e12 && number < 2.2e12 ? " of milliseconds" : ""
}

const numberKind = (text: string, path: string) => {
  if (/e/i.test(text)) return "exponent"
  if (text.includes(".")) return "fraction"
  const number = Number(text)
  return Number.isSafeInteger(number) ? `integer${unitOf(number, path)}` : "long integer"
}

/** The first fitting form names the kind of a text. */
const forms: ReadonlyArray<readonly [kind: string, form: RegExp]> = [
  ["empty", /^$/],
  ["negative", /^-\d+(\.\d+)?$/],
  ["integer", /^\d+$/],
  ["fraction", /^\d+\.\d+$/],
  ["exponent", /^-?\d+(\.\d+)?e[-+]?\d+$/i],
  ["0x with checksum", /^0x(?=.*[A-F])(?=.*[a-f])[0-9a-fA-F]*$/],
  ["0x", /^0x[0-9a-f]*$/i],
  ["hex", /^[0-9a-f]{16,}$/],
  ["upper hex", /^[0-9A-F]{16,}$/],
  ["time with fraction", /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:?\d\d)$/],
  ["time", /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:?\d\d)$/],
  ["time without zone", /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/],
  ["base64", /^[A-Za-z0-9+/]{20,}={1,2}$/]
]

const kindOf = (value: unknown, path: string): string => {
  if (value === null) return "null"
  if (typeof value === "number" || isRaw(value)) return `number: ${numberKind(JSON.stringify(value), path)}`
  if (typeof value === "string") {
    const [kind = "other"] = forms.find(([, form]) => form.test(value)) ?? []
    return `text: ${kind}${kind === "integer" ? unitOf(Number(value), path) : ""}`
  }
  if (Array.isArray(value)) return value.length === 0 ? "empty list" : "list"
  return typeof value === "object" && Object.keys(value).length === 0 ? "empty object" : typeof value
}

/** Keys that are data: hashes, addresses, units, numbers. */
const isData = (key: string) => /^((0x)?[0-9a-fA-F]{20,}|[1-9A-HJ-NP-Za-km-z]{25,}|-?\d+|.*[:,].*|)$/.test(key)

/** Objects whose keys are names of currencies, platforms or languages. */
const byName =
  /\.((detail_)?platforms|current_price|market_cap|total_volume|image|localization|rates|coins|cost_models(_raw)?|(high|low)_24h|at[hl]|\w*_in_currency|description|links|\w*_percentage\w*|price_step)$/

interface Member {
  readonly kinds: Set<string>
  /** How many of the objects have the member, of all objects in its place. */
  present: number
  readonly within: string
}

interface Shape {
  readonly members: Map<string, Member>
  /** Objects by path. */
  readonly objects: Map<string, number>
}

const add = ({ members, objects }: Shape, value: unknown, path: string, within: string): void => {
  const member = members.get(path) ?? { kinds: new Set(), present: 0, within }
  members.set(path, member)
  member.kinds.add(kindOf(value, path))
  member.present++
  if (typeof value !== "object" || value === null || isRaw(value)) return
  if (Array.isArray(value)) {
    for (const item of value) add({ members, objects }, item, `${path}[]`, path)
    return
  }
  objects.set(path, (objects.get(path) ?? 0) + 1)
  for (const [key, each] of Object.entries(value))
    add({ members, objects }, each, `${path}.${byName.test(path) || isData(key) ? "*" : key}`, path)
}

export const shapeOf = (bodies: ReadonlyArray<unknown>): Shape => {
  const shape: Shape = { members: new Map(), objects: new Map() }
  for (const body of bodies) add(shape, body, "", "")
  return shape
}

/** Paths that only the first shape has. Of a missing object or list, only its own path. */
const only = ({ members }: Shape, other: Shape) =>
  [...members].filter(([path, { within }]) => !other.members.has(path) && other.members.has(within))

const isOptional = ({ members, objects }: Shape, path: string) => {
  const { present = 0, within = "" } = members.get(path) ?? {}
  return !path.endsWith("]") && present < (objects.get(within) ?? 0)
}

const without = (some: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...some].filter((kind) => !others.has(kind)).sort()

interface Difference {
  readonly kind: "lacks" | "adds" | "kinds" | "always"
  readonly path: string
  /** The kinds on both sides, for a reader. */
  readonly detail: string
}

/** How simulated bodies differ from recorded bodies. */
export const differences = (recorded: Shape, simulated: Shape): ReadonlyArray<Difference> => {
  const shown = (kinds: Iterable<string> = []) => [...kinds].sort().join(" | ")
  return [
    ...only(recorded, simulated).map(([path, { kinds }]) => ({ kind: "lacks" as const, path, detail: shown(kinds) })),
    ...only(simulated, recorded).map(([path, { kinds }]) => ({ kind: "adds" as const, path, detail: shown(kinds) })),
    ...[...recorded.members].flatMap(([path, { kinds }]) => {
      const own = simulated.members.get(path)?.kinds
      if (own === undefined || without(kinds, own).length + without(own, kinds).length === 0) return []
      return [{ kind: "kinds" as const, path, detail: `recorded ${shown(kinds)}; simulated ${shown(own)}` }]
    }),
    ...[...recorded.members.keys()]
      .filter((path) => isOptional(recorded, path) && simulated.members.has(path) && !isOptional(simulated, path))
      .map((path) => ({ kind: "always" as const, path, detail: "not in all recordings" }))
  ]
}
