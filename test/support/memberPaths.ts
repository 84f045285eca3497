/** Paths of all members of a value, with `[]` for the items of a list. */
export const pathsIn = (value: unknown, path = ""): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  if (Array.isArray(value)) return value.flatMap((member) => pathsIn(member, `${path}[]`))
  return Object.entries(value).flatMap(([key, member]) => {
    const own = path === "" ? key : `${path}.${key}`
    return [own, ...pathsIn(member, own)]
  })
}
