import type { ChainFacts } from "../catalogue/NetworkFacts.ts"
import type { Failure } from "../contract/streaming.ts"
import { closest } from "../kernel/text/closest.ts"

/** Unknown names of a request for which a known one is suggested: each is compared with all networks. */
const maxSuggestions = 20

/** Longest part of a name in a message. */
const maxShown = 100

/**
 * The networks of a request that the service does not have, each once and spelled as in the request. They are skipped in
 * the body of a response, which is then that of the other networks, and named beside it.
 */
export const unknownNetworks = (facts: ReadonlyArray<ChainFacts>) => {
  const known = facts.flatMap(({ aliases, id }): ReadonlyArray<string> => [id, ...aliases])
  const names = new Set(known)
  return (requested: Iterable<string>): ReadonlyArray<Failure> => {
    const unknown = [...new Set(requested)].filter((name) => !names.has(name.trim().toLowerCase()))
    return unknown.map((network, index) => {
      const meant = index < maxSuggestions ? closest(network, known) : undefined
      const hint = meant === undefined ? "" : `; did you mean "${meant}"?`
      const message = `"${network.slice(0, maxShown)}" is not a network of this service${hint}`
      return { network, message, errorCode: "unknown_network" }
    })
  }
}

/** Such a failure in the header `x-partial-failures`. */
export const unknownInHeader = ({ errorCode, message, network }: Failure) => ({
  full: { network, message, errorCode },
  short: { network, message: errorCode }
})
