import { type ClientOptions, settingsOf } from "./ClientOptions.ts"
import * as Groups from "./Groups.ts"
import * as OtherGroups from "./OtherGroups.ts"
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
  const transport = Transport.make(settingsOf(Object(options)))
  const history = Groups.history(transport)
  return {
    balances: Object.assign(Groups.balances(transport), OtherGroups.balances(transport)),
    history: Object.assign(history, pagesOf(history), OtherGroups.history(transport)),
    portfolio: Groups.portfolio(transport),
    prices: { ...Groups.prices(transport), ...OtherGroups.prices(transport) },
    nodes: OtherGroups.nodes(transport),
    transactions: OtherGroups.transactions(transport),
    charts: { ...Groups.charts(transport), ...OtherGroups.charts(transport) },
    status: { ...Groups.status(transport), ...OtherGroups.status(transport) },
    ...Groups.single(transport),
    ...OtherGroups.single(transport),
    tokens: Groups.tokens(transport)
  }
}

export type WalletData = ReturnType<typeof make>
