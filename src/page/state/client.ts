import { type CallOptions, type ClientOptions, settingsOf } from "../../client/ClientOptions.ts"
import * as Groups from "../../client/Groups.ts"
import * as OtherGroups from "../../client/OtherGroups.ts"
import * as Transport from "../../client/Transport.ts"

/** The methods of the client that the page uses; others would only add bytes. */
export const makePageClient = (options: ClientOptions) => {
  const transport = Transport.make(settingsOf(options))
  return {
    balances: Groups.balances(transport),
    history: Groups.history(transport),
    portfolio: Groups.portfolio(transport),
    prices: {
      ...Groups.prices(transport),
      chain: (chains: ReadonlyArray<number>, options?: CallOptions) =>
        transport.call<Groups.Data<"prices.chain">>(
          () => Groups.get(`/price${Groups.query({ network_ids: chains.join(",") })}`),
          options
        )
    },
    token: {
      facts: (network: string, contract: string, options?: CallOptions) =>
        transport.call<Groups.Data<"token.facts">>(
          () => Groups.get(Groups.path("/token/{}/{}", network, contract)),
          options
        )
    },
    transactions: OtherGroups.transactions(transport),
    charts: Groups.charts(transport),
    status: Groups.status(transport),
    ...Groups.single(transport)
  }
}

export type PageClient = ReturnType<typeof makePageClient>
