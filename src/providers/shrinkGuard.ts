/** Time after which a second list confirms that a platform has lost a token, ms: all its parts were read again by then. */
const confirmedAfter = 60 * 60 * 1000

/** The share of unconfirmed losses up to which a list that has lost most tokens is not taken for a part of a response. */
const maxUnconfirmed = 0.01

/**
 * Returns the tokens of a platform after its list was read at a time (ms): those of the list, and those before it that may be
 * missing by mistake, as no list an hour earlier lacked them. Undefined if the list looks like a part of a response, because
 * it has lost most tokens.
 */
export const shrinkGuard = () => {
  const lost = new Map<string, ReadonlyMap<string, number>>()
  return <A extends { readonly address: string }>(
    platform: string,
    tokens: ReadonlyArray<A>,
    at: number,
    before: ReadonlyArray<A> = []
  ): ReadonlyArray<A> | undefined => {
    const present = new Set(tokens.map(({ address }) => address))
    const missing = before.filter(({ address }) => !present.has(address))
    const since = lost.get(platform)
    const times = new Map(missing.map(({ address }) => [address, since?.get(address) ?? at]))
    lost.set(platform, times)
    const unconfirmed = missing.filter(({ address }) => at - (times.get(address) ?? at) < confirmedAfter)
    const isPart = 2 * tokens.length < before.length && unconfirmed.length > maxUnconfirmed * tokens.length
    return tokens.length === 0 || isPart ? undefined : [...tokens, ...unconfirmed]
  }
}
