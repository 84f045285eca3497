/** More edits than this make another name of it. */
const maxEdits = 2

/**
 * Levenshtein distance: single-character edits from one text to the other. Beyond {@link maxEdits} it is no longer
 * counted, and only that many cells beside the diagonal are filled: most names end after three rows.
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
 * The known name that is the fewest edits away, two at most, and the first of several; `spelt` is how names are compared.
 * Names whose lengths differ by more are skipped, as comparing takes the time.
 */
export const nearest = (
  name: string,
  known: ReadonlyArray<string>,
  spelt: (candidate: string) => string = (candidate) => candidate,
  fits: (distance: number, spelt: string) => boolean = () => true
): string | undefined => {
  let found: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const other = spelt(candidate)
    if (Math.abs(other.length - name.length) > maxEdits) continue
    const distance = editDistance(name, other)
    if (distance > maxEdits || !fits(distance, other)) continue
    if (found === undefined || distance < found.distance) found = { candidate, distance }
  }
  return found?.candidate
}

/** Nothing longer is a misspelt name; comparing it would take time in proportion to its length. */
const longestName = 64

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/**
 * The known name that a misspelt name most likely means: at most two edits away and at least half of it right, letter
 * case and punctuation aside. Undefined where none is that near.
 */
export const closest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  if (name.length > longestName) return undefined
  return nearest(plain(name), known, plain, (distance, candidate) => 2 * distance <= candidate.length)
}
