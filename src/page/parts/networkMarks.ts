/** The letters and the colour of a network's mark. */
export interface NetworkMark {
  readonly letters: string
  /** Degrees. */
  readonly hue: number
}

/** Pairs of letters of a name, the best first: initials, then its first letter with each later letter. */
const pairsOf = (name: string): ReadonlyArray<string> => {
  const [first = "", second] = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "")
  const [initial = "?", ...others] = first + (second ?? "")
  return [...(second === undefined ? [] : [`${initial}${[...second][0]}`]), ...others.map((letter) => initial + letter)]
}

/** Neighbours on the list are far apart on the circle of colours. */
const step = 137.5

/** The marks of networks by id: no two have the same letters or colour. They depend on the order of the networks. */
export const marksOf = (
  networks: ReadonlyArray<{ readonly id: string; readonly name: string }>
): ReadonlyMap<string, NetworkMark> => {
  const used = new Set<string>()
  return new Map(
    networks.map(({ id, name }, index) => {
      const pairs = pairsOf(name).map((pair) => pair.toUpperCase())
      const letters = pairs.find((pair) => !used.has(pair)) ?? pairs[0] ?? "?"
      used.add(letters)
      return [id, { letters, hue: Math.round((index * step) % 360) }]
    })
  )
}
