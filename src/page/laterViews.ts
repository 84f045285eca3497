// Everything that the first view does not need, in one file: many small files take longer to load on a slow network.

export { Choosers } from "./Choosers.tsx"
export { Coin } from "./coin/Coin.tsx"
export { History } from "./history/History.tsx"
export { KeyPrompt } from "./KeyPrompt.tsx"
export { Network } from "./network/Network.tsx"
export { Portfolio } from "./portfolio/Portfolio.tsx"
export { Requests } from "./Requests.tsx"
export { Status } from "./status/Status.tsx"
export { Transaction } from "./transaction/Transaction.tsx"
