/** Names that differ by more edits are different names. */
const maxEdits = 2

/**
 * Levenshtein distance: the number of single-character edits from one text to the other; infinite above
 * {@link maxEdits}. Fills only that many cells on each side of the diagonal, so most names end after three rows.
 */
export const editDistance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row: Array<number> = new Array(b.length + 1).fill(beyond)
    row[0] = i
    let least = i
    for (let j = Math.max(1, i - maxEdits); j <= Math.min(b.length, i + maxEdits); j++) {
      const replaced = (previous[j - 1] ?? beyond) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const edits = Math.min(replaced, (previous[j] ?? beyond) + 1, (row[j - 1] ?? beyond) + 1)
      row[j] = edits
      least = Math.min(least, edits)
    }
    if (least > maxEdits) return beyond
    previous = row
  }
  const edits = previous[b.length] ?? beyond
  return edits <= maxEdits ? edits : beyond
}

const beyond = Number.POSITIVE_INFINITY

/**
 * Finds the known name with the fewest edits, at most two; the first of several. `spelt` normalizes a known name before
 * the comparison. Names whose lengths differ by more than two are skipped to save time.
 */
export const nearest = (
  name: string,
  known: ReadonlyArray<string>,
  normalize: (candidate: string) => string = (candidate) => candidate,
  fits: (distance: number, normalize: string) => boolean = () => true
): string | undefined => {
  let found: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const other = normalize(candidate)
    if (Math.abs(other.length - name.length) > maxEdits) continue
    const distance = editDistance(name, other)
    if (distance > maxEdits || !fits(distance, other)) continue
    if (found === undefined || distance < found.distance) found = { candidate, distance }
  }
  return found?.candidate
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
  return nearest(plain(name), known, plain, (distance, candidate) => 2 * distance <= candidate.length)
}
