import { holder } from "../support/sandbox.ts"

/** Addresses of the simulated world on several networks. */
export const addresses = [
  "bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj",
  "ltc1qpm594ntjq6ayqjngf6t9td2dxtey9d7985eept",
  holder(1)
] as const

const wallet = addresses.join(",")

/** The views in the documents: their paths, and an element that exists when the view is complete. */
export const views = {
  home: { path: "#/", complete: ".live .spark path" },
  portfolio: { path: `#/${wallet}`, complete: ".overview canvas" },
  activity: { path: `#/history/${wallet}`, complete: ".exports" },
  coin: { path: "#/coin/bitcoin", complete: "canvas" },
  network: { path: `#/network/bitcoin,${addresses[0]}`, complete: ".facts bdi" },
  status: { path: "#/status", complete: ".upstreams td" }
} as const

/** More views for the tests. */
export const otherViews = [
  { path: "#/history", complete: ".address-field" },
  { path: "#/coin", complete: ".spark path" },
  { path: "#/coin/bitcoin,ethereum", complete: "canvas" },
  { path: "#/network", complete: ".networks td .number" },
  { path: `#/tx/ethereum/0x${"5c".repeat(32)}`, complete: ".problems" }
] as const
