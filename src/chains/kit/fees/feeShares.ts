/** An account that pays a part of a fee. */
export interface Payer {
  /** Base units that it put in, including its change. */
  readonly gave: bigint
  /** `gave` less its change, at least 0: the maximum that it can pay. */
  readonly net: bigint
}

/**
 * Splits a fee among payers; returns base units in the order of the payers. Each pays in proportion to `gave`, rounded
 * down; the largest pays the remainder. No share exceeds a payer's `net`: the others share the excess in the same
 * proportion. The shares sum to the fee, or to the sum of all nets if that is less.
 */
export const feeShares = (payers: ReadonlyArray<Payer>, fee: bigint): ReadonlyArray<bigint> => {
  const shares = payers.map(() => 0n)
  let open = fee
  const pay = (index: number, amount: bigint) => {
    shares[index] = (shares[index] ?? 0n) + amount
    open -= amount
  }
  let sharing = payers.map((payer, index) => ({ ...payer, index }))
  for (;;) {
    const [due, total] = [open, sharing.reduce((sum, { gave }) => sum + gave, 0n)]
    const { limited = [], rest = [] } = Object.groupBy(sharing, ({ gave, net }) =>
      due * gave >= net * total ? "limited" : "rest"
    )
    for (const { index, net } of limited) pay(index, net)
    sharing = rest
    if (limited.length > 0) continue
    for (const { gave, index } of sharing) pay(index, (due * gave) / total)
    break
  }
  // The remainder is less than one unit per payer, and the nets can cover it.
  for (const { index, net } of sharing.toSorted((a, b) => (a.gave < b.gave ? 1 : a.gave > b.gave ? -1 : 0))) {
    const room = net - (shares[index] ?? 0n)
    pay(index, open < room ? open : room)
  }
  return shares
}
