import { feeOf, type UtxoTransaction } from "./history.ts"

const isPending = ({ block }: UtxoTransaction) => block === undefined

/** Who is told once more has meanwhile got into a block, or stands on two pages. */
const unique = (seen: ReadonlyArray<UtxoTransaction>): ReadonlyArray<UtxoTransaction> => {
  const found = new Map<string, UtxoTransaction>()
  for (const one of seen) {
    const before = found.get(one.hash)
    if (before === undefined || (isPending(before) && !isPending(one))) found.set(one.hash, one)
  }
  return [...found.values()]
}

const beats = (one: UtxoTransaction, other: UtxoTransaction) =>
  isPending(one) === isPending(other) ? feeOf(one) > feeOf(other) : isPending(other)

/**
 * Each transaction once. Of those that spend the same output only one can last: the one in a block, or else the one that
 * pays more (a replacement has to, by BIP-125).
 */
export const lasting = (seen: ReadonlyArray<UtxoTransaction>): ReadonlyArray<UtxoTransaction> => {
  const all = unique(seen)
  if (!all.some(isPending)) return all
  const spenders = new Map<string, UtxoTransaction>()
  for (const one of all)
    for (const { spends } of one.inputs) {
      const other = spends === undefined ? undefined : spenders.get(spends)
      if (spends !== undefined && (other === undefined || beats(one, other))) spenders.set(spends, one)
    }
  return all.filter(
    (one) => !isPending(one) || one.inputs.every(({ spends }) => spends === undefined || spenders.get(spends) === one)
  )
}

/** More than the transactions of a block; heights times this are exact numbers. */
const perBlock = 2 ** 20

/** Above all blocks. */
const pool = 2 ** 31

/** The transactions of one block, the newest first as they came, but each after those whose outputs it spends. */
const inTurn = (group: ReadonlyArray<UtxoTransaction>): ReadonlyArray<UtxoTransaction> => {
  const open = new Map(group.toReversed().map((one) => [one.hash, one]))
  const turns: Array<UtxoTransaction> = []
  const visit = (one: UtxoTransaction) => {
    open.delete(one.hash)
    for (const { spends = "" } of one.inputs) {
      const parent = open.get(spends.slice(0, spends.indexOf(":")))
      if (parent !== undefined) visit(parent)
    }
    turns.push(one)
  }
  for (const one of open.values()) visit(one)
  return turns
}

/** The newest first, with what orders those of the same second: the block, and the place among those of the block. */
export const ordered = (
  seen: ReadonlyArray<UtxoTransaction>
): ReadonlyArray<readonly [seen: UtxoTransaction, order: number]> => {
  const groups = Map.groupBy(seen, ({ block = pool }) => block)
  return [...groups]
    .sort(([a], [b]) => b - a)
    .flatMap(([block, group]) =>
      inTurn(group)
        .map((one, place) => [one, block * perBlock + place] as const)
        .toReversed()
    )
}
