import type { ComponentType } from "preact"
import { Coin } from "./coin/Coin.tsx"
import { History } from "./history/History.tsx"
import { lazy } from "./parts/lazy.tsx"
import { Portfolio } from "./portfolio/Portfolio.tsx"
import type { ViewName } from "./state/route.ts"
import { Status } from "./status/Status.tsx"

/** Properties of every view: the items of its route, such as addresses. */
export interface ViewProps {
  readonly items: ReadonlyArray<string>
}

export interface View {
  readonly name: ViewName
  /** Shown in the navigation and in the title of the document. */
  readonly title: string
  readonly component: ComponentType<ViewProps>
}

const Network = lazy<ViewProps>(() => import("./network/Network.tsx").then(({ Network: found }) => found))

/** Every view, in the order of the navigation. A new view needs its name in `state/route.ts` and a line here. */
export const views: ReadonlyArray<View> = [
  { name: "portfolio", title: "Portfolio", component: Portfolio },
  { name: "history", title: "History", component: History },
  { name: "coin", title: "Coin", component: Coin },
  { name: "network", title: "Network", component: Network },
  { name: "status", title: "Status", component: Status }
]
