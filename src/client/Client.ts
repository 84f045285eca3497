import { type ClientOptions, settingsOf } from "./ClientOptions.ts"
import * as Groups from "./Groups.ts"
import { pagesOf } from "./pages.ts"
import * as Transport from "./Transport.ts"

export type { Call, ClientResponse } from "./Call.ts"
export type { CallOptions, ClientOptions, Fetch } from "./ClientOptions.ts"
export type { PartialFailure } from "./failures.ts"
export type { Failure, Stream } from "./Stream.ts"
export type { components, Network, NetworkName, operations, paths } from "./types.ts"
export { type ErrorKind, type Issue, type ProblemType, WalletDataError } from "./WalletDataError.ts"

/** Creates the client of a service. Sends no request before a method is called. */
export const make = (options: ClientOptions) => {
  const transport = Transport.make(settingsOf(options))
  const history = Groups.history(transport)
  return {
    balances: Groups.balances(transport),
    history: Object.assign(history, pagesOf(history)),
    portfolio: Groups.portfolio(transport),
    prices: Groups.prices(transport),
    nodes: Groups.nodes(transport),
    transactions: Groups.transactions(transport),
    charts: Groups.charts(transport),
    status: Groups.status(transport),
    ...Groups.single(transport)
  }
}

export type WalletData = ReturnType<typeof make>
