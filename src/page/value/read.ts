import type { WalletData } from "../../client/Client.ts"
import { chunked, type NetworkAddress, networksOf } from "../addresses/accounts.ts"
import { halvesOf } from "../addresses/halvesOf.ts"
import type { Span } from "../coin/series.ts"
import type { ValueResponse } from "./values.ts"

type RequestedAddress = Pick<NetworkAddress, "network" | "address">

/** Addresses on networks: the service's limit per request, and the page's limit per chart. */
const addressesPerRequest = 50
export const maxAddresses = 200

/** Reads the value of these addresses over a number of days, in as many requests as needed. */
export const readValues = async (
  client: WalletData,
  addresses: ReadonlyArray<RequestedAddress>,
  days: Span,
  currency: string,
  signal: AbortSignal
): Promise<ReadonlyArray<ValueResponse>> => {
  const request = { days, currency: currency.toLowerCase() }
  const read = async (part: ReadonlyArray<RequestedAddress>): Promise<Array<ValueResponse>> => {
    try {
      return [await client.portfolio.chart({ ...request, networks: networksOf(part) }, { signal })]
    } catch (error) {
      const halves = halvesOf(part, error)
      if (halves === undefined) throw error
      return readAll(halves)
    }
  }
  // Concurrently, so that the responses have the same times.
  const readAll = async (parts: ReadonlyArray<ReadonlyArray<RequestedAddress>>) =>
    (await Promise.all(parts.map(read))).flat()
  return readAll(chunked(addresses, addressesPerRequest))
}
