/** The views that have a name in their route; the portfolio is the route without one. */
const namedViews = ["history", "coin", "network", "status"] as const

export type ViewName = "portfolio" | (typeof namedViews)[number]

/** Where the page is: `#/address,address…`, `#/history/address,address…`, `#/coin/id`, `#/network/id,address…`, `#/status`. */
export interface Route {
  readonly view: ViewName
  readonly items: ReadonlyArray<string>
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const itemsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((item) => decoded(item).trim())
    .filter((item) => item !== "")

/** The route of the fragment of an address, `#` included; whatever it is, there is one. */
export const routeOf = (fragment: string): Route => {
  const path = fragment.replace(/^#?\/?/, "")
  const [first = "", ...rest] = path.split("/")
  const view = namedViews.find((name) => name === first)
  return view === undefined ? { view: "portfolio", items: itemsOf(path) } : { view, items: itemsOf(rest.join("/")) }
}

/** The fragment of a route, `#` included. */
export const fragmentOf = ({ items, view }: Route): string => {
  const list = items.map(encodeURIComponent).join(",")
  return view === "portfolio" ? `#/${list}` : `#/${view}${list === "" ? "" : `/${list}`}`
}
