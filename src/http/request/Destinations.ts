import { chartPrefix, namedPrefix } from "../../contract/openapi.ts"
import * as Routes from "./Routes.ts"

/** Where a path leads. */
export interface Destination {
  /** As the contract writes it, with `app` for the configured name; empty where there is no such route. */
  readonly path: string
  /** The values of the parameters of the path, in order. */
  readonly parameters: ReadonlyArray<string>
  readonly route: Routes.Route | undefined
}

const noRoute: Destination = { path: "", parameters: [], route: undefined }

const isBelow = (path: string, prefix: string) =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/")

/** The contract's path of a request's path: undefined for the contract's own name of a route that has another one. */
const contractPath = (appName: string) => {
  const prefix = namedPrefix(appName)
  return (path: string) => {
    if (isBelow(path, prefix)) return chartPrefix + path.slice(prefix.length)
    return isBelow(path, chartPrefix) ? undefined : path
  }
}

/** Routes of paths are remembered for this many of them, and then anew. */
const maxPaths = 1000

/** A longer path is looked up each time. */
const maxRemembered = 500

/** Finds the routes of paths as they are sent, without query: those of the contract, and of these templates. */
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
