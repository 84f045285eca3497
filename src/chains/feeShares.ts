/** An account that pays a part of a fee. */
export interface Payer {
  /** Base units that it brought in, its change included. */
  readonly gave: bigint
  /** Base units that it brought in less its change, not below zero: the maximum that it can pay. */
  readonly net: bigint
}

/**
 * What each of several payers pays of one fee, in base units and in the order of the payers: in proportion to what it
 * gave, rounded down, and the remainder by the largest. No share exceeds a payer's net: the excess is shared by the
 * others in the same proportion. The shares sum to the fee, or to all nets where those are less.
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
  // The remainder is less than one unit a payer, and the nets are large enough for it.
  for (const { index, net } of sharing.toSorted((a, b) => (a.gave < b.gave ? 1 : a.gave > b.gave ? -1 : 0))) {
    const room = net - (shares[index] ?? 0n)
    pay(index, open < room ? open : room)
  }
  return shares
}
