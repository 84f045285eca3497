import * as Context from "effect/Context"
import * as Catalogue from "../catalogue/Catalogue.ts"
import { closest } from "../kernel/text/closest.ts"
import * as Sandbox from "../sandbox/Sandbox.ts"

/** A mock, an edit or a fault of a test. */
export interface Interceptor {
  /** As in the test: `mock("coingecko")`. */
  readonly name: string
  /** Name or host of its upstream; undefined for a predicate. */
  readonly upstream: string | undefined
  /** A mistake in its other arguments. */
  readonly problem: string | undefined
  isUsed: boolean
}

interface Registry {
  readonly add: (interceptor: Interceptor) => void
}

/** Receives the interceptors of a service when its upstreams are built. */
export class Interceptors extends Context.Reference<Interceptors>()("testing/Interceptors", {
  defaultValue: (): Registry => ({ add: () => undefined })
}) {}

/** Hosts have dots or ports, names of upstreams have not. */
const isHost = (upstream: string) => /[.:]/.test(upstream)

/** Mistakes in the arguments of interceptors. */
export const mistakes = (interceptors: ReadonlyArray<Interceptor>, registered: ReadonlyArray<string>) => [
  ...misspelt(interceptors, registered),
  ...interceptors.flatMap(({ name, problem }) => (problem === undefined ? [] : [`Upstreams.${name}: ${problem}`]))
]

/**
 * Names of interceptors that match no upstream, with the closest name. The upstreams of all registered networks count,
 * so that services with few networks can share their mocks. A host is never wrong, because icons have any host.
 */
const misspelt = (interceptors: ReadonlyArray<Interceptor>, registered: ReadonlyArray<string>) => {
  const unregistered = interceptors.filter(
    ({ upstream }) => upstream !== undefined && !isHost(upstream) && !registered.includes(upstream)
  )
  if (unregistered.length === 0) return []
  const known = [...registered, ...Sandbox.namesOf(Catalogue.all)]
  return unregistered.flatMap(({ name, upstream = "" }) => {
    if (known.includes(upstream)) return []
    const meant = closest(upstream, known)
    const hint = meant === undefined ? `this service has ${registered.join(", ")}` : `did you mean "${meant}"?`
    return [`Upstreams.${name}: there is no upstream with this name; ${hint}`]
  })
}
