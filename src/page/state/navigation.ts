import { fragmentOf, type Route, routeOf, type ViewName } from "./route.ts"
import { makeStore } from "./store.ts"

/** The current route. It follows the URL, including the back button. */
export const currentRoute = makeStore(routeOf(location.hash))

/** The views that show the same addresses: a change between them keeps the addresses. */
const ofAddresses: ReadonlyArray<ViewName> = ["portfolio", "history"]

/** The addresses that were shown last. */
export const currentAddresses = makeStore<ReadonlyArray<string>>([])

const follow = () => {
  const { items, view } = currentRoute.get()
  if (ofAddresses.includes(view) && items.length > 0) currentAddresses.set(items)
}

follow()
addEventListener("hashchange", () => {
  currentRoute.set(routeOf(location.hash))
  follow()
})

/** Navigates to a route and adds an entry to the browser history. */
export const goTo = (route: Route) => {
  location.hash = fragmentOf(route)
}

/** The link to a view, with the current addresses if it shows addresses. */
export const linkTo = (view: ViewName): string =>
  fragmentOf({ view, items: ofAddresses.includes(view) ? currentAddresses.get() : [] })
