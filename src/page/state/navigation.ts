import { unwrapped } from "../addresses/pasted.ts"
import { isOpenable } from "./refusal.ts"
import { fragmentOf, type Route, routeOf, type ViewName } from "./route.ts"
import { makeStore } from "./store.ts"

/** The views that show the same addresses: a change between them keeps the addresses. */
const ofAddresses: ReadonlyArray<ViewName> = ["portfolio", "history"]

/**
 * The route of the URL. If it has a secret, it is erased from the URL and from the entry of the browser's history. Links of
 * explorers and payment requests are replaced by their addresses.
 */
const arrivedAt = (): Route => {
  const written = routeOf(location.hash)
  const items = ofAddresses.includes(written.view) ? [...new Set(written.items.map(unwrapped))] : written.items
  const route = { ...written, items }
  const isOpened = isOpenable(written) && isOpenable(route)
  if (!isOpened) history.replaceState(null, "", "#/")
  else if (items.join() !== written.items.join()) history.replaceState(null, "", fragmentOf(route))
  return isOpened ? route : { view: "portfolio", items: [] }
}

/** The current route. It follows the URL, including the back button. */
export const currentRoute = makeStore(arrivedAt())

/** The addresses that were shown last. */
export const currentAddresses = makeStore<ReadonlyArray<string>>([])

const follow = () => {
  const { items, view } = currentRoute.get()
  if (ofAddresses.includes(view) && items.length > 0) currentAddresses.set(items)
}

follow()
addEventListener("hashchange", () => {
  currentRoute.set(arrivedAt())
  follow()
})

/** Navigates to a route and adds an entry to the browser history, unless the route has a secret. Returns whether it did. */
export const goTo = (route: Route): boolean => {
  const isOpened = isOpenable(route)
  if (isOpened) location.hash = fragmentOf(route)
  return isOpened
}

/** The link to a view, with the current addresses if it shows addresses. */
export const linkTo = (view: ViewName): string =>
  fragmentOf({ view, items: ofAddresses.includes(view) ? currentAddresses.get() : [] })
