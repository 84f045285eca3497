/** Views with a name in their route; a route without a name is the portfolio. */
const namedViews = ["history", "coin", "network", "status", "tx"] as const

export type ViewName = "portfolio" | (typeof namedViews)[number]

/** A location in the page: `#/address,address…`, `#/history/address,address…`, `#/coin/id`, `#/network/id,address…`, `#/status`, `#/tx/network/hash`. */
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

/** The mark between the items of a view. */
const markOf = (view: ViewName) => (view === "tx" ? "/" : ",")

const itemsOf = (text: string, view: ViewName): ReadonlyArray<string> =>
  text
    .split(markOf(view))
    .map((part) => decoded(part).trim())
    .filter((part) => part !== "")

/** Parses a URL fragment, including `#`. Every text results in a route. */
export const routeOf = (fragment: string): Route => {
  const path = fragment.replace(/^#?\/?/, "")
  const [first = "", ...rest] = path.split("/")
  const view = namedViews.find((name) => name === first) ?? "portfolio"
  return { view, items: itemsOf(view === "portfolio" ? path : rest.join("/"), view) }
}

/** The URL fragment of a route, including `#`. */
export const fragmentOf = ({ items, view }: Route): string => {
  const list = items.map(encodeURIComponent).join(markOf(view))
  return view === "portfolio" ? `#/${list}` : `#/${view}${list === "" ? "" : `/${list}`}`
}
