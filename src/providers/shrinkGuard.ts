/** Time after which a second list confirms that a platform has lost tokens, ms: all its parts were read again by then. */
const confirmedAfter = 60 * 60 * 1000

/** The share of tokens by which two lists of the same tokens may differ. */
const maxDifference = 0.01

interface RejectedList {
  readonly addresses: ReadonlySet<string>
  /** ms. */
  readonly at: number
}

/**
 * Returns whether the list of a platform that is read at a time (ms) may replace one with `before` tokens. A list that
 * has lost most of them may be a part of a response: it is accepted if a later one has the same tokens.
 */
export const shrinkGuard = () => {
  const rejected = new Map<string, RejectedList>()
  return (platform: string, tokens: ReadonlyArray<{ readonly address: string }>, before: number, at: number) => {
    const earlier = rejected.get(platform)
    const isAccepted =
      tokens.length > 0 &&
      (tokens.length >= before / 2 ||
        (earlier !== undefined && isSame(tokens, earlier) && at - earlier.at >= confirmedAfter))
    if (isAccepted) rejected.delete(platform)
    else if (earlier === undefined || !isSame(tokens, earlier))
      rejected.set(platform, { addresses: new Set(tokens.map(({ address }) => address)), at })
    return isAccepted
  }
}

const isSame = (tokens: ReadonlyArray<{ readonly address: string }>, { addresses }: RejectedList): boolean => {
  const common = tokens.filter(({ address }) => addresses.has(address)).length
  return tokens.length + addresses.size - 2 * common <= maxDifference * tokens.length
}
