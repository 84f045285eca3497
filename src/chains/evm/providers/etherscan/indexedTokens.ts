import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import type { ListedRow } from "../../../../upstream/response/rows.ts"
import type { IndexedTokens } from "../../Provider.ts"
import type * as calls from "./calls.ts"

/** The newest transfers of an address, from which its tokens are known. */
export const transfersRead = 1_000

const contract = /^0x[0-9a-f]{40}$/

/** The tokens that were transferred. */
export const tokensIn = (rows: ReadonlyArray<ListedRow<calls.Token>>): IndexedTokens => {
  const read = rows.map(({ row }) =>
    Option.map(row, ({ contractAddress, value }) => (value ? contractAddress.toLowerCase() : ""))
  )
  const contracts = new Set(Arr.getSomes(read).filter((address) => contract.test(address)))
  return {
    contracts: [...contracts],
    isWhole: rows.length < transfersRead && read.every(Option.isSome),
    scams: new Set()
  }
}

/** The fungible tokens of a list of Blockscout. */
export const tokensOwned = (rows: (typeof calls.tokenBalances.response)["Type"]): IndexedTokens => {
  const read = rows.map(({ row }) =>
    Option.map(row, ({ token: { address, address_hash = address, reputation, type } }) => ({
      contract: type === "ERC-20" ? (address_hash ?? address ?? "").toLowerCase() : "",
      isScam: reputation === "scam"
    }))
  )
  const owned = Arr.getSomes(read).filter((token) => contract.test(token.contract))
  return {
    contracts: [...new Set(owned.map((token) => token.contract))],
    isWhole: read.every(Option.isSome),
    scams: new Set(owned.flatMap((token) => (token.isScam ? [token.contract] : [])))
  }
}
