import { chartPrefix, namedPrefix } from "../../contract/openapi.ts"
import * as Routes from "./Routes.ts"

/** The route of a path. */
export interface Destination {
  /** Path in the contract, with `app` for the configured name; empty if there is no route. */
  readonly path: string
  /** Values of the path parameters, in order. */
  readonly parameters: ReadonlyArray<string>
  readonly route: Routes.Route | undefined
}

const noRoute: Destination = { path: "", parameters: [], route: undefined }

const isBelow = (path: string, prefix: string) =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/")

/** Maps a request's path to the contract's; undefined for the contract's own prefix if another is configured. */
const contractPath = (appName: string) => {
  const prefix = namedPrefix(appName)
  return (path: string) => {
    if (isBelow(path, prefix)) return chartPrefix + path.slice(prefix.length)
    return isBelow(path, chartPrefix) ? undefined : path
  }
}

/** Number of paths whose routes are cached; the cache is then cleared. */
const maxPaths = 1000

/** Longer paths are not cached. */
const maxRemembered = 500

/** Finds the route of a path as sent, without query: a route of the contract or of these templates. */
export const make = (appName: string, served: ReadonlyArray<string>) => {
  const routes = Routes.make(served)
  const inContract = contractPath(appName)
  const destinations = new Map<string, Destination>()
  return (sentPath: string): Destination => {
    const before = destinations.get(sentPath)
    if (before !== undefined) return before
    const path = inContract(sentPath)
    const destination = (path === undefined ? undefined : routes.find(path)) ?? noRoute
    if (destinations.size >= maxPaths) destinations.clear()
    if (sentPath.length <= maxRemembered) destinations.set(sentPath, destination)
    return destination
  }
}
