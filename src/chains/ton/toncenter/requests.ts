import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { elector } from "../Client.ts"
import * as TonAddress from "../TonAddress.ts"

// Requests to TON Center's API v3.

/** The page limit of the API. */
export const rowsPerPage = 1000

export const get = (path: string, parameters: ReadonlyArray<readonly [string, string]>) =>
  HttpClientRequest.get(`/api/v3/${path}`).pipe(HttpClientRequest.setUrlParams(parameters))

const many = (name: string, addresses: ReadonlyArray<string>) =>
  addresses.map((address) => [name, TonAddress.friendly(address)] as const)

/** Requests account states without code and data of the contracts. */
export const accountStates = (addresses: ReadonlyArray<string>) =>
  get("accountStates", [...many("address", [...addresses, elector]), ["include_boc", "false"]])

export const walletStates = (addresses: ReadonlyArray<string>) =>
  get("walletStates", many("address", [...addresses, elector]))

/** Requests a page of the owners' jetton wallets: of all jettons, or only of `master`. */
export const jettonWallets = (owners: ReadonlyArray<string>, offset: number, master?: string) =>
  get("jetton/wallets", [
    ...many("owner_address", owners),
    ...(master === undefined ? [] : many("jetton_address", [master])),
    ["limit", String(rowsPerPage)],
    ["offset", String(offset)]
  ])

export const jettonMaster = (master: string) => get("jetton/masters", [...many("address", [master]), ["limit", "1"]])
