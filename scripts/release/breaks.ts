// Compares two OpenAPI documents of the service by what docs/releases.md promises to clients.

type Json = Readonly<Record<string, unknown>>

const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const wordsOf = (value: unknown): ReadonlyArray<string> => listOf(value).filter((word) => typeof word === "string")

/** The limits of a request's values, and whether a change of one refuses values that were accepted. */
const limits: Readonly<Record<string, (before: unknown, after: unknown) => boolean>> = {
  ...Object.fromEntries(
    ["maxLength", "maxItems", "maximum", "maxProperties"].map((limit) => [
      limit,
      (before: unknown, after: unknown) =>
        after !== undefined && (before === undefined || Number(after) < Number(before))
    ])
  ),
  ...Object.fromEntries(
    ["minLength", "minItems", "minimum", "minProperties"].map((limit) => [
      limit,
      (before: unknown, after: unknown) =>
        after !== undefined && (before === undefined || Number(after) > Number(before))
    ])
  ),
  pattern: (before, after) => after !== undefined && after !== before
}

const methods = ["get", "put", "post", "delete", "patch"]

/** Types of a schema's values. Empty for any value. */
const typesOf = ({ const: only, enum: words, type }: Json): ReadonlyArray<string> =>
  typeof type === "string"
    ? [type]
    : Array.isArray(type)
      ? wordsOf(type)
      : [...new Set([...listOf(words), ...(only === undefined ? [] : [only])].map((word) => typeof word))]

/**
 * The changes from one document to the next that break a client of the first, a line each: a removed route, parameter,
 * member, variant or type, and a request that is refused now. New words of an enumeration in a response break no client.
 */
export const breaks = (before: Json, after: Json): ReadonlyArray<string> => {
  const found = new Set<string>()
  const compared = new Set<string>()

  const resolved = (document: Json, schema: unknown): readonly [name: string, schema: Json] => {
    const { $ref, ...own } = objectOf(schema)
    if (typeof $ref !== "string") return ["", own]
    const at = $ref.slice(2).split("/")
    return [at.at(-1) ?? "", at.reduce((value: Json, key) => objectOf(value[key]), document)]
  }

  /**
   * The variants of a union, or the schema itself, by a key that stays the same: the words of the members that tell them
   * apart, the name, or the types.
   */
  const variantsOf = (document: Json, of: unknown): ReadonlyArray<readonly [key: string, schema: Json]> => {
    const [name, schema] = resolved(document, of)
    const variants = listOf(schema.anyOf ?? schema.oneOf)
    if (variants.length > 0) return variants.flatMap((variant) => variantsOf(document, variant))
    const tags = Object.entries(objectOf(schema.properties)).flatMap(([member, value]) => {
      const words = wordsOf(objectOf(value).enum)
      return words.length === 1 && wordsOf(schema.required).includes(member) ? [`${member} ${words[0]}`] : []
    })
    return [[tags.join() || name || typesOf(schema).join(), schema]]
  }

  const compare = (place: string, isRequest: boolean, old: unknown, current: unknown): void => {
    const [name] = resolved(before, old)
    const at = name || place
    const pair = `${isRequest} ${name} ${resolved(after, current)[0]}`
    if (name !== "" && compared.has(pair)) return
    compared.add(pair)
    const past = variantsOf(before, old)
    const present = variantsOf(after, current)
    const [oldTypes, types] = [past, present].map((all) => [...new Set(all.flatMap(([, schema]) => typesOf(schema)))])
    const [narrow = [], wide = []] = isRequest ? [oldTypes, types] : [types, oldTypes]
    if (wide.length > 0 && (narrow.length === 0 || narrow.some((type) => !wide.includes(type))))
      found.add(`${at}: ${oldTypes?.join(" or ") || "any value"} became ${types?.join(" or ") || "any value"}`)
    else if (past.length === 1 && present.length === 1)
      compareOne(at, isRequest, past[0]?.[1] ?? {}, present[0]?.[1] ?? {})
    else
      for (const [key, schema] of past) {
        const [, same] = present.find(([other]) => other === key) ?? []
        if (same !== undefined) compareOne(past.length === 1 ? at : `${at} (${key})`, isRequest, schema, same)
        else if (typesOf(schema).includes("object")) found.add(`${at}: variant ${key} is gone`)
      }
  }

  const compareOne = (at: string, isRequest: boolean, past: Json, present: Json): void => {
    if (isRequest) {
      const words = listOf(present.enum)
      const gone = words.length === 0 ? [] : listOf(past.enum).filter((word) => !words.includes(word))
      if (gone.length > 0) found.add(`${at}: ${gone.join(", ")} is refused`)
      for (const [limit, refuses] of Object.entries(limits))
        if (refuses(past[limit], present[limit])) found.add(`${at}: ${limit} refuses more`)
    }
    const members = objectOf(present.properties)
    const [required, wasRequired] = [wordsOf(present.required), wordsOf(past.required)]
    for (const [member, value] of Object.entries(objectOf(past.properties))) {
      if (!(member in members)) found.add(`${at}.${member}: is gone`)
      else compare(`${at}.${member}`, isRequest, value, members[member])
      if (!isRequest && wasRequired.includes(member) && member in members && !required.includes(member))
        found.add(`${at}.${member}: may be absent`)
    }
    for (const member of isRequest ? required : [])
      if (!wasRequired.includes(member)) found.add(`${at}.${member}: is required`)
    for (const part of ["items", "additionalProperties"])
      if (typeof past[part] === "object") compare(`${at}[]`, isRequest, past[part], present[part])
  }

  const contents = (place: string, isRequest: boolean, old: unknown, current: unknown): void => {
    const types = objectOf(objectOf(resolved(after, current)[1]).content)
    for (const [type, { schema }] of Object.entries(objectOf(objectOf(resolved(before, old)[1]).content)).map(
      ([type, value]) => [type, objectOf(value)] as const
    ))
      if (type in types) compare(place, isRequest, schema, objectOf(types[type]).schema)
      else found.add(`${place}: ${type} is gone`)
  }

  const parameters = (document: Json, operation: Json) =>
    new Map(
      listOf(operation.parameters).map((parameter) => {
        const [, value] = resolved(document, parameter)
        return [`${value.in} ${value.name}`, value]
      })
    )

  for (const [path, value] of Object.entries(objectOf(before.paths)))
    for (const method of methods.filter((method) => method in objectOf(value))) {
      const route = `${method.toUpperCase()} ${path}`
      const old = objectOf(objectOf(value)[method])
      const current = objectOf(objectOf(objectOf(after.paths)[path])[method])
      if (current.responses === undefined) {
        found.add(`${route}: is gone`)
        continue
      }
      if (old.operationId !== current.operationId)
        found.add(`${route}: the operation ${old.operationId} is called ${current.operationId}`)
      const accepted = parameters(after, current)
      const sent = parameters(before, old)
      for (const [name, parameter] of sent)
        if (accepted.has(name)) compare(`${route} ${name}`, true, parameter.schema, accepted.get(name)?.schema)
        else found.add(`${route} ${name}: is gone`)
      for (const [name, { required }] of accepted)
        if (required === true && sent.get(name)?.required !== true) found.add(`${route} ${name}: is required`)
      if (old.requestBody !== undefined) contents(`${route} body`, true, old.requestBody, current.requestBody)
      const responses = objectOf(current.responses)
      for (const [status, response] of Object.entries(objectOf(old.responses)))
        if (!(status in responses)) found.add(`${route} ${status}: is gone`)
        else contents(`${route} ${status}`, false, response, responses[status])
    }
  return [...found].sort()
}
