import type { WalletData } from "../../client/Client.ts"
import { type AddressOn, chunked, networksOf } from "../addresses/accounts.ts"
import { halvesOf } from "../addresses/halvesOf.ts"
import type { Span } from "../coin/series.ts"
import type { ValueAnswer } from "./values.ts"

/** As many addresses on networks as the service takes at once, and as the page reads for a chart. */
const addressesPerRequest = 50
export const maxAddresses = 200

/** What the service has of the worth of these addresses over days, in as many answers as that needs. */
export const readValues = async (
  client: WalletData,
  addresses: ReadonlyArray<Pick<AddressOn, "network" | "address">>,
  days: Span,
  currency: string,
  signal: AbortSignal
): Promise<ReadonlyArray<ValueAnswer>> => {
  const request = { days, currency: currency.toLowerCase() }
  const read = async (part: ReadonlyArray<Pick<AddressOn, "network" | "address">>): Promise<Array<ValueAnswer>> => {
    try {
      return [await client.portfolio.chart({ ...request, networks: networksOf(part) }, { signal })]
    } catch (error) {
      const halves = halvesOf(part, error)
      if (halves === undefined) throw error
      return readAll(halves)
    }
  }
  // At the same time, so that their times are the same.
  const readAll = async (parts: ReadonlyArray<ReadonlyArray<Pick<AddressOn, "network" | "address">>>) =>
    (await Promise.all(parts.map(read))).flat()
  return readAll(chunked(addresses, addressesPerRequest))
}
