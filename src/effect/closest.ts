/** Levenshtein distance: single-character edits from one text to the other. */
export const editDistance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    previous = row
  }
  return previous[b.length] ?? 0
}

/** Nothing longer is a misspelt name; comparing it would take time in proportion to its length. */
const longestName = 64

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/**
 * The known name that a misspelt one most likely means: at most two edits away and at least half of it right, letter
 * case and punctuation aside. Undefined where none is that near.
 */
export const closest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  if (name.length > longestName) return undefined
  let found: { readonly name: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(plain(name), plain(candidate))
    const near = distance <= 2 && 2 * distance <= plain(candidate).length
    if (near && (found === undefined || distance < found.distance)) found = { name: candidate, distance }
  }
  return found?.name
}
