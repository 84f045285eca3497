import type { ComponentType } from "preact"
import { Home } from "./home/Home.tsx"
import { later } from "./later.ts"
import type { IconName } from "./parts/Icon.tsx"
import { lazy } from "./parts/lazy.tsx"
import type { ViewName } from "./state/route.ts"
import type { TextKey } from "./text/language.ts"

/** Properties of every view: the items of its route, such as addresses. */
export interface ViewProps {
  readonly items: ReadonlyArray<string>
}

export interface View {
  readonly name: ViewName
  /** Its icon, and the key of its title, for the navigation and the title of the document. No icon: not in the navigation. */
  readonly title: (TextKey & IconName) | "transaction"
  readonly component: ComponentType<ViewProps>
}

const Holdings = lazy<ViewProps>(() => later().then(({ Portfolio: found }) => found))

/** The portfolio; without addresses, the first view. Other addresses start a new portfolio. */
const Portfolio = ({ items }: ViewProps) =>
  items.length === 0 ? <Home /> : <Holdings key={items.join(",")} items={items} />

const History = lazy<ViewProps>(() => later().then(({ History: found }) => found))
const Coin = lazy<ViewProps>(() => later().then(({ Coin: found }) => found))
const Network = lazy<ViewProps>(() => later().then(({ Network: found }) => found))
const Status = lazy<ViewProps>(() => later().then(({ Status: found }) => found))

const Transaction = lazy<ViewProps>(() => import("./laterViews.ts").then(({ Transaction: found }) => found))

/** Every view, in the order of the navigation. */
export const views: ReadonlyArray<View> = [
  { name: "portfolio", title: "portfolio", component: Portfolio },
  { name: "history", title: "activity", component: History },
  { name: "coin", title: "coins", component: Coin },
  { name: "network", title: "networks", component: Network },
  { name: "status", title: "status", component: Status },
  { name: "tx", title: "transaction", component: Transaction }
]
