import { sanitized } from "../text/format.ts"
import { t } from "../text/language.ts"

/** A member of a response, named by its path: `utxos[0].value`. */
export interface Fact {
  readonly name: string
  readonly text: string
}

/** Limits of the list; the JSON has all members. */
const maxFacts = 60
const maxEntries = 3
const maxDepth = 4

/** Lists the members of a value in order, with the first entries of lists; limited in depth, count and length. */
export const factsOf = (value: unknown): { readonly facts: ReadonlyArray<Fact>; readonly isCut: boolean } => {
  const facts: Array<Fact> = []
  let isCut = false
  const add = (name: string, text: string) => {
    if (facts.length < maxFacts) facts.push({ name: sanitized(name, 80), text: sanitized(text, 200) })
    else isCut = true
  }
  const visitList = (name: string, list: ReadonlyArray<unknown>, depth: number) => {
    add(name, t("entries", { count: list.length }))
    for (const [index, entry] of list.slice(0, maxEntries).entries()) visit(`${name}[${index}]`, entry, depth)
    if (list.length > maxEntries) isCut = true
  }
  const visit = (name: string, of: unknown, depth: number) => {
    if (facts.length >= maxFacts) isCut = true
    else if (of === null) add(name, t("unknownOrNone"))
    else if (typeof of !== "object") add(name, String(of))
    else if (depth >= maxDepth) isCut = true
    else if (Array.isArray(of)) visitList(name, of, depth + 1)
    else for (const [key, member] of Object.entries(of)) visit(name === "" ? key : `${name}.${key}`, member, depth + 1)
  }
  visit("", value, 0)
  return { facts, isCut }
}
