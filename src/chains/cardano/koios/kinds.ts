// Koios API v1 (api.koios.rest): addresses and accounts have the same calls with different names.

/** `usedAddress` is an address in use, and its account: those of the example in the documentation. */
export const payments = {
  list: "_addresses",
  row: "address",
  info: "/address_info",
  assets: "/address_assets",
  unspent: "/address_utxos",
  usedAddress: "addr1q8wv876ptu0qhujmh2awdcnpcc0ctgdz8e8qvv29k8hucwft99azzjfn9l2658p483uljfdd00ef5rzg58y5km6gj9jqcp0ws7"
} as const
export const accounts = {
  list: "_stake_addresses",
  row: "stake_address",
  info: "/account_info",
  assets: "/account_assets",
  unspent: "/account_utxos",
  usedAddress: "stake1uy4jj73pfyejl4d2rs6nc70eykkhhu56p3y2rj2tdayfzeqnjyh0j"
} as const

/** All of these exist; the sandbox must have them too. */
export const usedAddresses: ReadonlyArray<string> = [payments.usedAddress, accounts.usedAddress]

export type AddressKind = typeof payments | typeof accounts
