import { fragmentOf, type Route, routeOf } from "./route.ts"
import { makeStore } from "./store.ts"

/** Where the page is now; it follows the address, the back button included. */
export const currentRoute = makeStore(routeOf(location.hash))

addEventListener("hashchange", () => currentRoute.set(routeOf(location.hash)))

/** Goes to a route, with an entry in the history of the browser. */
export const goTo = (route: Route) => {
  location.hash = fragmentOf(route)
}
