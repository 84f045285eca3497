// GraphQL's query language (spec.graphql.org, section 2) without named fragments and directives.

/** A requested field. */
export interface GraphQlField {
  readonly name: string
  /** Key in the response: the alias, or else the name. */
  readonly alias: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly fields: ReadonlyArray<GraphQlField>
  /** Type condition of the fragment that contains the field. */
  readonly on?: string
}

interface GraphQlReader {
  readonly tokens: ReadonlyArray<string>
  readonly variables: Readonly<Record<string, unknown>>
  next: number
}

/** Parses the top-level fields of a query and substitutes variables; undefined for an invalid query. */
export const parse = (
  query: string,
  variables: Readonly<Record<string, unknown>>
): ReadonlyArray<GraphQlField> | undefined => {
  const tokens: ReadonlyArray<string> = query.match(/"[^"]*"|[_A-Za-z]\w*|-?\d+|\.\.\.|[^\s,]/g) ?? []
  const start = tokens.indexOf("{")
  const declared = tokens.slice(1, Math.max(start, 1)).filter((_, index) => tokens[index] === "$")
  const count = (token: string) => tokens.filter((other) => other === token).length
  if (start < 0 || count("{") !== count("}") || declared.some((name) => variables[name] === undefined)) return undefined
  const reader = { tokens, variables, next: start }
  const fields = selection(reader)
  return reader.next === tokens.length ? fields : undefined
}

const take = (reader: GraphQlReader): string => reader.tokens[reader.next++] ?? ""

const taken = (reader: GraphQlReader, token: string): boolean => {
  const found = reader.tokens[reader.next] === token
  if (found) reader.next += 1
  return found
}

const selection = (reader: GraphQlReader): ReadonlyArray<GraphQlField> => {
  const fields: Array<GraphQlField> = []
  if (taken(reader, "{"))
    while (reader.next < reader.tokens.length && !taken(reader, "}"))
      if (taken(reader, "...") && taken(reader, "on")) {
        const on = take(reader)
        fields.push(...selection(reader).map((selected) => ({ ...selected, on })))
      } else fields.push(field(reader))
  return fields
}

const field = (reader: GraphQlReader): GraphQlField => {
  const first = take(reader)
  const name = taken(reader, ":") ? take(reader) : first
  const given: Record<string, unknown> = {}
  if (taken(reader, "("))
    while (reader.next < reader.tokens.length && !taken(reader, ")")) {
      const argument = take(reader)
      taken(reader, ":")
      given[argument] = value(reader)
    }
  return { name, alias: first, arguments: given, fields: selection(reader) }
}

const value = (reader: GraphQlReader): unknown => {
  const token = take(reader)
  if (token === "$") return reader.variables[take(reader)]
  return token.startsWith('"') ? token.slice(1, -1) : Number(token)
}

/** Data whose members may be functions of their arguments, which return null for what does not exist. */
export type Resolvable<T> =
  T extends ReadonlyArray<infer Row>
    ? ReadonlyArray<Resolvable<Row>>
    : T extends object
      ? {
          readonly [K in keyof T]:
            | Resolvable<T[K]>
            | ((given: Readonly<Record<string, unknown>>) => Resolvable<T[K]> | null)
        }
      : T

/** Resolves fields. Calls functions with the arguments; resolves lists element by element. */
export const resolve = (value: unknown, fields: ReadonlyArray<GraphQlField>): unknown => {
  // JSON is a scalar: it is returned unchanged.
  if (fields.length === 0) return value
  if (Array.isArray(value)) return value.map((member) => resolve(member, fields))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    fields
      .filter(({ on }) => on === undefined || on === Reflect.get(value, "__typename"))
      .map((field) => {
        const member: unknown = Reflect.get(value, field.name)
        const found = typeof member === "function" ? member(field.arguments) : member
        return [field.alias, resolve(found, field.fields)]
      })
  )
}
