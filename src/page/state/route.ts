/** Views with a name in their route; a route without a name is the portfolio. */
const namedViews = ["history", "coin", "network", "status"] as const

export type ViewName = "portfolio" | (typeof namedViews)[number]

/** A location in the page: `#/address,address…`, `#/history/address,address…`, `#/coin/id`, `#/network/id,address…`, `#/status`. */
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
    .map((part) => decoded(part).trim())
    .filter((part) => part !== "")

/** Parses a URL fragment, including `#`. Every text results in a route. */
export const routeOf = (fragment: string): Route => {
  const path = fragment.replace(/^#?\/?/, "")
  const [first = "", ...rest] = path.split("/")
  const view = namedViews.find((name) => name === first)
  return view === undefined ? { view: "portfolio", items: itemsOf(path) } : { view, items: itemsOf(rest.join("/")) }
}

/** The URL fragment of a route, including `#`. */
export const fragmentOf = ({ items, view }: Route): string => {
  const list = items.map(encodeURIComponent).join(",")
  return view === "portfolio" ? `#/${list}` : `#/${view}${list === "" ? "" : `/${list}`}`
}
