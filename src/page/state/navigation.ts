import { fragmentOf, type Route, routeOf } from "./route.ts"
import { makeStore } from "./store.ts"

/** The current route. It follows the URL, including the back button. */
export const currentRoute = makeStore(routeOf(location.hash))

addEventListener("hashchange", () => currentRoute.set(routeOf(location.hash)))

/** Navigates to a route and adds an entry to the browser history. */
export const goTo = (route: Route) => {
  location.hash = fragmentOf(route)
}
