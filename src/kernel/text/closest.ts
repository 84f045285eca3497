import { distance } from "fastest-levenshtein"

/** Names that differ by more edits are different names. */
const maxEdits = 2

/**
 * Finds the known name with the fewest edits, at most two; the first of several. `spelt` normalizes a known name before
 * the comparison. Names whose lengths differ by more than two are skipped to save time.
 */
export const nearest = (
  name: string,
  known: ReadonlyArray<string>,
  normalize: (candidate: string) => string = (candidate) => candidate,
  fits: (edits: number, normalized: string) => boolean = () => true
): string | undefined => {
  let found: { readonly candidate: string; readonly edits: number } | undefined
  for (const candidate of known) {
    const other = normalize(candidate)
    if (Math.abs(other.length - name.length) > maxEdits) continue
    const edits = distance(name, other)
    if (edits > maxEdits || !fits(edits, other)) continue
    if (found === undefined || edits < found.edits) found = { candidate, edits }
  }
  return found?.candidate
}

/** Whether a text starts with a prefix, up to this number of edits of the prefix. */
export const startsLike = (text: string, prefix: string, edits: number): boolean => {
  const isLike = (more: number, most: number) => distance(prefix, text.slice(0, prefix.length + more)) <= most
  // Other lengths are compared only if the same length is close, to save time.
  return isLike(0, 2 * edits) && [0, 1, -1, 2, -2].some((more) => isLike(more, edits))
}

/** Longer texts are not misspelt names, and comparing takes time in proportion to the length. */
const longestName = 64

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/**
 * Returns the known name that a misspelt name most likely means, regardless of letter case and punctuation: at most two
 * edits away, and edits in at most half of its characters. Undefined if no name is that close.
 */
export const closest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  if (name.length > longestName) return undefined
  return nearest(plain(name), known, plain, (edits, candidate) => 2 * edits <= candidate.length)
}
